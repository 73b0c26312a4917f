/**
 * The bytes that somebody says a plan was made of, held against the run: they must be those on record, and read again they must
 * give its plan. Bytes that are not those on record are not read.
 */
import { ORIGINS, type Origin } from '../../core/plan/import/origin.ts'
import type { PlanSource } from '../../core/run/input.ts'
import type { Result } from '../../core/result.ts'
import { sourceOf } from '../plans/plan-source.ts'
import type { EvidenceFinding } from '../sides/finding.ts'

export interface SourceProof {
  /** Of the given bytes. */
  readonly sha256: string
  /** The run says which bytes they were; otherwise only the plan that they give can be compared. */
  readonly onRecord: boolean
  /** They were read again, and compared with the plan. */
  readonly remade: boolean
}

export interface MadeOf {
  readonly planSha256: string
  readonly planSource?: PlanSource
}

export interface SourceReport {
  readonly source: SourceProof
  readonly findings: readonly EvidenceFinding[]
}

export type Remake = (bytes: Uint8Array, from: Origin | undefined) => Promise<Result<{ readonly sha256: string }>>

export async function checkSource(
  { planSha256, planSource }: MadeOf,
  bytes: Uint8Array,
  remake: Remake,
): Promise<SourceReport> {
  const { sha256 } = sourceOf(bytes)
  const proof = { sha256, onRecord: planSource !== undefined, remade: false }
  if (planSource !== undefined && planSource.sha256 !== sha256)
    return { source: proof, findings: [other(`the plan was made of ${planSource.sha256}; these bytes are ${sha256}`)] }
  // Its capability matrices decide too, and are not on record.
  if (planSource?.from === 'portarium') return { source: proof, findings: [] }
  const made = await remake(
    bytes,
    ORIGINS.find((one) => one === planSource?.from),
  )
  const source = { ...proof, remade: true }
  if (!made.ok) {
    const [first] = made.problems
    return { source, findings: [other(`the bytes ${sha256} are not a plan: ${first?.message ?? ''}`)] }
  }
  if (made.value.sha256 === planSha256) return { source, findings: [] }
  return { source, findings: [other(`the run has the plan ${planSha256}; these bytes give ${made.value.sha256}`)] }
}

function other(message: string): EvidenceFinding {
  return { code: 'PLAN_INTEGRITY_VALIDATION_FAILED', message }
}
