/** A proof of a run, and of the bytes that its plan is said to be made of, where somebody brought them. */
import { checkSource, type SourceProof } from '../../app/verify/check-source.ts'
import type { EvidenceFinding } from '../../app/sides/finding.ts'
import type { Origin } from '../../core/plan/import/origin.ts'
import type { PlanSource } from '../../core/run/input.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import { ok, refusedFor, type Result } from '../../core/result.ts'
import { readSourceAside } from './compile-apart.ts'

interface Proved {
  readonly planSource?: PlanSource
  readonly source?: SourceProof
  readonly findings?: readonly EvidenceFinding[]
}

export async function withSource<P extends Proved>(
  proof: P,
  planSha256: string,
  given: string | Uint8Array | undefined,
): Promise<P> {
  if (given === undefined) return proof
  const bytes = typeof given === 'string' ? Buffer.from(given) : given
  const { source, findings } = await checkSource({ ...proof, planSha256 }, bytes, remake)
  const all = [...(proof.findings ?? []), ...findings]
  return { ...proof, source, ...(all.length === 0 ? {} : { findings: all }) }
}

/** What is packed says so in its first two bytes. */
async function remake(bytes: Uint8Array, from: Origin | undefined): Promise<Result<{ readonly sha256: string }>> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
  try {
    const read = await readSourceAside(bytes, isPacked ? 'gzip' : 'none', from === undefined ? {} : { from })
    return read.ok ? ok(read.value.compiled) : read
  } catch (thrown) {
    if (thrown instanceof KeelsonError) return refusedFor(thrown.problems)
    throw thrown
  }
}
