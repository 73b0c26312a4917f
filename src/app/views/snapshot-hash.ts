/**
 * The hash of a snapshot (PRJ-24): SHA-256 over its RFC 8785 text, so that equal logs give equal hashes in any process.
 * Numbers without a JSON form are refused.
 */
import type { RunSnapshot } from '../../core/view/fold/run-snapshot.ts'
import { canonicalText } from '../log/canonical.ts'
import { sha256Hex } from '../log/sha256.ts'

export function snapshotHash(snapshot: RunSnapshot): string {
  return sha256Hex(canonicalText(snapshot))
}
