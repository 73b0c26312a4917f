/** Compensation compensations with real handlers: their key, their input, their time limit. */
import { describe, expect, it } from 'vitest'
import { stepHandlers } from '../../src/adapters/handlers/step-handlers.ts'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import type { Egress } from '../../src/ports/egress.ts'
import { World, type Script } from '../fixtures/virtual-world.ts'

const boom = (): never => {
  throw Object.assign(new Error('no'), { name: 'ConflictError' })
}

const PLAN = `
steps:
  - id: book
    run: book
    with: { seat: 12 }
    compensate: { run: cancelBooking, with: { id: '\${steps.book.output.id}', seat: '\${context.seat}' } }
    capture: [{ destination: seat, transform: seat }]
  - id: bill
    run: bill
    compensate: { run: refund, with: { text: 'refund of \${steps.bill.output.invoice}' } }
  - id: ship
    run: boom`

async function failed(script: Script, plan = PLAN) {
  const world = new World()
  const run = await world
    .process('p', {
      script: { book: () => ({ id: 'b-1', seat: '12A' }), bill: () => ({ invoice: 'i-9' }), boom, ...script },
    })
    .start(plan)
  const began = world.time.now()
  await world.runUntil(() => world.hasEnded(run), 86_400_000)
  return { world, run, row: world.row(run), took: world.time.now() - began, last: world.records(run).at(-1) }
}

describe('a run whose output cannot be made', () => {
  const OUTPUT = `output: { x: '\${sort(input)}' }${PLAN.replace('run: boom', 'run: bill')}`

  it('undoes what its steps did, newest first, before it fails with the reason [CMP-01, CMP-03, CMP-06]', async () => {
    const { world, run, row, last } = await failed({ refund: ({ context }) => retriedOnce(context.attempt) }, OUTPUT)
    expect(world.called('refund').concat(world.called('cancelBooking'))).toEqual(['bill#1/1', 'bill#2/1', 'book#1/1'])
    expect(world.log(run, 'CompensationStarted', 'CompensationFailed', 'CompensationCompleted', 'RunFailed')).toEqual([
      'CompensationStarted bill#1',
      'CompensationFailed bill#1',
      'CompensationStarted bill#2',
      'CompensationCompleted bill#2',
      'CompensationStarted book#1',
      'CompensationCompleted book#1',
      'RunFailed RUN#1',
    ])
    expect(row.status).toBe('FAILED')
    expect(last).toMatchObject({
      payload: { error: { code: 'EXPR_FAILED' }, compensation: { done: 2, failed: 0, slots: ['bill', 'book'] } },
      data: { errorText: { message: expect.stringContaining('sort') as string } },
    })
  })

  it('goes on undoing after its process died, and every decision follows from the log [CMP-01, P-01]', async () => {
    const world = new World()
    const script = { book: () => ({ id: 'b-1', seat: '12A' }), bill: () => ({ invoice: 'i-9' }) }
    const first = world.process('p', { script: { ...script, refund: 'hold' } })
    const run = await first.start(OUTPUT)
    await world.runUntil(() => world.called('refund').length === 1)
    expect(world.row(run)).toMatchObject({ status: 'RUNNING', substatus: 'embedded/COMPENSATING' })
    first.kill()
    const second = world.process('q', { script, adoptOthers: true })
    await world.runUntil(() => world.hasEnded(run))
    expect(world.records(run).at(-1)?.payload).toMatchObject({ compensation: { done: 2 } })
    const loaded = await second.advancer.plans.get('local', world.row(run).planSha256)
    const report = verifyDecisions(world.records(run), loaded)
    expect(report).toMatchObject({ differences: [], notDerivable: [] })
    expect(report.rederived).toBe(report.decisions)
  })

  it('fails at once when nothing can be undone [CMP-01]', async () => {
    const { world, run, last } = await failed({}, "output: { x: '${sort(input)}' }\nsteps: [{ id: a, run: bill }]")
    expect(world.log(run, 'CompensationStarted')).toEqual([])
    expect(last?.payload).toMatchObject({ error: { code: 'EXPR_FAILED' } })
  })

  it('is stopped in the middle of it by EMERGENCY_STOP alone [X-76]', async () => {
    const world = new World()
    const script = {
      book: () => ({ id: 'b-1', seat: '12A' }),
      bill: () => ({ invoice: 'i-9' }),
      refund: 'hold',
    } as const
    const process = world.process('p', { script })
    const run = await process.start(OUTPUT)
    await world.runUntil(() => world.called('refund').length === 1)
    await process.signal(run, 'EMERGENCY_STOP', { reason: 'fire' })
    expect(world.records(run).find((one) => one.eventType === 'RunFailed')?.payload).toMatchObject({
      compensation: { done: 0, unfinished: 2 },
    })
  })
})

const retriedOnce = (attempt: number): unknown => (attempt === 1 ? Promise.reject(new Error('x')) : null)

