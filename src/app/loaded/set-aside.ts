/**
 * A run whose log or decision breaks a rule is set aside alone; every other failure is for the caller to repeat (P-09).
 */
import { KeelsonError } from '../../core/problems/problem.ts'
import type { RunKey } from '../../ports/run-store.ts'
import { KILLS_PROCESS } from '../../core/engine/last-words.ts'
import { damageTrouble, type TroubleParts } from './run-trouble.ts'

/** Only a defect or a damaged record causes these: repeating would fail for ever. */
const BROKEN: ReadonlySet<string> = new Set([
  'INVALID_TRANSITION',
  'SCHEMA_VALIDATION_FAILED',
  'PAYLOAD_TOO_LARGE',
  'DECISION_DATA_TOO_LARGE',
  'RUN_QUARANTINED',
  KILLS_PROCESS,
])

/**
 * Undefined for a failure that may succeed another time. A store's failures are KeelsonErrors; other errors are our own
 * defects.
 */
export function brokenBy(thrown: unknown): string | undefined {
  if (thrown instanceof KeelsonError) return BROKEN.has(thrown.code) ? thrown.code : undefined
  const defect = thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof SyntaxError
  return defect ? 'INTERNAL' : undefined
}

/** The log itself cannot be read, or lacks a required part. */
export function isDamage(thrown: unknown): boolean {
  return thrown instanceof KeelsonError && thrown.code === 'RUN_QUARANTINED'
}

/** Throws RUN_QUARANTINED instead of the original error, unless the run was set aside before. */
export async function setAside(parts: TroubleParts, runKey: RunKey, code: string, thrown: unknown): Promise<void> {
  const { store } = parts
  const row = await store.getRun(runKey)
  if (row === undefined || row.quarantine !== undefined) return
  await store.quarantine(runKey, code)
  const first = thrown instanceof KeelsonError ? thrown.problems[0] : undefined
  const why = first?.message ?? (thrown instanceof Error ? thrown.message : String(thrown))
  const { error } = await damageTrouble(parts, { ...row, quarantine: code }, why)
  const found = first?.details === undefined ? {} : { details: first.details }
  throw new KeelsonError([{ ...error.problems[0], ...found }], { cause: thrown })
}
