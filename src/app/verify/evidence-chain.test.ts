import { describe, expect, it } from 'vitest'
import { at } from '../../../test/fixtures/log-builder.ts'
import { started } from '../../../test/fixtures/seen-run.ts'
import { evidenceOf, type EvidenceEntry } from '../../core/view/show/evidence.ts'
import { chainEvidence, checkEvidence, type ChainedEvidence } from './evidence-chain.ts'

function entries(): readonly EvidenceEntry[] {
  return evidenceOf(
    started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepFailed', { stepId: 'a', payload: { final: false } })
      .add('StepStarted', { stepId: 'a', attempt: 2 })
      .add('StepCompleted', { stepId: 'a', attempt: 2 })
      .add('RunCompleted').records,
  )
}
function changed(
  chain: readonly ChainedEvidence[],
  index: number,
  change: Partial<ChainedEvidence>,
): readonly ChainedEvidence[] {
  return chain.map((one, i) => (i === index ? { ...one, ...change } : one))
}

describe('an evidence chain', () => {
  it('checks out as it was written, also when it was continued [GRF-17]', () => {
    const chain = chainEvidence(entries())
    expect(chain).toHaveLength(4)
    expect(checkEvidence(chain)).toEqual([])
    const first = chainEvidence(entries().slice(0, 2))
    expect([...first, ...chainEvidence(entries().slice(2), first.at(-1))]).toEqual(chain)
  })

  it('shows where an entry was changed [GRF-17]', () => {
    const chain = chainEvidence(entries())
    expect(checkEvidence(changed(chain, 1, { outcome: 'Failed' }))).toEqual([{ index: 1, kind: 'hash_mismatch' }])
  })

  it('shows where entries were moved or removed [GRF-17]', () => {
    const [a, b, c, d] = chainEvidence(entries()) as [
      ChainedEvidence,
      ChainedEvidence,
      ChainedEvidence,
      ChainedEvidence,
    ]
    const moved = checkEvidence([a, c, b, d])
    expect(moved.map((one) => one.kind)).toContain('chain_break')
    expect(moved.filter((one) => one.kind === 'chain_break').map((one) => one.index)).toEqual([1, 2, 3])
    expect(checkEvidence([a, b, d])).toEqual([{ index: 2, kind: 'chain_break' }])
    expect(checkEvidence([b, c, d])).toEqual([{ index: 0, kind: 'chain_break' }])
  })

  it('shows an entry that was back-dated, even when its author chained it anew [GRF-17]', () => {
    const dated = entries().map((one, i) => (i === 2 ? { ...one, recordedAtIso: at(0) } : one))
    expect(checkEvidence(chainEvidence(dated))).toEqual([{ index: 2, kind: 'timestamp_not_monotonic' }])
  })
})
