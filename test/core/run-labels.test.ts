/** Labels that a plan makes of the input: put on the run as it starts, found by name and value, made again by verify. */
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { definePlan, ofType, type PlanBody } from '../../src/core/plan/write/builder.ts'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import type { Ref } from '../../src/core/plan/format/reference.ts'
import { loadPlan, openKeelson, type Keelson } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'

const steps = { a: () => 1 }
const PLAN = `plan: order
version: 1.0.0
metadata: { labels: { team: stock } }
labels:
  customer: '\${input.customerId}'
  order: 'order-\${input.orderId}'
  express: '\${input.express}'
steps: [{ id: a, run: a }]`

async function found(keelson: Keelson, labels: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { runs } = await keelson.list({ labels })
  return runs.map(({ runId }) => runId)
}

const codes = (text: string): readonly string[] => {
  try {
    loadPlan(text)
    return []
  } catch (thrown) {
    return (thrown as { problems: readonly { code: string }[] }).problems.map(({ code }) => code)
  }
}

describe.each(['in memory', 'in SQLite'])('a run %s', (where) => {
  const open = () =>
    openKeelson(
      where === 'in memory'
        ? { store: openMemoryStore({ clock: { now: () => Date.now() } }), steps }
        : { directory: testFolder(), steps },
    )

  it('is found by what the plan makes of its input, and by the labels of the plan; a label without a value is left out', async () => {
    await using keelson = await open()
    const first = await keelson.start(loadPlan(PLAN), { customerId: 'C-17', orderId: 1, express: true })
    const second = await keelson.start(loadPlan(PLAN), { customerId: 'C-17', orderId: 2 })
    await Promise.all([first.result(), second.result()])
    expect(await found(keelson, { customer: 'C-17' })).toEqual([second.runId, first.runId])
    expect(await found(keelson, { customer: 'C-17', order: 'order-1' })).toEqual([first.runId])
    expect(await found(keelson, { express: 'true' })).toEqual([first.runId])
    expect(await found(keelson, { team: 'stock' })).toEqual([second.runId, first.runId])
    expect(await found(keelson, { express: 'null' })).toEqual([])
    const fork = await keelson.fork(first.runId, { input: { customerId: 'C-18', orderId: 1 } })
    await fork.result()
    expect(await found(keelson, { customer: 'C-18' })).toEqual([fork.runId])
  })

  it('is not started with a label that is no short text, and nothing is left of it', async () => {
    await using keelson = await open()
    for (const customerId of [{ a: 1 }, [1], 'x'.repeat(201), 'zero\u0000'])
      await expect(keelson.start(loadPlan(PLAN), { customerId, orderId: 1 })).rejects.toMatchObject({
        code: 'RUN_LABEL_INVALID',
      })
    await expect(keelson.start(loadPlan(PLAN), { customerId: 'x' })).rejects.toMatchObject({
      code: 'EXPR_VALUE_MISSING',
    })
    expect((await keelson.list()).runs).toEqual([])
    await expect(keelson.list({ labels: { a: 1 } as never })).rejects.toMatchObject({ code: 'OPTION_INVALID' })
  })
})

it('a plan with too many labels, a wrong name, or a label that reads what is not there yet is refused', () => {
  const plan = (labels: string) => `plan: p\nversion: 1.0.0\nlabels: ${labels}\nsteps: [{ id: a, run: a }]`
  const many = `{ ${Array.from({ length: 17 }, (_, at) => `l${at}: x`).join(', ')} }`
  expect(codes(plan(many))).toEqual(['PLAN_FIELD_INVALID'])
  expect(codes(plan('{ "a=b": x }'))).toEqual(['PLAN_FIELD_INVALID'])
  expect(codes(plan('{ a: 1 }'))).toEqual(['PLAN_FIELD_INVALID'])
  for (const root of ['steps.a.output', 'context.x', 'previous', 'run.id', 'item'])
    expect(codes(plan(`{ a: '\${${root}}' }`))).toEqual(['EXPR_ROOT_UNKNOWN'])
  expect(codes(plan(`{ a: '\${input.a', b: x }`))).not.toEqual([])
  expect(codes(plan(`{ a: '\${input.a}', b: fixed }`))).toEqual([])
})

it('definePlan takes references to the input, and refuses what is no text', () => {
  interface Order {
    readonly customerId: string
    readonly items: readonly string[]
  }
  const plan = definePlan({ plan: 'p', version: '1.0.0', input: ofType<Order>() }, ({ input, step }) => ({
    labels: { customer: input.customerId, fixed: 'x' },
    steps: [step('a', { run: 'a' })],
  }))
  expect(loadPlan(plan).plan.labels).toEqual({ customer: '${input.customerId}', fixed: 'x' })
  type Label = NonNullable<PlanBody<unknown>['labels']>[string]
  expectTypeOf<Ref<string>>().toExtend<Label>()
  expectTypeOf<Ref<readonly string[]>>().not.toExtend<Label>()
})

it('a label that was changed, added or removed in the store is told by verify, and none is left after an erasure', async () => {
  const directory = testFolder()
  await using keelson = await openKeelson({ directory, steps })
  const run = await keelson.start(loadPlan(PLAN), { customerId: 'C-17', orderId: 1 })
  await run.result()
  const told = async () => (await keelson.maintenance.verify(run.row)).findings?.map(({ message }) => message)
  expect(await told()).toBeUndefined()
  const db = new DatabaseSync(join(directory, 'keelson.db'))
  db.exec(`UPDATE run_labels SET value = 'C-99' WHERE name = 'customer'`)
  expect(await told()).toEqual(['the run has the label customer=C-99, which does not follow from its log'])
  db.exec(
    `DELETE FROM run_labels WHERE name = 'customer'; INSERT INTO run_labels SELECT run_key, 'vip', 'yes', tenant_id, created_at FROM runs`,
  )
  expect(await told()).toEqual([
    'the run has the label vip=yes, which does not follow from its log',
    'the run lacks the label customer=C-17, which follows from its log',
  ])
  db.exec(
    `DELETE FROM run_labels WHERE name = 'vip'; INSERT INTO run_labels SELECT run_key, 'customer', 'C-17', tenant_id, created_at FROM runs`,
  )
  await keelson.maintenance.erase(run.row, { reason: 'asked for' })
  expect(db.prepare('SELECT count(*) AS n FROM run_labels').get()).toEqual({ n: 0 })
  db.close()
  expect(await told()).toBeUndefined()
})

it('a label with the name of something that every object has, and without a value, is no altered run', async () => {
  await using keelson = await openKeelson({ directory: testFolder(), steps })
  const plan = loadPlan(PLAN.replace('express:', 'toString:'))
  const run = await keelson.start(plan, { customerId: 'C-17', orderId: 1 })
  await run.result()
  expect((await keelson.maintenance.verify(run.row)).findings).toBeUndefined()
  expect(await found(keelson, { toString: 'x' } as never)).toEqual([])
})
