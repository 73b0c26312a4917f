/**
 * Step functions registered by name: what `run:` in a plan calls. Other kinds of action have their own runners and are
 * refused here by name before anything starts.
 */
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import { actionKind } from '../../core/plan/plan.ts'
import type { StepFunction, StepHandlers } from '../../ports/step-handlers.ts'

/** Keyed by the names that plans call. */
export type NamedFunctions = { readonly [name: string]: StepFunction }

/** Kinds that need no handler in this process. */
const ENGINE_KINDS: ReadonlySet<string> = new Set(['wait', 'manual', 'plan'])

export function functionHandlers(functions: NamedFunctions, buildId?: string): StepHandlers {
  const find = (name: string): StepFunction | undefined =>
    Object.hasOwn(functions, name) ? functions[name] : undefined
  return {
    ...(buildId === undefined ? {} : { buildId }),
    missing(action) {
      const kind = actionKind(action)
      if (ENGINE_KINDS.has(kind)) return []
      if (!('run' in action)) return [`${kind} steps (not part of this version)`]
      return find(action.run) === undefined ? [action.run] : []
    },
    async call({ action, input, context }) {
      const name = 'run' in action ? action.run : actionKind(action)
      const handler = 'run' in action ? find(name) : undefined
      if (handler === undefined)
        throw new KeelsonError([problem('NO_HANDLER', `no function '${name}' is registered in this process`)])
      return handler(input as never, context)
    },
  }
}
