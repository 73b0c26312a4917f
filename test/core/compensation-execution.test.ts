/** Compensation hooks with real handlers: their key, their input, their time limit. */
import { describe, expect, it } from 'vitest'
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

describe('a hook', () => {
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

  it('whose input cannot be made is not called: the failure is recorded and the next hook runs [CMP-08]', async () => {
    const { world, run, row, last } = await failed({ bill: () => ({}) })
    expect(world.called('refund')).toEqual([])
    expect(world.called('cancelBooking')).toHaveLength(1)
    expect(world.log(run, 'CompensationFailed')).toEqual(['CompensationFailed bill#1'])
    expect(row.status).toBe('FAILED')
    expect(last?.payload?.['compensation']).toMatchObject({ done: 1, failed: 1 })
  })

  it('that hangs is given 300 s twice with a second between, then the next hook runs [CMP-12]', async () => {
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
