import { describe, expect, it } from 'vitest'
import { stepIdempotencyKey } from './step-idempotency-key.ts'

const PARTS = { workflowId: 'wf-1', stepId: 's1', executionId: 'ex-1', input: { b: 2, a: 1 } }
const { token } = stepIdempotencyKey(PARTS)

describe('the key a step hands to the outside', () => {
  it('is the hash of the four names with the hash of the canonical input [IDC-05]', () => {
    expect(stepIdempotencyKey(PARTS)).toEqual({
      inputHash: '43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777',
      token: '766f43b553e19a2e2c4ad05f2a456efe62f9489f959a38e2de14cad74d664600',
    })
  })

  it('does not depend on the order of keys in the input [IDC-05]', () => {
    expect(stepIdempotencyKey({ ...PARTS, input: { a: 1, b: 2 } }).token).toBe(token)
    const nested = { x: [{ p: 1, q: null }], y: 'é' }
    expect(stepIdempotencyKey({ ...PARTS, input: nested })).toEqual(
      stepIdempotencyKey({ ...PARTS, input: { y: 'é', x: [{ q: null, p: 1 }] } }),
    )
  })

  it('changes with the input, the step, the run, the plan and a fresh key, and with nothing else [X-66]', () => {
    const others = [
      { ...PARTS, input: { a: 1 } },
      { ...PARTS, stepId: 's1[0]' },
      { ...PARTS, executionId: 'ex-2' },
      { ...PARTS, workflowId: 'wf-2' },
      { ...PARTS, freshKey: 'sig-1' },
      { ...PARTS, freshKey: 'sig-2' },
    ].map((parts) => stepIdempotencyKey(parts).token)
    expect(new Set([token, ...others]).size).toBe(others.length + 1)
    expect(stepIdempotencyKey({ ...PARTS }).token).toBe(token)
    expect(token).toMatch(/^[a-f0-9]{64}$/)
  })
})
