/**
 * The user's code at work in this process: steps, and the loading of their file. Each has its own async context, so
 * that an uncaught error can still be attributed to it.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ActionCall, StepHandlers } from '../../../ports/step-handlers.ts'
import { shortId } from './format.ts'

export interface AtWork {
  /** For messages: `step 'pay' of run 1f3c…, attempt 1`. */
  readonly name: string
  /** Absent for work that is not a step. */
  readonly runId?: string
  readonly isOver: boolean
  /** Ends it with this error, if it still runs. */
  readonly fail: (thrown: unknown) => void
}

const contexts = new AsyncLocalStorage<AtWork>()
const atWork = new Set<AtWork>()

/** Whose code is running now, or left the current callback behind. */
export function whoseContext(): AtWork | undefined {
  return contexts.getStore()
}

export function allAtWork(): readonly AtWork[] {
  return [...atWork]
}

/** Does the work in its own context; rejects as soon as an uncaught error of it is found. */
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

/** Handlers whose calls each run under their step's name. */
export function asSteps(handlers: StepHandlers): StepHandlers {
  return { ...handlers, call: (call) => doAs(aboutCall(call), () => handlers.call(call)) }
}

function aboutCall({ context }: ActionCall): Pick<AtWork, 'name' | 'runId'> {
  const { runId, stepId, itemIndex, attempt } = context
  const step = itemIndex === undefined ? stepId : `${stepId}[${itemIndex}]`
  return { runId, name: `step '${step}' of run ${shortId(runId)}, attempt ${attempt}` }
}