describe('a compensation', () => {
  it('is given the key <runId>:<step>:compensate, the same on every try [CMP-02, CMP-04]', async () => {
    const { world, row } = await failed({
      refund: ({ context }) => (context.attempt === 1 ? Promise.reject(new Error('x')) : null),
    })
    const keys = (name: string): string[] =>
      world.calls.filter((call) => call.name === name).map(({ context }) => context.idempotencyKey)
    expect(keys('refund')).toEqual([`${row.runId}:bill:compensate`, `${row.runId}:bill:compensate`])
    expect(keys('cancelBooking')).toEqual([`${row.runId}:book:compensate`])
  })

  it('gets its input from the outputs and the context as the failing run left them [CMP-08]', async () => {
    const { world } = await failed({})
    expect(
      world.calls.filter(({ name }) => name === 'refund' || name === 'cancelBooking').map(({ input }) => input),
    ).toEqual([{ text: 'refund of i-9' }, { id: 'b-1', seat: '12A' }])
  })

  it('whose input cannot be made is not called: the failure is recorded and the next compensation runs [CMP-08]', async () => {
    const { world, run, row, last } = await failed({ bill: () => ({}) })
    expect(world.called('refund')).toEqual([])
    expect(world.called('cancelBooking')).toHaveLength(1)
    expect(world.log(run, 'CompensationStarted', 'CompensationFailed', 'CompensationCompleted')).toEqual([
      'CompensationStarted bill#1',
      'CompensationFailed bill#1',
      'CompensationStarted book#1',
      'CompensationCompleted book#1',
    ])
    expect(world.records(run).find(({ eventType }) => eventType === 'CompensationFailed')).toMatchObject({
      payload: { error: { code: 'INPUT_INVALID', errorClass: 'validation', retryable: false } },
      data: { errorText: { message: expect.stringContaining('steps.bill.output.invoice') as string } },
    })
    expect(row.status).toBe('FAILED')
    expect(last?.payload?.['compensation']).toMatchObject({ done: 1, failed: 1 })
  })

  it('whose own fields are made of what they cannot be sends nothing: recorded, and the next compensation runs [CMP-08]', async () => {
    const sent: string[] = []
    const egress: Egress = {
      send: async ({ url }) => {
        sent.push(url)
        return { status: 204, headers: {}, body: new Uint8Array(), url }
      },
    }
    const undo = (id: string): string =>
      `compensate: { http: { url: 'https://bank.example/${id}', query: { id: '\${steps.${id}.output.id}' } } }`
    const plan = `steps: [{ id: book, run: book, ${undo('book')} }, { id: bill, run: bill, ${undo('bill')} }, { id: ship, run: boom }]`
    const world = new World()
    const functions = { book: () => ({ id: 'b-1' }), bill: () => ({ id: { of: 'nobody' } }), boom }
    const process = world.process('p', { services: { handlers: stepHandlers({ functions, egress }) } })
    const run = await process.start(plan)
    await world.runUntil(() => world.hasEnded(run))
    expect(sent).toEqual(['https://bank.example/book?id=b-1'])
    expect(world.records(run).find(({ eventType }) => eventType === 'CompensationFailed')).toMatchObject({
      payload: { stepId: 'bill', error: { code: 'INPUT_INVALID', errorClass: 'validation' } },
    })
    expect(world.records(run).at(-1)?.payload).toMatchObject({ compensation: { done: 1, failed: 1 } })
  })

  it('that hangs is given 300 s twice with a second between, then the next compensation runs [CMP-12]', async () => {
    const { world, took, last } = await failed({ refund: 'hold' })
    const [first, second, next] = world.calls.filter(({ name }) => name === 'refund' || name === 'cancelBooking')
    expect([second?.at, next?.at].map((at) => (at ?? 0) - (first?.at ?? 0))).toEqual([301_000, 601_000])
    expect([first?.context.signal.aborted, second?.context.signal.aborted, next?.name]).toEqual([
      true,
      true,
      'cancelBooking',
    ])
    expect(took).toBe(601_000)
    expect(last?.payload?.['compensation']).toMatchObject({ done: 1, failed: 1 })
  })

  it('is aborted by EMERGENCY_STOP and the run ends [X-76]', async () => {
    const world = new World()
    const process = world.process('p', {
      script: { book: () => ({ id: 'b-1', seat: '12A' }), bill: () => ({ invoice: 'i-9' }), boom, refund: 'hold' },
    })
    const run = await process.start(PLAN)
    await world.runUntil(() => world.called('refund').length === 1)
    await process.signal(run, 'EMERGENCY_STOP', { reason: 'fire' })
    expect(world.row(run).status).toBe('FAILED')
    expect(world.calls.at(-1)?.context.signal.aborted).toBe(true)
    expect(world.called('cancelBooking')).toEqual([])
  })

  it('is run again after a crash, under the same key, and counted once [CMP-02]', async () => {
    const world = new World()
    const script = { book: () => ({ id: 'b-1', seat: '12A' }), bill: () => ({ invoice: 'i-9' }), boom }
    const first = world.process('first', { script: { ...script, refund: 'hold' } })
    const run = await first.start(PLAN)
    await world.runUntil(() => world.called('refund').length === 1)
    first.kill()
    world.process('second', { script, adoptOthers: true })
    await world.runUntil(() => world.hasEnded(run))
    const refunds = world.calls.filter(({ name }) => name === 'refund')
    expect(refunds).toHaveLength(2)
    expect(new Set(refunds.map(({ context }) => context.idempotencyKey)).size).toBe(1)
    expect(world.records(run).at(-1)?.payload?.['compensation']).toMatchObject({ done: 2, failed: 0 })
  })
})
