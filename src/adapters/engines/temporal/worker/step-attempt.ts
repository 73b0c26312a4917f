/**
 * One attempt of an effect inside an activity: heartbeats by itself, hears the platform's cancel, gives a step that ignores
 * it up after the grace, and tells a worker that shuts down from a run that is cancelled (TMP-07, TMP-08).
 */
import type { Context } from '@temporalio/activity'
import { LIMITS } from '../../../../core/limits.ts'
import type { EffectOutcome, RunDriver } from '../../../../ports/engine.ts'
import type { RunKey } from '../../../../ports/run-store.ts'
import type { Timers } from '../../../../ports/timers.ts'
import { HEARTBEAT_THROTTLE_MS } from '../sandbox/activity-options.ts'
import type { StepCall } from '../sandbox/wire.ts'

export type AttemptEnd =
  | { readonly kind: 'reported'; readonly report: EffectOutcome | undefined }
  /** It did not stop within its grace; its result will be late. */
  | { readonly kind: 'abandoned'; readonly late: Promise<EffectOutcome | undefined> }
  /** The worker stops, or the platform has forgotten the activity: another worker must get the attempt. */
  | { readonly kind: 'given-up'; readonly late: Promise<EffectOutcome | undefined> }

export async function carryOut(
  parts: { readonly driver: RunDriver; readonly timers: Timers },
  context: Context,
  runKey: RunKey,
  { effect, stopped: isStopped }: Pick<StepCall, 'effect' | 'stopped'>,
): Promise<AttemptEnd> {
  const { driver, timers } = parts
  const controller = new AbortController()
  if (isStopped === true) controller.abort(cancelled())
  let stopWatching: () => void = () => undefined
  const stopped = new Promise<'graceless' | 'given-up'>((resolve) => {
    stopWatching = watch(context, controller, timers, resolve)
  })
  const work = driver.execute(runKey, effect, controller.signal)
  // A rejection after the race is lost must not end the process; a caller that still waits gets it.
  work.catch(() => undefined)
  try {
    const first = await Promise.race([work.then((report) => ({ report })), stopped])
    if (first === 'graceless') return { kind: 'abandoned', late: work }
    return first === 'given-up' ? { kind: 'given-up', late: work } : { kind: 'reported', report: first.report }
  } finally {
    stopWatching()
  }
}

/** Beats for as long as the work takes, the record of its outcome included: a store that is slow is no lost worker. */
export async function withHeartbeat<T>(context: Context, timers: Timers, work: () => Promise<T>): Promise<T> {
  const stop = beat(context, timers)
  try {
    return await work()
  } finally {
    stop()
  }
}

/** The answer to a heartbeat is the only way a cancel reaches an activity. */
function beat(context: Context, timers: Timers): () => void {
  // Not at once: most steps are over before the first beat, and each beat is a call to the server.
  let stop = timers.after(HEARTBEAT_THROTTLE_MS, next)
  function next(): void {
    context.heartbeat()
    stop = timers.after(HEARTBEAT_THROTTLE_MS, next)
  }
  return () => stop()
}

function cancelled(): DOMException {
  return new DOMException('cancelled', 'AbortError')
}

function watch(
  context: Context,
  controller: AbortController,
  timers: Timers,
  stopped: (how: 'graceless' | 'given-up') => void,
): () => void {
  const { cancellationSignal } = context
  let stopGrace: () => void = () => undefined
  const onAbort = (): void => {
    controller.abort(cancelled())
    if (context.cancellationDetails?.cancelRequested !== true) stopped('given-up')
    else stopGrace = timers.after(LIMITS.cancelGraceMs, () => stopped('graceless'))
  }
  if (cancellationSignal.aborted) onAbort()
  else cancellationSignal.addEventListener('abort', onAbort, { once: true })
  return () => {
    cancellationSignal.removeEventListener('abort', onAbort)
    stopGrace()
  }
}
