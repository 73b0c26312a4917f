/** Values on their way through a run: inputs, outputs, captures, conditions, with the real engine and store. */
import { describe, expect, it } from 'vitest'
import type { LogRecord } from '../../src/core/events/event.ts'
import { World, type Script } from '../fixtures/virtual-world.ts'
import { stepSlotOf } from '../../src/core/events/slot-of.ts'

async function ran(plan: string, script: Script, input: unknown = {}) {
  const world = new World()
  const process = world.process('p', { script })
  const run = await process.start(plan, { input })
  await world.runUntil(() => world.hasEnded(run))
  const records = world.records(run)
  const of = (eventType: string, stepId?: string): LogRecord | undefined =>
    records.findLast(
      (record) => record.eventType === eventType && (stepId === undefined || stepSlotOf(record) === stepId),
    )
  const context = async (): Promise<Record<string, unknown>> => {
    const rows = await process.store.readContext(run, Number.MAX_SAFE_INTEGER)
    return Object.fromEntries([...rows].map(([variable, value]) => [variable, JSON.parse(value) as unknown]))
  }
  return { world, run, row: world.row(run), records, of, context }
}

describe('an input', () => {
  const strict = 'inputSchema: { type: object, required: [n], properties: { n: { type: integer } } }'

  it('that does not fit its schema fails the step before its handler is called, and is not retried [DFL-02, P-44]', async () => {
    const { world, records, row, of } = await ran(
      `steps: [{ id: a, run: f, with: { n: '\${input.n}' }, ${strict} }]`,
      {},
      { n: 'many' },
    )
    expect(world.calls).toEqual([])
    expect(records.map(({ eventType }) => eventType)).toEqual([
      'RunApproved',
      'RunStarted',
      'StepStarted',
      'StepFailed',
      'RunFailed',
    ])
    expect(of('StepFailed')?.payload).toMatchObject({
      final: true,
      error: { code: 'INPUT_INVALID', errorClass: 'validation', retryable: false },
    })
    expect(row.status).toBe('FAILED')
  })

  it('that fits is handed over as it is [DFL-02]', async () => {
    const { world, row } = await ran(`steps: [{ id: a, run: f, with: { n: '\${input.n}' }, ${strict} }]`, {}, { n: 3 })
    expect([world.calls[0]?.input, row.status]).toEqual([{ n: 3 }, 'COMPLETED'])
  })

  it('comes from a literal, from the context, or from the step before, with or without a transform [DFL-01]', async () => {
    const { world } = await ran(
      `context: { list: [3, 1, 2] }
steps:
  - { id: a, run: first }
  - id: b
    run: read
    with: { literal: 7, whole: '\${context.list}', sorted: '\${sort(context.list)}', before: '\${previous}', part: '\${previous.items[0].name}' }`,
      { first: () => ({ items: [{ name: 'x' }] }) },
    )
    expect(world.calls[1]?.input).toEqual({
      literal: 7,
      whole: [3, 1, 2],
      sorted: [1, 2, 3],
      before: { items: [{ name: 'x' }] },
      part: 'x',
    })
  })

  it('of the run is data of its first event, and a large one lies beside the log [P-43]', async () => {
    const small = await ran("steps: [{ id: a, run: f, with: { n: '${input.n}' } }]", {}, { n: 5 })
    expect([small.records[0]?.data, small.world.calls[0]?.input]).toEqual([{ input: { n: 5 } }, { n: 5 }])
    const text = 'x'.repeat(70_000)
    const large = await ran("steps: [{ id: a, run: f, with: { size: '${length(input.text)}' } }]", {}, { text })
    expect(large.records[0]?.data).toBeUndefined()
    expect(large.world.calls[0]?.input).toEqual({ size: 70_000 })
  })
})

