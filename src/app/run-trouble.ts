/**
 * Runs whose log cannot be used as others' can: archived, so that a row is left of them, or set aside because something
 * stored does not fit. Whoever takes a run from outside asks here, so that every call gives the same answer: what it is,
 * why, and what can be done.
 */
import { KeelsonError, problem } from '../core/problems/problem.ts'
import { isoFromMs } from '../core/time.ts'
import type { RunRow, RunStore } from '../ports/run-store.ts'
import type { PlanShelf } from './load-plan.ts'
import { bundleName } from './run-bundle.ts'
import { readSoundLog } from './sound-log.ts'

export interface RunTrouble {
  /** RUN_ARCHIVED or RUN_QUARANTINED. */
  readonly error: KeelsonError
  /** Number of the last event that can still be read and trusted; 0 when there is none. */
  readonly soundSeq: number
}

export interface TroubleParts {
  readonly store: RunStore
  readonly plans: PlanShelf
}

/** Undefined for a run that can be used. */
export async function troubleOf({ store, plans }: TroubleParts, row: RunRow): Promise<RunTrouble | undefined> {
  if (row.archivedAt !== undefined) return { error: archivedError(row), soundSeq: 0 }
  return row.quarantine === undefined ? undefined : damageTrouble({ store, plans }, row)
}

/** Throws what `troubleOf` tells. */
export async function needUsable(parts: TroubleParts, row: RunRow): Promise<void> {
  const trouble = await troubleOf(parts, row)
  if (trouble !== undefined) throw trouble.error
}

export function archivedError(row: RunRow): KeelsonError {
  const { runId, status, archivedAt, archivedTo } = row
  const at = isoFromMs(archivedAt ?? 0)
  const where = archivedTo === undefined ? `is called ${bundleName(row)}` : `is ${archivedTo}`
  const message = `run ${runId} ended ${status} and was archived on ${at}; its bundle ${where}`
  const details = { runId, status, archivedAt: at, ...(archivedTo === undefined ? {} : { bundle: archivedTo }) }
  return new KeelsonError([problem('RUN_ARCHIVED', message, { details })])
}

const REGRESSED = 'its engine has seen more of it than is stored here; the store was put back to an earlier state'
const UNDAMAGED = 'nothing in it is damaged, but this version could not go on from its end'

/** What is wrong with a run that cannot be driven. `why`: what was found then, where the log itself does not show it. */
export async function damageTrouble({ store, plans }: TroubleParts, row: RunRow, why?: string): Promise<RunTrouble> {
  const { seq, damage, plan } = await readSoundLog(store, plans, row)
  const { quarantine: code } = row
  const reason = damage ?? why ?? (code === 'LOG_REGRESSED' ? REGRESSED : UNDAMAGED)
  const sound = seq === 0 ? 'no event of it is sound' : `it is sound up to event ${seq}`
  const canFork = seq > 0 && plan !== undefined
  const hint = canFork ? `to go on from there: keelson fork ${row.runId} --at ${seq}` : undefined
  const fate = code === undefined ? 'cannot be used' : `was set aside${code === 'RUN_QUARANTINED' ? '' : ` (${code})`}`
  const message = `run ${row.runId} ${fate}: ${reason}; ${sound}`
  const details = { runId: row.runId, soundSeq: seq, canFork, ...(code === undefined ? {} : { code }) }
  const error = new KeelsonError([
    problem('RUN_QUARANTINED', message, { details, ...(hint === undefined ? {} : { hint }) }),
  ])
  return { error, soundSeq: seq }
}
