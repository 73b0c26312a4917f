/**
 * What of the user's is at work in this process: steps, and the loading of their file. Each has an async context of its own,
 * so that an error thrown where nobody can catch it is still known to be its own.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ActionCall, StepHandlers } from '../../ports/step-handlers.ts'
import { shortId } from './output/format.ts'

export interface AtWork {
  /** For messages: `step 'pay' of run 1f3c…, attempt 1`. */
  readonly name: string
  /** Absent for what is no step. */
  readonly runId?: string
  readonly isOver: boolean
  /** Ends it with this error, if it is still at work. */
  readonly fail: (thrown: unknown) => void
}

const contexts = new AsyncLocalStorage<AtWork>()
const atWork = new Set<AtWork>()

/** Whose code is running right now, or was left behind by it. */
export function whoseContext(): AtWork | undefined {
  return contexts.getStore()
}

export function allAtWork(): readonly AtWork[] {
  return [...atWork]
}

/** Does the work as its own; rejects as soon as an error of it is found that nobody caught. */
export async function doAs<T>(about: Pick<AtWork, 'name' | 'runId'>, work: () => Promise<T>): Promise<T> {
  const stray = Promise.withResolvers<never>()
  const one = { ...about, isOver: false, fail: stray.reject }
  atWork.add(one)
  try {
    return await Promise.race([contexts.run(one, work), stray.promise])
  } finally {
    one.isOver = true
    atWork.delete(one)
  }
}

/** Handlers whose calls are each at work under their step's name. */
export function asSteps(handlers: StepHandlers): StepHandlers {
  return { ...handlers, call: (call) => doAs(aboutCall(call), () => handlers.call(call)) }
}

function aboutCall({ context }: ActionCall): Pick<AtWork, 'name' | 'runId'> {
  const { runId, stepId, itemIndex, attempt } = context
  const step = itemIndex === undefined ? stepId : `${stepId}[${itemIndex}]`
  return { runId, name: `step '${step}' of run ${shortId(runId)}, attempt ${attempt}` }
}
