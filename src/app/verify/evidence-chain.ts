/**
 * Evidence chained by hashes (GRF-17): each entry carries the SHA-256 of its RFC 8785 text without the hash itself, and
 * the hash of the entry before it. The check names every place where an entry was changed, moved, removed or back-dated.
 */
import type { EvidenceEntry } from '../../core/view/show/evidence.ts'
import { msFromIso } from '../../core/time.ts'
import { canonicalText } from '../log/canonical.ts'
import { sha256Hex } from '../log/sha256.ts'

export interface ChainedEvidence extends EvidenceEntry {
  /** Absent on the first entry. */
  readonly previousHash?: string
  readonly hashSha256: string
}

export interface EvidenceFinding {
  readonly index: number
  readonly kind: 'hash_mismatch' | 'chain_break' | 'timestamp_not_monotonic'
}

/** `after` is the last entry already chained, when the chain goes on. */
export function chainEvidence(entries: readonly EvidenceEntry[], after?: ChainedEvidence): readonly ChainedEvidence[] {
  const chain: ChainedEvidence[] = []
  let previousHash = after?.hashSha256
  for (const entry of entries) {
    const linked = { ...entry, ...(previousHash === undefined ? {} : { previousHash }) }
    previousHash = hashOf(linked)
    chain.push({ ...linked, hashSha256: previousHash })
  }
  return chain
}

export function checkEvidence(chain: readonly ChainedEvidence[]): readonly EvidenceFinding[] {
  return chain.flatMap((entry, index) => {
    const before = chain[index - 1]
    const { hashSha256, ...hashed } = entry
    const kinds: EvidenceFinding['kind'][] = []
    if (hashOf(hashed) !== hashSha256) kinds.push('hash_mismatch')
    if (entry.previousHash !== before?.hashSha256) kinds.push('chain_break')
    if (before !== undefined && isBefore(entry.recordedAtIso, before.recordedAtIso))
      kinds.push('timestamp_not_monotonic')
    return kinds.map((kind) => ({ index, kind }))
  })
}

function hashOf(entry: object): string {
  return sha256Hex(canonicalText(entry))
}

function isBefore(one: string, other: string): boolean {
  return (msFromIso(one) ?? 0) < (msFromIso(other) ?? 0)
}
