/** A plan that says that it was compiled, and was not compiled in this process: it is read like any text, and has to be what it says. */
import { expect, it } from 'vitest'
import { loadPlan, openKeelson, type CompiledPlan, type Keelson } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import type { RunRow } from '../../src/ports/run-store.ts'
import { sha256Hex } from '../../src/app/log/sha256.ts'

const GOOD = `
plan: order
version: 1.0.0
steps:
  - { id: pack, forEach: { in: '\${input.items}', steps: [{ id: fold, run: f }, { id: wrap, run: f }] } }
  - { id: send, run: f }
`
/** As it comes over a wire. */
const copyOf = (plan: CompiledPlan): CompiledPlan => JSON.parse(JSON.stringify(plan)) as CompiledPlan

it('is started as the plan that its text is, with the plans of its blocks', async () => {
  await using keelson = await openKeelson({ engine: 'mock', directory: testFolder(), steps: { f: () => 1 } })
  const plan = loadPlan(GOOD)
  expect(plan.blocks?.length).toBe(1)
  const run = await keelson.start(copyOf(plan), { items: [1, 2] })
  expect(await run.result()).toMatchObject({ status: 'COMPLETED' })
  expect(run.row.planSha256).toBe(plan.sha256)
  expect(await keelson.publish(copyOf(plan))).toBe(plan.sha256)
})

async function rowsOf(keelson: Keelson): Promise<readonly RunRow[]> {
  const rows: RunRow[] = []
  for await (const row of keelson.runs()) rows.push(row)
  return rows
}

/** What nobody checked: a function of somebody else's, a hash of somebody else's, a step that the format refuses. */
const FORGED: Readonly<Record<string, (plan: CompiledPlan) => unknown>> = {
  'another plan beside its text': (plan) => ({ ...plan, plan: { ...plan.plan, steps: [] } }),
  'a hash that is not that of its text': (plan) => ({ ...plan, sha256: 'ab'.repeat(32) }),
  'a text that no plan has': (plan) => {
    const text = plan.text.replace('"send"', '"RUN"')
    return { ...plan, text, sha256: sha256Hex(text) }
  },
  'a block that is not what it says': (plan) => ({
    ...plan,
    blocks: plan.blocks?.map((block) => ({ ...block, text: block.text.replace('"fold"', '"f o"') })),
  }),
  'a text that is no text': (plan) => ({ ...plan, text: { toString: () => plan.text } }),
}

it.each(Object.entries(FORGED))('is refused, or what it claims counts for nothing: %s', async (_, forge) => {
  const plan = loadPlan(GOOD)
  const forged = forge(copyOf(plan)) as CompiledPlan
  await using keelson = await openKeelson({ engine: 'mock', directory: testFolder(), steps: { f: () => 1 } })
  const actor = { userId: 'ada', roles: ['Operator'], tenantId: 'local' }
  const context = { tenantId: 'local', projectId: 'p', environmentId: 'e', runId: 'r1' }
  const told = await Promise.allSettled([
    (async () => (await keelson.start(forged, { items: [1] })).result())(),
    (async () => keelson.publish(forged))(),
    (async () => keelson.as(actor).startRun(forged, context))(),
  ])
  if (_ === 'another plan beside its text') {
    expect(told.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    const { row } = await keelson.run('r1')
    expect(row.planSha256).toBe(plan.sha256)
    const [first] = told
    expect(first).toMatchObject({ value: { status: 'COMPLETED' } })
    expect((await rowsOf(keelson)).map(({ planId, planSha256 }) => [planId, planSha256])).toContainEqual([
      'order',
      plan.sha256,
    ])
  } else {
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(await rowsOf(keelson)).toEqual([])
  }
})
