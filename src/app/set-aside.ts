/**
 * A run whose log or decision breaks a rule is set aside alone; everything else is for the caller to repeat (P-09).
 */
import { KeelsonError, type Problem } from '../core/problems/problem.ts'
import type { RunKey } from '../ports/run-store.ts'
import { damageTrouble, type TroubleParts } from './run-trouble.ts'

/** What only a defect or a damaged record can cause: repeating it would fail for ever. */
const BROKEN: ReadonlySet<string> = new Set([
  'INVALID_TRANSITION',
  'SCHEMA_VALIDATION_FAILED',
  'PAYLOAD_TOO_LARGE',
  'DECISION_DATA_TOO_LARGE',
  'RUN_QUARANTINED',
])

/** Undefined for what may go well another time. A store's failures are KeelsonErrors; these others are our own defects. */
export function brokenBy(thrown: unknown): string | undefined {
  if (thrown instanceof KeelsonError) return BROKEN.has(thrown.code) ? thrown.code : undefined
  const defect = thrown instanceof TypeError || thrown instanceof RangeError || thrown instanceof SyntaxError
  return defect ? 'INTERNAL' : undefined
}

/** The log itself cannot be read, or lacks what it must hold. */
export function isDamage(thrown: unknown): boolean {
  return thrown instanceof KeelsonError && thrown.code === 'RUN_QUARANTINED'
}

/** Throws RUN_QUARANTINED in the place of what was thrown, unless the run was set aside before. */
export async function setAside(parts: TroubleParts, runKey: RunKey, code: string, thrown: unknown): Promise<void> {
  const { store } = parts
  const row = await store.getRun(runKey)
  if (row === undefined || row.quarantine !== undefined) return
  await store.quarantine(runKey, code)
  const first = thrown instanceof KeelsonError ? thrown.problems[0] : undefined
  const why = first?.message ?? (thrown instanceof Error ? thrown.message : String(thrown))
  const { error } = await damageTrouble(parts, { ...row, quarantine: code }, why)
  const found = first?.details === undefined ? {} : { details: first.details }
  throw new KeelsonError([{ ...(error.problems[0] as Problem), ...found }], { cause: thrown })
}
