/**
 * A log decided again from itself and its plan: true logs follow, and decisions that cannot be repeated are reported
 * separately.
 */
import { describe, expect, it } from 'vitest'
import type { LogRecord } from '../../core/events/event.ts'
import type { RunKey } from '../../ports/run-store.ts'
import {
  changed,
  CONDITIONAL,
  flaky,
  forged,
  loaded,
  RETRIED,
  SEQUENCE,
  told,
  verified,
  type Told,
} from '../../../test/fixtures/told-run.ts'
import { World, type Script } from '../../../test/fixtures/virtual-world.ts'
import { verifyDecisions } from './verify-decisions.ts'

describe('every decision of a true log', () => {
  it.each([
    ['a sequence', SEQUENCE, {}, {}],
    ['a retry', RETRIED, flaky, {}],
    ['a false condition', CONDITIONAL, {}, { go: false }],
    ['a true condition', CONDITIONAL, {}, { go: true }],
    ['a bad expression', `steps: [{ id: a, run: f, forEach: 'input.go' }, { id: b, run: g }]`, {}, { go: 7 }],
    [
      'a fan-out',
      `steps: [{ id: a, run: f, forEach: 'input.list' }]\noutput: { all: '\${steps.a.output}' }`,
      {},
      { list: [1, 2, 3] },
    ],
    ['an empty fan-out', `steps: [{ id: a, run: f, forEach: 'input.list' }]`, {}, { list: [] }],
    [
      'a fallback',
      `steps: [{ id: a, run: bad, retry: { maxAttempts: 1 }, fallback: { run: f } }]`,
      { bad: () => Promise.reject(new Error('x')) },
      {},
    ],
    [
      'a compensation',
      `policy: { retry: { maxAttempts: 1 } }\nsteps: [{ id: a, run: f, compensate: { run: undo } }, { id: b, run: bad }]`,
      { bad: () => Promise.reject(new Error('x')) },
      {},
    ],
    ['a wait by expression', `steps: [{ id: w, wait: { forMs: '\${input.ms}' } }, { id: b, run: f }]`, {}, { ms: 70 }],
    [
      'dependents that cannot run',
      `policy: { onFailure: continue, retry: { maxAttempts: 1 } }\nsteps: [{ id: a, run: bad, dependsOn: [] }, { id: b, run: f, dependsOn: [a] }, { id: c, run: f, dependsOn: [] }]`,
      { bad: () => Promise.reject(new Error('x')) },
      {},
    ],
    [
      'a run that takes too long',
      `policy: { runTimeoutMs: 1000 }\nsteps: [{ id: a, run: slow }]`,
      { slow: 'hold' },
      {},
    ],
    ['a bad output mapping', `steps: [{ id: a, run: f }]\noutput: { x: '\${to_number(input)}' }`, {}, {}],
  ] as const)('follows: %s (I6)', async (_name, yaml, script, input) => {
    const story = await told(yaml, script as Script, input)
    const report = verified(story)
    expect(report.differences).toEqual([])
    expect(report.notDerivable).toEqual([])
    expect(report.erased).toEqual([])
    expect(report.rederived).toBe(report.decisions)
    expect(report.decisions).toBe(
      new Set(story.records.map((one) => `${one.decision.firstSeq} ${one.decision.cause}`)).size,
    )
  })

  it('follows over appends that were cut at 500 events, in any of them (I6) [P-11]', async () => {
    const list = Array.from({ length: 1300 }, (_, index) => index)
    const story = await told(
      `policy: { concurrency: 2000 }\nsteps: [{ id: s, forEach: 'input.list', run: f }]`,
      {},
      { list },
    )
    expect(story.records.some((one) => one.decision.cause.startsWith('cut:'))).toBe(true)
    const report = verified(story)
    expect(report.differences).toEqual([])
    expect(report.rederived).toBe(report.decisions)
  })

  it('follows over numbers that the store has thrown away, and over a new driver (I6) [P-27]', async () => {
    const world = new World({ burn: 3 })
    const first = world.process('first', { script: { f: 'hold' } })
    const yaml = 'steps: [{ id: a, run: f }, { id: b, run: g }]'
    const key = await first.start(yaml)
    await world.runUntil(() => world.calls.length === 1)
    first.kill()
    world.process('second', { adoptOthers: true })
    await world.runUntil(() => world.hasEnded(key))
    const records = world.records(key)
    expect(records.some((one) => one.payload?.['epoch'] === 2)).toBe(true)
    const report = verifyDecisions(records, loaded(yaml))
    expect(report.differences).toEqual([])
    expect(report.rederived).toBe(report.decisions)
  })
})

