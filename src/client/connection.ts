/** Where the server is, who asks it, and how its answers are fetched. Works in Node and in browsers. */
import { needKnown, type OptionNames } from '../core/known-options.ts'
import { FUNCTION, TEXT } from '../core/option-kinds.ts'
import { fail } from '../core/problems/problem.ts'

export interface ConnectOptions {
  /** `https://keelson.example.com`, with a path before `/v1` if a proxy has put the server there. */
  readonly url: string
  readonly apiKey?: string
  /** In place of a key: a bearer token of an OIDC issuer, asked for before each request. */
  readonly token?: () => string | Promise<string>
  /** On a server for development: the person to act as. */
  readonly actAs?: string
  /** In place of the `fetch` of the platform. */
  readonly fetch?: typeof fetch
  /** In place of the timer of the platform: resolves after so many milliseconds. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
}

export interface Connection {
  /** Without a slash at its end. */
  readonly base: string
  readonly fetch: typeof fetch
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** What every request carries. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>
}

const OPTIONS: OptionNames<ConnectOptions> = {
  url: TEXT,
  apiKey: TEXT,
  token: FUNCTION,
  actAs: TEXT,
  fetch: FUNCTION,
  sleep: FUNCTION,
}

export function openConnection(options: ConnectOptions): Connection {
  needKnown('connect', options, OPTIONS)
  const { url, apiKey, token, actAs, sleep = timed } = options
  if (apiKey !== undefined && token !== undefined)
    fail('OPTION_INVALID', 'connect takes an apiKey or a token, not both')
  return {
    base: baseOf(url),
    // Called without `this`: the fetch of a browser refuses any other object than its window.
    fetch: options.fetch ?? ((...given) => fetch(...given)),
    sleep,
    headers: async () => {
      const bearer = token === undefined ? apiKey : await token()
      return {
        ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        ...(actAs === undefined ? {} : { 'x-keelson-act-as': actAs }),
      }
    },
  }
}

/** Nobody's password stands in an address: addresses are logged and shown. */
function baseOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
  if (parsed === undefined || !isHttp || parsed.username !== '' || parsed.password !== '')
    return fail(
      'OPTION_INVALID',
      'the url of a server is an address such as https://keelson.example.com, without a user',
    )
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`
}

/** Rejects with the reason of the signal. */
function timed(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const left = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', left)
      resolve()
    }, ms)
    signal?.addEventListener('abort', left, { once: true })
  })
}
