/** Forged logs with a valid chain: their decisions reveal the forgery. */
import { describe, expect, it } from 'vitest'
import type { LogRecord } from '../../core/events/event.ts'
import type { Edit } from '../../../test/fixtures/reseal.ts'
import {
  at,
  changed,
  CONDITIONAL,
  flaky,
  forged,
  PARALLEL,
  RETRIED,
  SEQUENCE,
  told,
  verified,
  withPayload,
  without,
} from '../../../test/fixtures/told-run.ts'
import { planOf, World, type Script } from '../../../test/fixtures/virtual-world.ts'

describe('a forged log whose chain is whole', () => {
  it.each<readonly [string, string, Script, Edit, { runSeq: number; expected: string; found: string }]>([
    [
      'a start left out',
      SEQUENCE,
      {},
      without('StepStarted', 'b'),
      { runSeq: 5, expected: 'StepStarted b#1', found: 'nothing' },
    ],
    [
      'an end left out',
      SEQUENCE,
      {},
      without('RunCompleted'),
      { runSeq: 9, expected: 'RunCompleted RUN#1', found: 'nothing' },
    ],
    [
      'another order of starts',
      PARALLEL,
      {},
      (records) => {
        const [a, b] = [at(records, 'StepStarted', 'a'), at(records, 'StepStarted', 'b')]
        const first = records[a] as LogRecord
        const second = records[b] as LogRecord
        return records.map((one, index) =>
          index === a ? { ...second, runSeq: first.runSeq } : index === b ? { ...first, runSeq: second.runSeq } : one,
        )
      },
      { runSeq: 3, expected: 'StepStarted a#1', found: 'StepStarted b#1' },
    ],
    [
      'one start more than the limit allows',
      PARALLEL,
      {},
      (records) => {
        const b = at(records, 'StepStarted', 'b')
        const c = at(records, 'StepStarted', 'c')
        const moved = { ...(records[c] as LogRecord), decision: (records[b] as LogRecord).decision }
        return [...records.slice(0, b + 1), moved, ...records.slice(b + 1).filter((_, index) => index + b + 1 !== c)]
      },
      { runSeq: 5, expected: 'nothing', found: 'StepStarted c#1' },
    ],
    [
      'a retry promised too early',
      RETRIED,
      flaky,
      changed('StepFailed', 'a', withPayload({ retryAt: '2030-01-01T00:00:00.500Z' })),
      {
        runSeq: 4,
        expected: 'StepFailed a#1 with payload.retryAt = "2030-01-01T00:00:01.000Z"',
        found: 'StepFailed a#1 with payload.retryAt = "2030-01-01T00:00:00.500Z"',
      },
    ],
    [
      'a retry denied',
      RETRIED,
      flaky,
      changed('StepFailed', 'a', (record) => {
        const { retryAt: _retryAt, ...payload } = record.payload ?? {}
        return { ...record, payload: { ...payload, final: true } }
      }),
      {
        runSeq: 4,
        expected: 'StepFailed a#1 with payload.final = false',
        found: 'StepFailed a#1 with payload.final = true',
      },
    ],
    [
      'a retry before its time',
      RETRIED,
      flaky,
      (records) => {
        const early = '2030-01-01T00:00:00.400Z'
        const index = records.findIndex((one) => one.eventType === 'StepStarted' && one.logicalAttemptId === 2)
        return records.map((one, other) =>
          other === index ? { ...one, emittedAt: early, payload: { ...one.payload, startedAt: early } } : one,
        )
      },
      {
        runSeq: 5,
        expected: 'timer:retry:a:1 at 2030-01-01T00:00:01.000Z',
        found: 'timer:retry:a:1 at 2030-01-01T00:00:00.400Z',
      },
    ],
    [
      'a skip that nothing decided',
      SEQUENCE,
      {},
      changed('StepStarted', 'b', (record) => ({
        ...record,
        eventType: 'StepSkipped',
        emittedBy: 'engine',
        payload: { reason: 'condition of b is false', reasonCode: 'CONDITION_FALSE', skippedAt: record.emittedAt },
      })),
      { runSeq: 5, expected: 'StepStarted b#1', found: 'StepSkipped b#1' },
    ],
    [
      'a second result',
      SEQUENCE,
      {},
      (records) => {
        const index = at(records, 'StepCompleted', 'b')
        const copy = records[index] as LogRecord
        const decision = { firstSeq: 99, cause: 'outcome:b:2:1' }
        return [
          ...records.slice(0, index),
          { ...copy, runSeq: 99, logicalAttemptId: 2, decision },
          ...records.slice(index),
        ]
      },
      { runSeq: 6, expected: 'nothing', found: 'StepCompleted b#2' },
    ],
    [
      'a completion that did not wait for the last step',
      SEQUENCE,
      {},
      (records) => {
        const { decision } = records[at(records, 'StepCompleted', 'b')] as LogRecord
        const kept = records.filter((one) => one.stepId !== 'c')
        return kept.map((one) => (one.eventType === 'RunCompleted' ? { ...one, decision } : one))
      },
      { runSeq: 7, expected: 'StepStarted c#1', found: 'RunCompleted RUN#1' },
    ],
    [
      'another plan',
      SEQUENCE,
      {},
      changed('RunStarted', undefined, (record) => {
        const planRef = { ...(record.payload?.['planRef'] as object), sha256: 'b'.repeat(64) }
        return { ...record, payload: { ...record.payload, planRef } }
      }),
      { runSeq: 2, expected: `the plan ${planOf(SEQUENCE).sha256}`, found: `the plan ${'b'.repeat(64)}` },
    ],
    [
      'time that goes back',
      SEQUENCE,
      {},
      (records) =>
        records.map((one) =>
          one.decision.cause === 'outcome:b:1:1' ? { ...one, emittedAt: '2029-12-31T23:59:59.000Z' } : one,
        ),
      { runSeq: 6, expected: 'an instant not before 2030-01-01T00:00:00.000Z', found: '2029-12-31T23:59:59.000Z' },
    ],
  ])('is given away by its decisions: %s (I6)', async (_name, yaml, script, edit, difference) => {
    const story = await told(yaml, script)
    expect(verified(story).differences).toEqual([])
    const [first] = forged(story, edit).differences
    expect(first).toMatchObject({ code: 'DECISION_MISMATCH', ...difference })
  })

  it('is given away when a condition is told otherwise than it was decided (I6) [P-05]', async () => {
    const story = await told(CONDITIONAL, {}, { go: false })
    const edit = changed('StepSkipped', 'a', (record) => ({ ...record, data: { facts: { condition: true } } }))
    const [first] = forged(story, edit).differences
    expect(first).toMatchObject({ expected: 'StepStarted a#1', found: 'StepSkipped a#1' })
  })

  it('is given away when a signal is refused that the state allowed, or the other way round (I6)', async () => {
    const world = new World()
    const process = world.process('only', { script: { f: 'hold' } })
    const yaml = 'steps: [{ id: a, run: f }]'
    const key = await process.start(yaml)
    await process.signal(key, 'PAUSE')
    await process.signal(key, 'RESUME')
    await process.signal(key, 'RETRY_STEP', { stepId: 'a' })
    world.calls[0]?.resolve()
    await world.runUntil(() => world.hasEnded(key))
    const story = { world, key, records: world.records(key), yaml }
    expect(verified(story).differences).toEqual([])
    const refused = forged(story, (records) => {
      const index = at(records, 'SignalAccepted')
      const record = records[index] as LogRecord
      const { applied: _applied, ...payload } = record.payload ?? {}
      const reason = { decision: 'REJECTED', reasonCode: 'RUN_TERMINAL', reason: 'the run has ended' }
      const rejected = { ...record, eventType: 'SignalRejected', payload: { ...payload, ...reason } }
      return records.flatMap((one, other) =>
        other === index ? [rejected] : one.decision.cause === record.decision.cause ? [] : [one],
      )
    })
    expect(refused.differences[0]).toMatchObject({ expected: expect.stringMatching(/^SignalAccepted /) as unknown })
    const accepted = forged(
      story,
      changed('SignalRejected', undefined, (record) => {
        const { reasonCode: _code, reason: _reason, ...payload } = record.payload ?? {}
        const fields = { decision: 'ACCEPTED', applied: true, target: 'a' }
        return { ...record, eventType: 'SignalAccepted', payload: { ...payload, ...fields } }
      }),
    )
    expect(accepted.differences[0]).toMatchObject({ expected: expect.stringMatching(/^SignalRejected /) as unknown })
  })
})
