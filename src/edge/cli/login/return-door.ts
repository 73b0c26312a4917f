/**
 * Where the browser comes back to (RFC 8252): a door on the loopback address, open for one return that knows the state. Whoever else knocks
 * is sent away, and the door stays open for the right one.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LIMITS } from '../../../core/limits.ts'
import { KeelsonError, problem } from '../../../core/problems/problem.ts'

export interface ReturnDoor {
  readonly address: string
  /** The address that the browser came back with; fails when nobody does in time. */
  readonly returned: Promise<URL>
  close(): void
}

const PATH = '/callback'
const PAGE =
  '<!doctype html><title>keelson</title><p>You can close this page. The terminal says whether you are logged in.</p>\n'

export async function openReturnDoor(state: string): Promise<ReturnDoor> {
  const { promise: returned, resolve, reject } = Promise.withResolvers<URL>()
  // Whoever opened it may be told before they wait.
  returned.catch(() => undefined)
  const server = createServer((request, response) => {
    const url = returnOf(request, address, state)
    answer(response, url === undefined ? 404 : 200)
    if (url !== undefined) resolve(url)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`
  const timer = setTimeout(() => reject(late()), LIMITS.loginWaitMs)
  const close = (): void => {
    clearTimeout(timer)
    server.close()
    server.closeIdleConnections()
  }
  return { address, returned, close }
}

function late(): KeelsonError {
  return new KeelsonError([problem('LOGIN_FAILED', `nobody logged in within ${LIMITS.loginWaitMs / 60_000} minutes`)])
}

function returnOf({ method, url = '/' }: IncomingMessage, address: string, state: string): URL | undefined {
  if (method !== 'GET' || !url.startsWith(`${PATH}?`)) return undefined
  const came = new URL(url, address)
  return came.searchParams.get('state') === state ? came : undefined
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  })
  response.end(status === 200 ? PAGE : '')
}
