/**
 * One request over one connection to one of the checked addresses: the name is not looked up again, so DNS cannot give
 * a different second answer. No proxy from the environment, no connection kept for later.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'

export interface WireRequest {
  readonly url: URL
  readonly addresses: readonly [string, ...string[]]
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Aborting destroys the connection. */
  readonly signal: AbortSignal
  readonly onConnected: () => void
  /** From now on the other side may have read the request and acted on it. */
  readonly onSending: () => void
}

export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly parts: AsyncIterable<Uint8Array>
  /** Closes the connection, whether or not the answer was read. */
  readonly close: () => void
}

export type Connect = (request: WireRequest) => Promise<WireAnswer>

/** Our own agents: the global ones may follow proxy variables. */
const HTTP = new HttpAgent({ keepAlive: false })
const HTTPS = new HttpsAgent({ keepAlive: false })

export const connectByNode: Connect = (request) =>
  new Promise((resolve, reject) => {
    const { url, method, headers, signal, body } = request
    const options: RequestOptions = {
      method,
      headers,
      signal,
      setHost: true,
      lookup: pinned(request.addresses),
      joinDuplicateHeaders: true,
    }
    const sent =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, agent: HTTPS })
        : httpRequest(url, { ...options, agent: HTTP })
    sent.on('socket', (socket) => {
      socket.once('connect', request.onConnected)
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', request.onSending)
    })
    sent.on('response', (answer) => resolve(wireAnswer(answer)))
    sent.on('error', reject)
    // A request to switch the protocol is refused; without this the socket would stay open.
    sent.on('upgrade', (_answer, socket) => {
      socket.destroy()
      reject(Object.assign(new Error('the server wants another protocol'), { code: 'EPROTO' }))
    })
    sent.end(body)
  })

function wireAnswer(answer: IncomingMessage): WireAnswer {
  const headers = Object.entries(answer.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  )
  return {
    status: answer.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    parts: answer,
    close: () => void answer.destroy(),
  }
}

function pinned(addresses: WireRequest['addresses']): LookupFunction {
  const [first] = addresses
  const familyOf = (address: string): number => (address.includes(':') ? 6 : 4)
  return (_host, options, answer) => {
    if (options.all === true)
      answer(
        null,
        addresses.map((address) => ({ address, family: familyOf(address) })),
      )
    else answer(null, first, familyOf(first))
  }
}
