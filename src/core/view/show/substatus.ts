/**
 * The substatus according to the log (STO-27), most urgent first; a terminal status has none. Canonical words are bare;
 * every other word carries its engine.
 */
import { isTerminalRun } from '../../run/state/transitions.ts'
import type { RunFold, RunView } from '../fold/run-view.ts'

export interface Substatus {
  readonly substatus?: string
  readonly message?: string
}

export function substatusOf(view: RunView): Substatus | undefined {
  const { run, tally } = view
  if (isTerminalRun(run.status)) return undefined
  if (run.cancelling) return { substatus: `${run.engine}/CANCELLING` }
  if (run.compensating) return { substatus: `${run.engine}/COMPENSATING` }
  if (run.status === 'PAUSED') return tally.inFlight === 0 ? undefined : draining(run, tally.inFlight)
  // An empty log says nothing yet.
  if (run.status === 'PENDING') return view.lastEventSeq > 0 ? pending(run) : undefined
  if (run.status !== 'RUNNING') return undefined
  if (isHolding(view)) return { substatus: `${run.engine}/HOLDING` }
  return tally.retrying > 0 && mayRetry(view) ? { substatus: 'RETRYING' } : undefined
}

/** For no word of the seeds: a run that only waits for its start says in words what it waits for. */
function pending({ queued }: RunView['run']): Substatus {
  if (queued?.autoApprove !== true) return { substatus: 'WAITING_APPROVAL' }
  const { notBefore } = queued
  return { message: notBefore === undefined ? 'queued until somebody starts it' : `not before ${notBefore}` }
}

function draining({ engine, drainTimedOut }: RunFold, inFlight: number): Substatus {
  const substatus = drainTimedOut === true ? `${engine}/DRAIN_TIMED_OUT` : 'DRAINING'
  return { substatus, message: `${inFlight} in-flight ${inFlight === 1 ? 'task' : 'tasks'}` }
}

/** A step failed finally and keeps the run open, by policy or because its effect may have happened (P-28). */
function isHolding({ meta, run, tally }: RunView): boolean {
  return (
    !run.timedOut && tally.failed > 0 && tally.inFlight === 0 && (meta.onFailure === 'hold' || tally.indeterminate > 0)
  )
}

/** An attempt in backoff will follow; not in a run that is ending, where no event says so for each of them. */
export function mayRetry({ meta, run, tally }: RunView): boolean {
  const ended = tally.failed - tally.indeterminate
  const isFailing = run.timedOut || (meta.onFailure === 'failFast' && ended > 0)
  return !isTerminalRun(run.status) && !run.cancelling && !isFailing
}
