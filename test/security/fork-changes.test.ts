/**
 * Somebody who forks a run with another input or another plan, and wants the new run to pass off old answers as its own: an
 * approval of another input, a compensation of other things, a lock that is left behind, a log that says so afterwards.
 */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { untilFound } from '../fixtures/until.ts'
import { checkForked } from '../../src/app/sides/check-forked.ts'
import { servicesOf } from '../../src/library/services-of.ts'

const planOf = (text: string, version = '1.0.0') => loadPlan(`plan: paid\nversion: ${version}\n${text}`)
const APPROVE = '{ id: approve, manual: { title: Approve the order } }'
const PAY = `{ id: pay, run: pay, with: { amount: '\${input.amount}' }, compensate: { run: back } }`

let directory = ''
let keelson: Keelson
let paid: unknown[] = []

beforeEach(async () => {
  directory = testFolder()
  paid = []
  const note = (input: unknown) => void paid.push(input)
  keelson = await openKeelson({ directory, steps: { pay: note, back: note, payTwice: note, other: note } })
})
afterEach(async () => {
  await keelson.close()
})

async function approve(run: RunHandle, actorUserId = 'checker'): Promise<void> {
  const task = await untilFound(async () => (await run.tasks())[0])
  await run.completeTask({ completionToken: task.token, outcome: 'Succeeded', actorUserId })
}

it('an approval of one input does not release the payment of another: the person is asked again [MAN-13]', async () => {
  const run = await keelson.start(planOf(`steps: [${APPROVE}, ${PAY}]`), { amount: 1 })
  await approve(run)
  await run.result()
  const { taken, again } = await keelson.previewFork(run.runId, { input: { amount: 1_000_000 } })
  expect({ taken, again: [...again.keys()] }).toEqual({ taken: [], again: ['approve', 'pay'] })
  const fork = await keelson.fork(run.runId, { input: { amount: 1_000_000 } })
  await untilFound(async () => (await fork.tasks()).length > 0)
  expect(paid).toEqual([{ amount: 1 }])
  await approve(fork)
  await fork.result()
  expect(paid).toEqual([{ amount: 1 }, { amount: 1_000_000 }])
})

it('an approval of one input is asked for again where no step reads what is another [MAN-13]', async () => {
  const run = await keelson.start(planOf(`steps: [${APPROVE}, { id: more, run: other }]`), { amount: 1 })
  await approve(run)
  await run.result()
  const { again } = await keelson.previewFork(run.runId, { input: { amount: 1_000_000 } })
  expect([...again.keys()]).toContain('approve')
})

it('an approval of one plan does not release a step that another plan puts in its place, or adds after it [MAN-13]', async () => {
  const run = await keelson.start(planOf(`steps: [${APPROVE}, ${PAY}]`), { amount: 1 })
  await approve(run)
  await run.result()
  for (const steps of [
    `${APPROVE}, ${PAY.replace('run: pay', 'run: payTwice')}`,
    `${APPROVE}, ${PAY}, { id: more, run: other }`,
  ]) {
    const { again } = await keelson.previewFork(run.runId, { plan: planOf(`steps: [${steps}]`, '2.0.0') })
    expect([...again.keys()]).toContain('approve')
  }
})

it('makers are inherited: who forks with another input cannot approve it under MakerChecker [MAN-08]', async () => {
  const plan = planOf(`steps: [${APPROVE.replace('order }', 'order, rule: MakerChecker }')}, ${PAY}]`)
  const run = await keelson.start(plan, { amount: 1 }, { actorId: 'ana' })
  await approve(run, 'ben')
  await run.result()
  const fork = await keelson.fork(run.runId, { input: { amount: 2 }, actorId: 'cleo' })
  for (const maker of ['ana', 'cleo'])
    await expect(approve(fork, maker)).rejects.toMatchObject({ code: 'AUTHZ_DENIED' })
  await approve(fork, 'ben')
  expect((await fork.result()).status).toBe('COMPLETED')
})

it('a result is not taken over whose compensation would read another input: what was paid is what is paid back', async () => {
  const plan = planOf(`steps:
  - { id: pay, run: pay, compensate: { run: back, with: { amount: '\${input.amount}' } } }
  - { id: other, run: other }`)
  const run = await keelson.start(plan, { amount: 1 })
  await run.result()
  const { again } = await keelson.previewFork(run.runId, { input: { amount: 9 } })
  expect(again.get('pay')).toEqual({ kind: 'reads', fields: ['input.amount'] })
})

it('what cannot be undone is not repeated for another input or another definition unless it is asked for', async () => {
  const plan = `steps: [{ id: pay, run: pay, with: { amount: '\${input.amount}' }, effect: irreversible }]`
  const run = await keelson.start(planOf(plan), { amount: 1 })
  await run.result()
  await expect(keelson.fork(run.runId, { input: { amount: 2 } })).rejects.toMatchObject({
    code: 'FORK_REPEATS_IRREVERSIBLE',
  })
  const other = planOf(plan.replace('run: pay', 'run: payTwice'), '2.0.0')
  await expect(keelson.fork(run.runId, { plan: other })).rejects.toMatchObject({ code: 'FORK_REPEATS_IRREVERSIBLE' })
  expect(paid).toHaveLength(1)
})

it('a lock is not left behind by another plan, and a plan of the same version is not replaced in passing', async () => {
  const run = await keelson.start(planOf('steps: [{ id: a, wait: { for: 1ms } }]'), {}, { locked: {} })
  await run.result()
  await expect(
    keelson.fork(run.runId, { plan: planOf('steps: [{ id: a, run: pay }]', '2.0.0') }),
  ).rejects.toMatchObject({ code: 'RUN_LOCKED' })
  await expect(
    keelson.fork(run.runId, { plan: planOf('steps: [{ id: a, wait: { for: 2ms } }]') }),
  ).rejects.toMatchObject({ code: 'PLAN_VERSION_EXISTS' })
  await expect(keelson.fork(run.runId, { plan: 7 as never })).rejects.toMatchObject({ code: 'OPTION_INVALID' })
  expect(paid).toEqual([])
})

it('a log that claims a result which its own input changed is told by verify', async () => {
  const plan = planOf(`steps: [${PAY}, { id: other, run: other, with: { name: '\${input.name}' } }]`)
  const run = await keelson.start(plan, { amount: 1, name: 'x' })
  await run.result()
  const fork = await keelson.fork(run.runId, { input: { amount: 1, name: 'y' } })
  await fork.result()
  const { store } = servicesOf(keelson)
  const records = await fork.records()
  expect(await checkForked({ store, row: fork.row, records })).toEqual([])
  const forged = records.map((record, at) =>
    at === 0 ? { ...record, data: { input: { amount: 2, name: 'y' } } } : record,
  )
  const findings = await checkForked({ store, row: fork.row, records: forged })
  expect(findings.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^'pay' was taken over from run .* and reads other values there: input\.amount$/),
    ]),
  )
  expect((await keelson.maintenance.verify(fork.row)).findings).toBeUndefined()
})
