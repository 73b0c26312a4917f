/**
 * The step functions of a folder with several projects: each plan calls the functions of the steps file beside it. A name that the
 * plan's own file does not have is looked for in the others, and must mean one function there.
 */
import { fail } from '../core/problems/problem.ts'
import type { StepFunctions, StepHandlers } from '../ports/step-handlers.ts'
import { handlersOf } from './open-handlers.ts'
import type { OpenOptions } from './open-options.ts'

export interface ProjectSteps {
  readonly functions: StepFunctions
  /** The file that they are from. */
  readonly module: string
  /** Ids of the plans beside it. */
  readonly planIds: readonly string[]
}

interface Project {
  readonly planIds: readonly string[]
  readonly handlers: StepHandlers
}

/** The functions may change while the process lives: `replace` takes the new ones, for calls from then on. */
export interface ProjectHandlers {
  readonly handlers: StepHandlers
  replace(projects: readonly ProjectSteps[]): void
}

type Outside = Pick<OpenOptions, 'egress' | 'commands'>

export function projectHandlers(projects: readonly ProjectSteps[], outside: Outside): ProjectHandlers {
  const withoutSteps = handlersOf(outside)
  const open = (given: readonly ProjectSteps[]): readonly Project[] =>
    given.map(({ functions, module, planIds }) => ({
      planIds,
      handlers: handlersOf({ ...outside, steps: functions, stepsModule: module }),
    }))
  let known = open(projects)
  const handlers: StepHandlers = {
    isolates: true,
    missing: (action) => {
      if (known.some((one) => one.handlers.missing(action).length === 0)) return []
      return withoutSteps.missing(action)
    },
    refusal: (action) => withoutSteps.refusal?.(action),
    call: (call) => handlersFor(known, withoutSteps, call).call(call),
  }
  return { handlers, replace: (given) => void (known = open(given)) }
}

function handlersFor(
  known: readonly Project[],
  withoutSteps: StepHandlers,
  { action, context }: Parameters<StepHandlers['call']>[0],
): StepHandlers {
  const able = known.filter(({ handlers }) => handlers.missing(action).length === 0)
  const own = able.find(({ planIds }) => planIds.includes(context.planId))
  if (own !== undefined) return own.handlers
  if (able.length > 1 && 'run' in action)
    fail(
      'STEPS_AMBIGUOUS',
      `'${action.run}' is a function of ${able.length} steps files, and none of them is beside plan '${context.planId}'`,
    )
  return able[0]?.handlers ?? withoutSteps
}
