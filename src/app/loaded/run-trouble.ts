/**
 * Runs whose log cannot be used normally: archived, so that only a row is left, or set aside because stored data does
 * not fit. Every call from outside asks here, so that all give the same answer: what it is, why, and what can be done.
 */
import { isForeign } from '../../core/engine/engine-type.ts'
import { fail, KeelsonError, problem } from '../../core/problems/problem.ts'
import { isoFromMs } from '../../core/time.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { fatalText, KILLS_PROCESS } from '../../core/engine/last-words.ts'
import type { PlanShelf } from '../plans/load.ts'
import { bundleName } from '../log/run-bundle.ts'
import { readSoundLog } from './sound-log.ts'

export interface RunTrouble {
  /** RUN_ARCHIVED or RUN_QUARANTINED. */
  readonly error: KeelsonError
  /** Number of the last event that can be read and trusted; 0 when there is none. */
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

/** Throws the error of `troubleOf`; and of a run that was imported, which can be read and not moved. */
export async function needUsable(parts: TroubleParts, row: RunRow): Promise<void> {
  if (isForeign(row)) fail('RUN_FOREIGN', `the log of run ${row.runId} was imported; nobody drives it here`)
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

/**
 * What is wrong with a run that cannot be driven. `why`: what was found at that time, where the log itself does not
 * show it.
 */
export async function damageTrouble({ store, plans }: TroubleParts, row: RunRow, why?: string): Promise<RunTrouble> {
  // Folding the run is what killed the processes that tried.
  if (row.quarantine === KILLS_PROCESS) return fatalTrouble(row)
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

/** For a caller that saw the damage: it is reported, although the run was set aside because it killed its processes. */
export function withDamage(row: RunRow): RunRow {
  return row.quarantine === KILLS_PROCESS ? { ...row, quarantine: 'RUN_QUARANTINED' } : row
}

/** No damage is known, and everything stored can be read. */
function fatalTrouble(row: RunRow): RunTrouble {
  const { runId, diedDoing = [] } = row
  const soundSeq = row.nextSeq - 1
  const message = `run ${runId} was set aside (${KILLS_PROCESS}): ${fatalText(row)}`
  const hint = `with more memory (NODE_OPTIONS=--max-old-space-size=…), or a version that mends it: keelson resume ${runId} --retry; or likewise in a new run, from any event of its log: keelson fork ${runId} --at ${soundSeq}`
  const details = { runId, soundSeq, canFork: soundSeq > 0, code: KILLS_PROCESS, diedDoing }
  return { error: new KeelsonError([problem('RUN_QUARANTINED', message, { details, hint })]), soundSeq }
}
