/**
 * The one door for outgoing requests. A URL is checked, its host is looked up once, every address is checked, and only
 * then is a connection opened to one of those addresses; each redirect repeats all of it. Sizes and times are bounded.
 */
import { egressPolicy, judgeAddress, type EgressPolicy } from '../../core/egress/policy.ts'
import { parseIp } from '../../core/egress/ip-address.ts'
import { LIMITS } from '../../core/limits.ts'
import { fail, KeelsonError, problem } from '../../core/problems/problem.ts'
import type { Egress, OutboundRequest } from '../../ports/egress.ts'
import type { Timers } from '../../ports/timers.ts'
import { asNetworkError, NetworkError, TimeoutError, unreached } from './failures.ts'
import { readUrl, refuse, type Destination } from './read-url.ts'
import { redirected, redirectTo } from './redirect.ts'
import { resolveBySystem, type Resolve } from './resolve.ts'
import { sendableHeaders } from './sendable-headers.ts'
import type { Connect, WireAnswer } from './wire.ts'

export interface DoorParts {
  readonly policy: EgressPolicy
  readonly timers: Pick<Timers, 'after'>
  /** How long the other side may be silent: before it answers, and between two parts of its answer. */
  readonly silenceMs?: number
  readonly resolve?: Resolve
  readonly connect?: Connect
}

/** Node's HTTP module is loaded with the first request: most commands make none. */
const connectByNode: Connect = async (request) => (await import('./wire.ts')).connectByNode(request)

export function openDoor({
  policy,
  timers,
  silenceMs = LIMITS.egressSilenceMs,
  resolve = resolveBySystem,
  connect = connectByNode,
}: DoorParts): Egress {
  const once = async (
    request: OutboundRequest,
    to: Destination,
    watch: Watch,
    onSending: () => void,
  ): Promise<WireAnswer> => {
    watch.expect(LIMITS.egressConnectMs, `${to.url.host} could not be reached`)
    const addresses = await addressesOf(policiesFor(policy, request), to, resolve, watch.signal)
    const { body, method } = request
    const headers = sendableHeaders(request)
    return await connect({
      url: to.url,
      addresses,
      method,
      headers,
      signal: watch.signal,
      onConnected: () => watch.expect(silenceMs, `${to.url.host} did not answer`),
      onSending,
      ...(body === undefined ? {} : { body }),
    })
  }
  return {
    async send(first, signal) {
      if (signal.aborted) throw new DOMException('The request was aborted before it began', 'AbortError')
      let request = first
      let to = readUrl(policiesFor(policy, first), request.url)
      for (let hops = 0; ; hops++) {
        const watch = watchSilence(timers, signal)
        let wasSent = false
        try {
          const answer = await once(request, to, watch, () => (wasSent = true))
          // A server that answers has received the request.
          wasSent = true
          const location = redirectTo(answer.status, answer.headers)
          if (location === undefined) {
            const body = await wholeBody(answer, to.url, () => watch.expect(silenceMs, `${to.url.host} fell silent`))
            return { status: answer.status, headers: answer.headers, body, url: to.url.href }
          }
          answer.close()
          const next = nextStop(policiesFor(policy, first), location, to.url, hops)
          request = redirected(request, answer.status, to.url, next.url)
          to = next
        } catch (thrown) {
          const why = watch.verdict()
          if (why instanceof TimeoutError && !wasSent) throw unreached(why)
          throw why ?? (isOurs(thrown) ? thrown : asNetworkError(thrown, to.url, wasSent))
        } finally {
          watch.stop()
        }
      }
    },
  }
}

/** What the process may reach, reduced for a locked run to what that run may reach. */
function policiesFor(policy: EgressPolicy, { only }: OutboundRequest): readonly EgressPolicy[] {
  if (only === undefined) return [policy]
  const named = egressPolicy(only, true)
  return named.ok ? [policy, named.value] : fail('EGRESS_ALLOW_INVALID', named.problems[0].message)
}

function isOurs(thrown: unknown): boolean {
  return thrown instanceof KeelsonError || thrown instanceof NetworkError || thrown instanceof TimeoutError
}

function nextStop(policies: readonly EgressPolicy[], location: string, from: URL, hops: number): Destination {
  if (hops >= LIMITS.egressRedirects)
    fail('REDIRECT_REFUSED', `${from.host} redirected once more after ${LIMITS.egressRedirects} redirects`)
  const next = readUrl(policies, location, from)
  if (from.protocol === 'https:' && next.url.protocol === 'http:')
    fail('REDIRECT_REFUSED', `${from.host} redirected from https to http (${next.url.host})`)
  return next
}

/** All addresses of a host must be allowed: a forbidden one shows that the name is not what it seems. */
async function addressesOf(
  policies: readonly EgressPolicy[],
  { url, target }: Destination,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<readonly [string, ...string[]]> {
  if (parseIp(target.host) !== undefined) return [target.host]
  const [first, ...rest] = await orAborted(resolve(target.host), signal)
  if (first === undefined) throw new NetworkError(`${url.host} has no address`, 'ENOTFOUND')
  for (const address of [first, ...rest]) {
    for (const policy of policies) {
      const reason = judgeAddress(policy, target, address)
      if (reason !== undefined) refuse(url, reason)
    }
  }
  return [first, ...rest]
}

async function wholeBody(answer: WireAnswer, url: URL, heard: () => void): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  heard()
  try {
    for await (const part of answer.parts) {
      heard()
      size += part.length
      if (size > LIMITS.egressAnswerBytes) {
        const message = `the answer of ${url.host} is larger than ${LIMITS.egressAnswerBytes} bytes`
        throw new KeelsonError([problem('RESPONSE_TOO_LARGE', message)])
      }
      parts.push(part)
    }
  } finally {
    answer.close()
  }
  return Buffer.concat(parts)
}

interface Watch {
  readonly signal: AbortSignal
  /** Something must happen within `ms` from now; this replaces the previous expectation. */
  expect(ms: number, orElse: string): void
  /** Why the request was aborted: the caller's own reason, or the time limit. */
  verdict(): unknown
  stop(): void
}

/** Joins the call's own time limit with the caller's signal (CAN-06); no listener outlives the call. */
function watchSilence(timers: Pick<Timers, 'after'>, outer: AbortSignal): Watch {
  const controller = new AbortController()
  let cancel: () => void = () => undefined
  const onOuter = (): void => controller.abort(outer.reason)
  outer.addEventListener('abort', onOuter, { once: true })
  if (outer.aborted) onOuter()
  return {
    signal: controller.signal,
    expect: (ms, orElse) => {
      cancel()
      cancel = timers.after(ms, () => controller.abort(new TimeoutError(`${orElse} within ${ms} ms`)))
    },
    verdict: () => (controller.signal.aborted ? controller.signal.reason : undefined),
    stop: () => {
      cancel()
      outer.removeEventListener('abort', onOuter)
    },
  }
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  let stop: () => void = () => undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error)
    stop = () => signal.removeEventListener('abort', onAbort)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    stop()
  }
}
