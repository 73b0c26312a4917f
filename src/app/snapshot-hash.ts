/**
 * The hash of a snapshot (PRJ-24): SHA-256 over its RFC 8785 text, so that equal logs give equal hashes in any process.
 * Numbers that JSON cannot say are refused.
 */
import type { RunSnapshot } from '../core/view/run-snapshot.ts'
import { canonicalText } from './canonical.ts'
import { sha256Hex } from './sha256.ts'

export function snapshotHash(snapshot: RunSnapshot): string {
  return sha256Hex(canonicalText(snapshot))
}
