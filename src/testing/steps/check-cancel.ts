/**
 * Does a step function stop when it is asked to? It should react within 100 ms, and not begin at all under a signal
 * that was aborted before (CAN-12). For the tests of authors of step functions.
 */
import type { StepContext, StepFunction } from '../../ports/step-handlers.ts'

export interface CancelCheck {
  /** Milliseconds between the abort and the end of the call; absent when it did not end in time. */
  readonly reactedMs?: number
  readonly ok: boolean
}

export interface CancelCheckOptions {
  readonly input?: unknown
  readonly withinMs?: number
  /** What else the function reads of its context. */
  readonly context?: Partial<StepContext>
  /** Resolves when the function runs and may be asked to stop. Default: at once. */
  readonly begun?: Promise<unknown>
}

const WITHIN_MS = 100

export async function checkCancel(step: StepFunction, options: CancelCheckOptions = {}): Promise<CancelCheck> {
  const { withinMs = WITHIN_MS } = options
  const controller = new AbortController()
  const call = callOf(step, controller.signal, options)
  await options.begun
  const asked = performance.now()
  controller.abort(new DOMException('cancelled', 'AbortError'))
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), withinMs)
  })
  const ended = await Promise.race([call.then(() => true as const), late])
  clearTimeout(timer)
  return ended ? { ok: true, reactedMs: performance.now() - asked } : { ok: false }
}

/** Settles when the call does, in any way: a step may return, or throw the reason. */
async function callOf(step: StepFunction, signal: AbortSignal, options: CancelCheckOptions): Promise<void> {
  const context = { attempt: 1, engineAttempt: 1, runId: 'check', stepId: 'check', ...options.context, signal }
  try {
    await Reflect.apply(step, undefined, [options.input ?? {}, context])
  } catch (thrown) {
    if (!signal.aborted) throw thrown
  }
}