describe('an output', () => {
  const plan = `
context: { total: 1 }
steps:
  - id: a
    run: f
    outputSchema: { type: object, required: [total], properties: { total: { type: integer } } }
    capture: [{ destination: total, transform: total }]
  - { id: b, run: g, with: { total: '\${context.total}' } }`

  it('that does not fit its schema fails the step after one execution and leaves the context alone [DFL-04]', async () => {
    const { world, of, context, row } = await ran(plan, { f: () => ({ total: 'much' }) })
    expect(world.called()).toEqual(['a#1/1'])
    expect(of('StepFailed', 'a')?.payload).toMatchObject({
      final: true,
      error: { code: 'OUTPUT_INVALID', errorClass: 'validation' },
    })
    expect([of('StepCompleted'), await context(), row.status]).toEqual([undefined, {}, 'FAILED'])
  })

  it('that fits is released to the next step [DFL-04]', async () => {
    const { world } = await ran(plan, { f: () => ({ total: 4 }) })
    expect(world.calls[1]?.input).toEqual({ total: 4 })
  })

  it('is data.result of its StepCompleted, or a blob named there when it is large [P-43]', async () => {
    const text = 'y'.repeat(70_000)
    const { of, world } = await ran(
      "steps: [{ id: a, run: f }, { id: b, run: g }, { id: c, run: h, with: { size: '${length(steps.b.output)}' } }]",
      {
        f: () => ({ small: true }),
        g: () => text,
      },
    )
    expect(of('StepCompleted', 'a')?.data).toEqual({ result: { small: true } })
    expect(of('StepCompleted', 'b')?.payload?.['resultRef']).toMatchObject({ sizeBytes: 70_002 })
    expect(of('StepCompleted', 'b')?.data).toBeUndefined()
    expect(world.calls[2]?.input).toEqual({ size: 70_000 })
  })

  it('of the run is a fact of its end [P-43]', async () => {
    const { of } = await ran("output: { sum: '${steps.a.output.n}' }\nsteps: [{ id: a, run: f }]", {
      f: () => ({ n: 9 }),
    })
    expect(of('RunCompleted')?.data).toEqual({ output: { sum: 9 } })
  })

  it('of a failed step reads as null in a sequence that goes on [GRF-03, X-58, P-46]', async () => {
    const { world } = await ran(
      "policy: { onFailure: continue }\nsteps: [{ id: a, run: f, retry: { maxAttempts: 1 } }, { id: b, run: g, with: { got: '${steps.a.output}' } }]",
      {
        f: () => Promise.reject(new Error('x')),
      },
    )
    expect(world.calls.find(({ name }) => name === 'g')?.input).toEqual({ got: null })
  })
})

describe('the context', () => {
  it('grows step by step: each step of a chain reads what the earlier ones left [DFL-06]', async () => {
    const { world, context } = await ran(
      `steps:
  - { id: a, run: f, with: { n: 1 }, capture: [{ destination: trail.a }] }
  - { id: b, run: f, with: { n: '\${context.trail.a.n}' }, capture: [{ destination: trail.b }] }
  - { id: c, run: f, with: { n: '\${context.trail.b.n}', first: '\${steps.a.output.n}' }, capture: [{ destination: trail.c }] }`,
      { f: ({ input }) => ({ n: (input as { n: number }).n + 1 }) },
    )
    expect(world.calls.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }, { n: 3, first: 2 }])
    expect(await context()).toEqual({ trail: { a: { n: 2 }, b: { n: 3 }, c: { n: 4 } } })
  })

  it('is a fold of the log: each StepCompleted names the path, the mode and the value it wrote [P-16]', async () => {
    const { of } = await ran(
      'steps: [{ id: a, run: f, capture: [{ destination: seen, merge: append }, { destination: last.name, transform: name }] }]',
      {
        f: () => ({ name: 'x' }),
      },
    )
    expect(of('StepCompleted')?.payload?.['captures']).toEqual([
      { path: 'seen', mode: 'append' },
      { path: 'last.name', mode: 'replace' },
    ])
    expect(of('StepCompleted')?.data?.['captureValues']).toEqual([{ name: 'x' }, 'x'])
  })

  it('that a capture cannot change leaves the step failed after one execution [P-16]', async () => {
    const { world, of } = await ran(
      'context: { n: 1 }\nsteps: [{ id: a, run: f, capture: [{ destination: n, merge: append }] }]',
      { f: () => 2 },
    )
    expect(world.calls).toHaveLength(1)
    expect(of('StepFailed')?.payload).toMatchObject({ final: true, error: { errorClass: 'validation' } })
  })
})

