import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import vectors from '../../../test/golden/keys.json' with { type: 'json' }
import { isKeySafe, keyText, keyTextV2, type KeyParts } from './event-key.ts'

const sha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex')

describe('the idempotency key', () => {
  it.each(vectors.v1)('$text has its published digest [IDM-01, IDM-02, IDM-05]', ({ text, key, ...parts }) => {
    expect(keyText(parts)).toBe(text)
    expect(sha256(keyText(parts))).toBe(key)
  })

  it('says RUN and 1 where a run-level event has neither step nor attempt [IDM-02]', () => {
    expect(keyText({ runId: 'r', eventType: 'RunStarted', planVersion: '1' })).toBe('r|RUN|1|RunStarted|1')
  })

  it('joins five parts in UTF-8 with bare bars and plain decimals [IDM-01]', () => {
    const parts: KeyParts = { runId: 'ré', slot: 'a[10]', attempt: 12, eventType: 'StepStarted', planVersion: 'v 1' }
    expect(keyText(parts)).toBe('ré|a[10]|12|StepStarted|v 1')
    expect(sha256(keyText(parts))).toMatch(/^[a-f0-9]{64}$/)
  })

  it('keeps its digest whatever the engine attempt, the scope and the times are [IDM-03]', () => {
    const parts: KeyParts = {
      runId: 'run-001',
      slot: 'model.orders',
      attempt: 1,
      eventType: 'StepStarted',
      planVersion: '1.2.0',
    }
    const others = [
      { engineAttemptId: 7 },
      { tenantId: 'other' },
      { projectId: 'other' },
      { environmentId: 'other' },
      { emittedAt: '2030-01-01T00:00:00Z' },
      { occurredAt: '2030-01-01T00:00:00Z' },
      { persistedAt: '2030-01-01T00:00:00Z' },
    ]
    for (const other of others) expect(keyText({ ...parts, ...other })).toBe(keyText(parts))
  })

  it('changes with each of its five parts [IDM-01]', () => {
    const parts: KeyParts = { runId: 'r', slot: 'a', attempt: 1, eventType: 'StepStarted', planVersion: '1' }
    const changed = [
      { ...parts, runId: 'R' },
      { ...parts, slot: 'A' },
      { ...parts, attempt: 2 },
      { ...parts, eventType: 'StepFailed' },
      { ...parts, planVersion: '01' },
    ]
    expect(new Set([parts, ...changed].map(keyText)).size).toBe(6)
  })

  it.each(vectors.v2)('has its six-part form only where it is asked for: $text', ({ text, key, ...parts }) => {
    expect(keyTextV2(parts)).toBe(text)
    expect(sha256(keyTextV2(parts))).toBe(key)
    expect(keyText(parts)).not.toBe(text)
  })

  it('takes no identifier that is empty or could be mistaken for two', () => {
    expect(['run-1', 'a.b-c_d', 'SIGNAL:x', 'é'].every(isKeySafe)).toBe(true)
    expect(['', '|', 'a|b', 'a|'].some(isKeySafe)).toBe(false)
  })
})
