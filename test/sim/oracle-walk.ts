/**
 * What a rule of the oracle is given: the model so far, the event's append, what the world witnessed, and a way to
 * complain. Rules change the model and say what must hold; nothing else does.
 */
import type { SentEvent } from './oracle-events.ts'
import type { Attempt, RunModel, SlotModel } from './oracle-model.ts'
import { slotName, type LogEvent } from './oracle-tables.ts'
import type { ValueModel } from './value-model.ts'

/** What the world knows happened outside the log. */
export interface Witness {
  /** Executions of this attempt that ended and could be reported: by value returned, or by class of error. */
  readonly executions: (slot: string, attempt: number) => readonly Execution[]
  /** Events that somebody sent, or tried to. */
  readonly sent: () => readonly SentEvent[]
}

export interface Execution {
  readonly runId: string
  readonly slot: string
  readonly attempt: number
  readonly engineAttempt: number
  ended: 'open' | 'completed' | 'failed' | 'aborted'
  value?: unknown
  errorClass?: string
}

export interface Walk {
  readonly model: RunModel
  readonly values: ValueModel
  readonly witness: Witness
  /** Epoch of the append the event came with. */
  readonly epoch: number
  /** First number of that append. */
  readonly appendSeq: number
  readonly must: (holds: boolean, what: string) => void
}

export type Rule = (walk: Walk, event: LogEvent) => void

/** The attempt an event ends; complains when it is not open. */
export function openAttempt(walk: Walk, event: LogEvent): { slot: SlotModel; attempt: Attempt } | undefined {
  const slot = walk.model.slot(slotName(event))
  const attempt = slot?.attempts.at(-1)
  const fits = slot !== undefined && attempt !== undefined && attempt.n === event.attempt && attempt.state === 'RUNNING'
  walk.must(fits, `I5 the attempt is not open (${attempt?.n ?? 0} ${attempt?.state ?? 'none'})`)
  return fits ? { slot, attempt } : undefined
}
