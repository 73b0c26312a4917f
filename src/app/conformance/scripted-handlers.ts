/**
 * Handlers that follow a conformance entry's script, for every kind of action: nothing leaves the process. A step
 * without a script returns its input, so that mappings can be read in the log.
 */
import type { Act, Condition } from '../../core/conformance/entry.ts'
import type { ActionCall, StepHandlers } from '../../ports/step-handlers.ts'
import type { Timers } from '../../ports/timers.ts'

/** The build that `handlerVersion` of an entry's steps may name. */
const BUILD = 'conformance'

export type Script = Readonly<Record<string, readonly Act[]>>

export interface Stage {
  readonly script: Script
  /** Resolves once the condition holds. */
  readonly reached: (condition: Condition) => Promise<void>
}

export function scriptedHandlers({ script, reached }: Stage, timers: Timers): StepHandlers {
  return {
    isolates: true,
    buildId: BUILD,
    missing: () => [],
    call: async (call) => {
      const act = actOf(script, call)
      const { signal } = call.context
      const stopped = act.deaf === true ? undefined : untilStopped(signal)
      try {
        if (act.block === true) await (stopped?.promise ?? new Promise<never>(() => undefined))
        if (act.afterMs !== undefined) await either(after(timers, act.afterMs), stopped?.promise)
        if (act.until !== undefined) await either(reached(act.until), stopped?.promise)
      } finally {
        stopped?.forget()
      }
      if (act.artifact !== undefined)
        call.context.addArtifact({
          uri: `artifact:${act.artifact}`,
          kind: 'conformance',
          sizeBytes: act.artifact.length,
        })
      if (act.fail !== undefined) throw failureOf(act.fail)
      if (act.chars !== undefined) return 'x'.repeat(act.chars)
      return act.output === undefined ? givenTo(call) : act.output
    },
  }
}

const NOTHING_SCRIPTED: Act = {}

/** One act for each attempt; the last one repeats. An item without its own script uses that of its step. */
function actOf(script: Script, call: ActionCall): Act {
  const { stepId, itemIndex, attempt } = call.context
  const role = 'stepId' in call.action ? '' : 'retry' in call.action ? 'COMP:' : 'FALLBACK:'
  const own = itemIndex === undefined ? undefined : script[`${role}${stepId}[${itemIndex}]`]
  const acts = own ?? script[`${role}${stepId}`] ?? []
  return acts[Math.min(attempt, acts.length) - 1] ?? NOTHING_SCRIPTED
}

/** The input; for requests and commands also what would have been sent. Secrets appear by name only. */
function givenTo({ action, input, context }: ActionCall): unknown {
  const secrets = Object.getOwnPropertyNames(context.secrets)
  const asked = askedOf(action)
  if (asked === undefined && secrets.length === 0) return input
  return { ...asked, ...(asked === undefined ? { input } : {}), ...(secrets.length === 0 ? {} : { secrets }) }
}

function askedOf(action: ActionCall['action']): object | undefined {
  if ('http' in action) return { http: action.http }
  if ('command' in action) return { command: action.command }
  return 'dbt' in action ? { dbt: action.dbt } : undefined
}

function failureOf({ message = 'it failed', ...facts }: NonNullable<Act['fail']>): Error {
  return Object.assign(new Error(message), facts)
}

function after(timers: Timers, ms: number): Promise<void> {
  return new Promise((resolve) => void timers.after(ms, resolve))
}

function either(one: Promise<void>, stopped: Promise<never> | undefined): Promise<void> {
  return stopped === undefined ? one : Promise.race([one, stopped])
}

function untilStopped(signal: AbortSignal): { readonly promise: Promise<never>; readonly forget: () => void } {
  let forget: () => void = () => undefined
  const promise = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error)
    forget = () => signal.removeEventListener('abort', onAbort)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  // It may reject when nobody waits for it.
  promise.catch(() => undefined)
  return { promise, forget }
}
