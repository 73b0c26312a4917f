/**
 * The one table of how states look: a word, a shape and a colour for each, of runs and of steps. A state is never told by its
 * colour alone. A status that this version does not know is shown by its own word.
 */
import type { StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import type { WaitKind } from './wait-kind.ts'

export type Shape =
  | 'ring'
  | 'disc'
  | 'play'
  | 'bars'
  | 'check'
  | 'cross'
  | 'slash'
  | 'again'
  | 'person'
  | 'back'
  | 'plus'
  | 'minus'
  | 'wave'
  | 'clock'
export type Tone = 'idle' | 'busy' | 'good' | 'bad' | 'held' | 'off' | 'human'

export interface Look {
  readonly word: string
  readonly shape: Shape
  readonly tone: Tone
}

export const look = (word: string, shape: Shape, tone: Tone): Look => ({ word, shape, tone })

export const RUN_LOOKS = {
  PENDING: look('pending', 'ring', 'idle'),
  APPROVED: look('approved', 'disc', 'idle'),
  RUNNING: look('running', 'play', 'busy'),
  PAUSED: look('paused', 'bars', 'held'),
  COMPLETED: look('completed', 'check', 'good'),
  FAILED: look('failed', 'cross', 'bad'),
  CANCELLED: look('cancelled', 'slash', 'off'),
} as const satisfies Record<string, Look>

export type RunStatusName = keyof typeof RUN_LOOKS
export const RUN_STATUSES = Object.keys(RUN_LOOKS) as readonly RunStatusName[]

const STEP_LOOKS: Readonly<Record<string, Look>> = {
  PENDING: look('pending', 'ring', 'idle'),
  RUNNING: look('running', 'play', 'busy'),
  SUCCESS: look('succeeded', 'check', 'good'),
  FAILED: look('failed', 'cross', 'bad'),
  SKIPPED: look('skipped', 'slash', 'off'),
  CANCELLED: look('cancelled', 'slash', 'off'),
}

export function runLook(status: string): Look {
  return (RUN_LOOKS as Readonly<Record<string, Look>>)[status] ?? look(status, 'ring', 'idle')
}

export function statusLook(status: string): Look {
  return STEP_LOOKS[status] ?? look(status, 'ring', 'idle')
}

/** A step says more than its status: it waits for a person, for its next attempt, for a time or an event, or was undone. */
export function stepLook(step: StepSnapshot, waits?: WaitKind): Look {
  if (step.compensation?.status === 'DONE') return look('undone', 'back', 'held')
  if (step.compensation?.status === 'RUNNING') return look('being undone', 'back', 'busy')
  if (step.compensation?.status === 'FAILED') return look('not undone', 'back', 'bad')
  if (step.recovered === true) return look('saved by its fallback', 'check', 'good')
  if (step.handled === true) return look('failed, handled', 'cross', 'held')
  if (step.retryAt !== undefined) return look('waits to retry', 'again', 'held')
  if (step.status === 'RUNNING' && step.waitingForManualCompletion === true)
    return look('waits for a person', 'person', 'human')
  if (step.status === 'RUNNING' && waits === 'time') return look('waits', 'clock', 'busy')
  return statusLook(step.status)
}
