/**
 * Everything a process can do for a step, behind one port: functions by name, http through the door, commands where
 * they are enabled. What it cannot do is reported by name before anything starts.
 */
import { actionKind, type CommandAction } from '../../core/plan/plan.ts'
import { fail, problem } from '../../core/problems/problem.ts'
import type { Egress } from '../../ports/egress.ts'
import type { Processes } from '../../ports/processes.ts'
import type { ActionCall, StepHandlers } from '../../ports/step-handlers.ts'
import { callCommand } from './command.ts'
import { functionHandlers, type NamedFunctions } from './functions.ts'
import { callHttp } from './http.ts'

export interface HandlerParts {
  readonly functions: NamedFunctions
  readonly egress: Egress
  /** Absent where programs may not be started. */
  readonly processes?: Processes
  readonly buildId?: string
}

export function stepHandlers({ functions, egress, processes, buildId }: HandlerParts): StepHandlers {
  const named = functionHandlers(functions, buildId)
  const start = async (action: CommandAction, call: ActionCall): Promise<unknown> =>
    processes === undefined
      ? fail('COMMANDS_OFF', `this process starts no programs (${actionKind(action)})`)
      : callCommand(processes, action, call)
  return {
    ...(buildId === undefined ? {} : { buildId }),
    missing(action) {
      if ('http' in action) return []
      if ('command' in action) return processes === undefined ? ['command steps'] : []
      return named.missing(action)
    },
    refusal(action) {
      if (!('command' in action) || processes !== undefined) return undefined
      return problem('COMMANDS_OFF', `the plan starts '${action.command.argv[0] ?? ''}', and this process starts none`)
    },
    call(call) {
      const { action } = call
      if ('http' in action) return callHttp(egress, action, call)
      return 'command' in action ? start(action, call) : named.call(call)
    },
  }
}