describe('a step that wants what other runs hold', () => {
  const yaml = `policy: { concurrency: 3, onFailure: continue }
steps:
  - { id: a, run: f, agent: one, if: 'input.go', dependsOn: [] }
  - { id: b, run: g, dependsOn: [] }
  - { id: c, run: f, agent: one, dependsOn: [b], retry: { maxAttempts: 2, initialBackoffMs: 100 } }
  - { id: d, run: h, resources: { gpu: 9 }, dependsOn: [b], fallback: { run: g } }`

  async function contended(): Promise<readonly Told[]> {
    const world = new World()
    const fails = new Set<string>()
    const f: NonNullable<Script['f']> = async ({ context }, { after }) => {
      await after(300)
      if (context.stepId === 'c' && !fails.has(context.runId) && fails.add(context.runId)) throw new Error('once')
    }
    const process = world.process('only', { script: { f, g: (_call, { after }) => after(50) } })
    await process.store.putPool({ pool: 'agent:one', capacity: 1 })
    await process.store.putPool({ pool: 'resource:gpu', capacity: 20 })
    const keys: RunKey[] = []
    for (let count = 0; count < 3; count += 1) keys.push(await process.start(yaml, { input: { go: true } }))
    // The deployment may shrink a pool while runs are active.
    await process.store.putPool({ pool: 'resource:gpu', capacity: 2 })
    await world.runUntil(() => keys.every((key) => world.hasEnded(key)))
    return keys.map((key) => ({ world, key, records: world.records(key), yaml }))
  }

  it('was held where it did not start, and every decision follows all the same (I6) [P-19]', async () => {
    const stories = await contended()
    expect(stories.some(({ records }) => records.some(({ decision }) => decision.cause.startsWith('grant:')))).toBe(
      true,
    )
    for (const story of stories) {
      const report = verified(story)
      expect(report.differences).toEqual([])
      expect(report.rederived).toBe(report.decisions)
    }
  })

  it('is not believed to have started without its units (I6) [P-18]', async () => {
    const [story] = await contended()
    const edit = changed('StepStarted', 'a', (record) => {
      const { grants: _grants, ...payload } = record.payload ?? {}
      return { ...record, payload }
    })
    const [first] = forged(story as Told, edit).differences
    expect(first?.expected).toBe('StepStarted a#1 with payload.grants = {"agent:one":1}')
  })
})

describe('what cannot be decided again', () => {
  it('is told apart: erased data, events of a later version, rules of a later version, imports [P-34, EVT-27]', async () => {
    const story = await told(
      `steps: [{ id: a, run: f, if: 'input.go' }, { id: w, wait: { forMs: '\${input.ms}' } }]`,
      {},
      { go: true, ms: 5 },
    )
    const gone = story.records.map(({ data: _data, salt: _salt, ...record }) => record)
    const erased = verifyDecisions(gone, loaded(story.yaml))
    expect(erased.differences).toEqual([])
    expect(erased.rederived).toBe(erased.decisions)
    expect(erased.erased.length).toBeGreaterThan(2)
    const decisionOf = (record: LogRecord | undefined, eventType: string, cause: string): LogRecord => ({
      ...(record as LogRecord),
      eventType,
      decision: { firstSeq: record?.runSeq ?? 0, cause },
    })
    const last = story.records.at(-1) as LogRecord
    const next = { ...last, runSeq: last.runSeq + 1 }
    const foreign = verifyDecisions([...story.records, decisionOf(next, 'FutureEvent', 'future')], loaded(story.yaml))
    expect(foreign.differences).toEqual([])
    expect(foreign.notDerivable).toEqual([
      { runSeq: next.runSeq, why: `'FutureEvent' is not an event this version knows` },
    ])
    const newer = story.records.map((one) =>
      one.eventType === 'RunStarted' ? { ...one, payload: { ...one.payload, rulesVersion: 1000 } } : one,
    )
    const ruled = verifyDecisions(newer, loaded(story.yaml))
    expect(ruled.differences).toEqual([])
    expect(ruled.rederived).toBe(1)
    expect(ruled.notDerivable[0]?.why).toMatch(/rules version 1000/)
    const imported = story.records.map((one) => decisionOf(one, one.eventType, 'append'))
    const outside = verifyDecisions(imported, loaded(story.yaml))
    expect(outside.notDerivable).toHaveLength(story.records.length)
    expect(outside.differences).toEqual([])
  })
})