describe('a condition', () => {
  it('that is false skips its step with CONDITION_FALSE and the run goes on [DFL-07]', async () => {
    const { world, of, row } = await ran(
      "steps: [{ id: a, run: f, if: 'input.go' }, { id: b, run: g, with: { a: '${steps.a.output}' } }]",
      {},
      { go: false },
    )
    expect(of('StepSkipped', 'a')).toMatchObject({
      payload: { reasonCode: 'CONDITION_FALSE' },
      data: { facts: { condition: false } },
    })
    expect([world.called(), row.status]).toEqual([['b#1/1'], 'COMPLETED'])
    expect(world.calls[0]?.input).toEqual({ a: null })
  })

  it('that is false skips the step whatever its input would be [X-72]', async () => {
    const { of, row } = await ran(
      "steps: [{ id: a, run: f, if: 'input.go' }, { id: b, run: g, if: 'steps.a.output', with: { n: '${steps.a.output.n}' }, inputSchema: { type: object, properties: { n: { type: integer } } } }]",
      {},
      { go: false },
    )
    expect([of('StepSkipped', 'b')?.payload?.['reasonCode'], row.status]).toEqual(['CONDITION_FALSE', 'COMPLETED'])
  })

  it('reads null from a skipped step instead of failing [X-72]', async () => {
    const { world, row } = await ran(
      "steps: [{ id: a, run: f, if: 'input.go' }, { id: b, run: g, with: { n: '${steps.a.output.n}' } }]",
      {},
      { go: false },
    )
    expect([world.calls[0]?.input, row.status]).toEqual([{ n: null }, 'COMPLETED'])
  })

  it('sees the captures of the very append that made its step ready, and all rounds are one decision [P-07, P-04]', async () => {
    const { records, row } = await ran(
      `steps:
  - { id: a, run: f, dependsOn: [], capture: [{ destination: stock }] }
  - { id: b, run: g, dependsOn: [a], if: 'context.stock.left' }
  - { id: c, run: g, dependsOn: [a], unless: 'context.stock.left' }
  - { id: d, run: g, dependsOn: [a], forEach: 'context.stock.items' }`,
      { f: ({ context }) => (context.stepId === 'a' ? { left: true, items: [1, 2] } : null) },
    )
    expect(row.status).toBe('COMPLETED')
    const completed = records.find(({ eventType, stepId }) => eventType === 'StepCompleted' && stepId === 'a')
    const decision = records.filter((record) => record.decision.firstSeq === completed?.runSeq)
    expect(decision.map((record) => `${record.eventType} ${stepSlotOf(record)}`)).toEqual([
      'StepCompleted a',
      'StepStarted b',
      'StepSkipped c',
      'StepStarted d',
      'FanOutExpanded d',
      'StepStarted d[0]',
      'StepStarted d[1]',
    ])
    expect(new Set(decision.map((record) => record.decision.cause))).toEqual(new Set(['outcome:a:1:1']))
  })

  it('is recorded with the event it decides, so that the decision can be told again from the log [P-05]', async () => {
    const { of } = await ran("steps: [{ id: a, run: f, if: 'input.go' }]", {}, { go: true })
    expect(of('StepStarted', 'a')?.data).toEqual({ facts: { condition: true } })
  })
})
