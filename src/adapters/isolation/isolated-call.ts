/**
 * One function call in its own host. When asked to stop, it has five seconds to end by itself; then its host is killed
 * in any case. The host is gone when the call is over: nothing of it stays behind.
 */
import { LIMITS } from '../../core/limits.ts'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import type { HostEvents, IsolatedHost, StartHost } from '../../ports/isolation.ts'
import type { ActionCall } from '../../ports/step-handlers.ts'
import type { Timers } from '../../ports/timers.ts'
import { errorOfWire, wireContext, wireError, type FromFunction, type ToFunction } from './wire.ts'

export interface IsolatedCall {
  readonly start: StartHost
  readonly entry: URL
  /** URL of the module with the functions. */
  readonly module: string
  readonly name: string
  readonly call: Pick<ActionCall, 'input' | 'context'>
  readonly timers: Timers
}

export function callIsolated({ start, entry, module, name, call, timers }: IsolatedCall): Promise<unknown> {
  const { context } = call
  const { signal } = context
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(reasonOf(signal))
      return
    }
    let cancelGrace: () => void = () => undefined
    let settle: (() => void) | undefined
    let killed = false
    const events: HostEvents = {
      message: (message) => take(message as FromFunction),
      gone: (why) => {
        signal.removeEventListener('abort', onAbort)
        cancelGrace()
        if (settle !== undefined) settle()
        else reject(killed ? forced(name) : died(name, why))
      },
    }
    const host: IsolatedHost = start(entry, events)
    const send = (message: ToFunction): void => host.send(message)
    const onAbort = (): void => {
      send({ kind: 'abort', reason: wireError(signal.reason) })
      cancelGrace = timers.after(LIMITS.cancelGraceMs, () => {
        killed = true
        host.kill()
      })
    }
    const take = (message: FromFunction): void => {
      if (message.kind === 'ask') {
        void answer(context, message).then(send)
        return
      }
      settle ??= () => (message.kind === 'done' ? resolve(message.output) : reject(errorOfWire(message.error)))
      // The function ends by itself now; what it left open must not keep the host alive.
      cancelGrace()
      cancelGrace = timers.after(LIMITS.cancelGraceMs, () => host.kill())
    }
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      send({ kind: 'call', module, name, input: call.input, context: wireContext(context) })
    } catch (thrown) {
      settle = () => reject(thrown as Error)
      host.kill()
    }
  })
}

/** No result will follow: what the decider recorded at the end of the grace period is final. */
function forced(name: string): KeelsonError {
  return new KeelsonError([problem('CANCELLED', `'${name}' did not stop in time and was killed`)])
}

function died(name: string, why: string): KeelsonError {
  return new KeelsonError([
    problem('PROCESS_DIED', `the process or thread that ran '${name}' ended without a result: ${why}`),
  ])
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason))
}

/** A function of the context, called from the host. */
async function answer(
  context: object,
  { id, path, args }: Extract<FromFunction, { kind: 'ask' }>,
): Promise<ToFunction> {
  try {
    const owner = path.slice(0, -1).reduce<unknown>((at, key) => Reflect.get(at as object, key), context)
    const method: unknown = Reflect.get(owner as object, path.at(-1) ?? '')
    if (typeof method !== 'function') throw new TypeError(`the context has no function '${path.join('.')}'`)
    return { kind: 'answer', id, value: await (Reflect.apply(method, owner, args) as unknown) }
  } catch (thrown) {
    return { kind: 'answer', id, error: wireError(thrown) }
  }
}
