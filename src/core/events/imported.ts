/**
 * How a log says that it was imported: each event names the import as the cause of its decision, and with it the formula of its
 * key. A run has one formula, so events of two are never mixed.
 */
import type { Decision } from './event.ts'

/** `v1` has five parts; `v2` has the plan's id as a sixth (IDM-06). */
export const KEY_VERSIONS = ['v1', 'v2'] as const
export type KeyVersion = (typeof KEY_VERSIONS)[number]

const CAUSES: Readonly<Record<KeyVersion, string>> = { v1: 'import', v2: 'import:v2' }

export function importCause(version: KeyVersion): string {
  return CAUSES[version]
}

interface Decided {
  readonly decision: Decision
}

export function isImported({ decision }: Decided): boolean {
  return decision.cause === CAUSES.v1 || decision.cause === CAUSES.v2
}

/** All of it: an event that our decider made must not escape the check of its decision behind an imported one. */
export function isImportedLog(records: readonly Decided[]): boolean {
  return records.length > 0 && records.every(isImported)
}

export function keyVersionOf({ decision }: Decided): KeyVersion {
  return decision.cause === CAUSES.v2 ? 'v2' : 'v1'
}
