/**
 * The status of a run as engines report it (ENG-07): folded from the log alone. The provider may add a substatus, never
 * a status. The five canonical words are bare; every other word carries its engine (ENG-08).
 */
import { isTerminalRun, type RunStatus } from '../run/state/transitions.ts'
import type { RunSnapshot } from '../view/fold/run-snapshot.ts'

export interface RunStatusSnapshot {
  readonly runId: string
  readonly status: RunStatus
  readonly substatus?: string
  readonly message?: string
  readonly startedAt?: string
  /** Only for a run that has ended. */
  readonly completedAt?: string
}

export const CANONICAL_SUBSTATUSES = [
  'DRAINING',
  'RETRYING',
  'CONTINUE_AS_NEW',
  'WAITING_APPROVAL',
  'RECOVERING',
] as const

const CUSTOM = /^(?:embedded|temporal|conductor|mock)\/([A-Z][A-Z0-9_]*)$/

/** A custom word must not equal a canonical one. */
export function isSubstatus(word: string): boolean {
  if (isCanonical(word)) return true
  const custom = CUSTOM.exec(word)?.[1]
  return custom !== undefined && !isCanonical(custom)
}

export function statusSnapshot(run: RunSnapshot): RunStatusSnapshot {
  const { runId, status, substatus, message, startedAt, completedAt } = run
  return {
    runId,
    status,
    ...(substatus === undefined ? {} : { substatus }),
    ...(message === undefined ? {} : { message }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(completedAt === undefined || !isTerminalRun(status) ? {} : { completedAt }),
  }
}

/**
 * A canonical substatus from the log wins; the provider's word comes before an engine's own. An ended run has neither.
 */
export function withSubstatus(run: RunStatusSnapshot, seen: string | undefined): RunStatusSnapshot {
  if (seen === undefined || !isSubstatus(seen) || isTerminalRun(run.status)) return run
  if (run.substatus !== undefined && (isCanonical(run.substatus) || !isCanonical(seen))) return run
  const { message: _message, ...rest } = run
  return { ...rest, substatus: seen }
}

function isCanonical(word: string): boolean {
  return (CANONICAL_SUBSTATUSES as readonly string[]).includes(word)
}
