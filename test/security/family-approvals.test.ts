/**
 * Somebody who goes around an approval by way of the family of a run: changes a child after its parent was approved, lets the
 * child try again, forks the child, skips what feeds the approved input, or approves in the parent what they made in the child.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { payingSteps } from '../fixtures/paying-steps.ts'
import { untilFound } from '../fixtures/until.ts'
import { testFolder } from '../fixtures/folder.ts'
import {
  planOf,
  RETRY,
  APPROVE,
  ONCE,
  HOLD,
  PAY,
  PASS_ON,
  complete,
  recordsOf,
  began,
  follows,
  reason,
  changes,
} from '../fixtures/family-runs.ts'

let directory = ''
let keelson: Keelson
let paid: unknown[] = []
let failures = 0

beforeEach(async () => {
  directory = testFolder()
  paid = []
  failures = 0
  const steps = payingSteps((input) => paid.push(input) > 0 && (failures -= 1) >= 0)
  keelson = await openKeelson({ directory, steps })
})
afterEach(async () => {
  await keelson.close()
})

const childOf = async (run: RunHandle): Promise<RunHandle> =>
  untilFound(async () => {
    const id = (await run.related()).children[0]?.runId
    return id === undefined ? undefined : keelson.run(id).catch(() => undefined)
  })

describe('an approval in the parent binds what its child runs do', () => {
  it('a child of an approved step, and a child of that, keep their input [MAN-13]', async () => {
    const pays = planOf('pays', `steps: [${HOLD}, ${PAY}]`)
    await keelson.publish(pays)
    const between = planOf('between', `steps: [{ id: c, plan: { planId: pays }, ${PASS_ON} }]`)
    await keelson.publish(between)
    const plan = planOf('family', `steps: [${APPROVE}, { id: c, plan: { planId: between }, ${PASS_ON} }]`)
    const run = await keelson.start(plan, { amount: 1 }, { actorId: 'ana' })
    expect(await complete(run, 'approve', 'bo')).toBe('accepted')
    const child = await childOf(run)
    const grandchild = await childOf(child)
    await began(grandchild, 'hold')
    for (const [type, payload] of changes('pay'))
      await expect(grandchild.signal(type, payload, { actorId: 'ana' })).rejects.toMatchObject({
        code: 'APPROVAL_BINDS_INPUT',
        message: expect.stringContaining(`'approve' of run ${run.runId} was given for the input as it is`) as string,
      })
    for (const [type, payload] of changes('c'))
      await expect(child.signal(type, payload, { actorId: 'ana' })).rejects.toMatchObject({
        code: 'APPROVAL_BINDS_INPUT',
      })
    await expect(grandchild.signal('SKIP_STEP', { stepId: 'hold', reason })).rejects.toMatchObject({
      code: expect.stringMatching(/STEP_RUNNING|APPROVAL_BINDS_INPUT/) as string,
    })
    await run.cancel()
    await run.result()
    expect(paid).toEqual([])
    await follows(run, plan)
    await follows(child, between)
    await follows(grandchild, pays)
  })

  it('the parent keeps its input until its child has begun, also where the child alone does what cannot be undone [MAN-13]', async () => {
    await keelson.publish(planOf('pays', `steps: [${PAY}]`))
    const plan = planOf('later', `steps: [${APPROVE}, ${HOLD}, { id: c, plan: { planId: pays }, ${PASS_ON} }]`)
    const run = await keelson.start(plan, { amount: 1 }, { actorId: 'ana' })
    expect(await complete(run, 'approve', 'bo')).toBe('accepted')
    await began(run, 'hold')
    for (const [type, payload] of changes('c'))
      await expect(run.signal(type, payload, { actorId: 'ana' })).rejects.toMatchObject({
        code: 'APPROVAL_BINDS_INPUT',
      })
    await run.cancel()
    await follows(run, plan)
  })

  it('a run that somebody approved in the queue keeps its input in its children [MAN-13]', async () => {
    const waits = planOf('waits', `steps: [${HOLD}, { id: pay, run: pay, ${PASS_ON} }]`)
    await keelson.publish(waits)
    const plan = planOf('queued', `steps: [{ id: c, plan: { planId: waits }, ${PASS_ON} }]`)
    const run = await keelson.start(plan, { amount: 1 }, { queue: true, autoApprove: false, actorId: 'ana' })
    await keelson.queue.approve(run.runId, { actorId: 'bo' })
    await keelson.queue.start()
    const child = await childOf(run)
    await began(child, 'hold')
    for (const [type, payload] of changes('pay'))
      await expect(child.signal(type, payload, { actorId: 'ana' })).rejects.toMatchObject({
        code: 'APPROVAL_BINDS_INPUT',
        message: expect.stringContaining(`bo approved run ${run.runId}`) as string,
      })
    await run.cancel()
    await follows(child, waits)
  })

  it('what its output feeds is not skipped after the approval; what comes before it, is [MAN-13]', async () => {
    const steps = (where: string) =>
      `policy: { onFailure: hold }\nsteps: [${where}, { id: pay, run: pay, with: { amount: "\${steps.look.output.amount}" }, effect: irreversible }]`
    const plan = planOf('fed', steps(`${APPROVE}, { id: look, run: broken, ${ONCE} }`))
    const run = await keelson.start(plan, { amount: 1 }, { actorId: 'ana' })
    expect(await complete(run, 'approve', 'bo')).toBe('accepted')
    await untilFound(async () => ((await recordsOf(run, 'StepFailed', 'look')).length > 0 ? true : undefined))
    await expect(run.signal('SKIP_STEP', { stepId: 'look', reason }, { actorId: 'ana' })).rejects.toMatchObject({
      code: 'APPROVAL_BINDS_INPUT',
    })
    await run.signal('SKIP_STEP', { stepId: 'pay', reason })
    await run.cancel()
    await follows(run, plan)
    const before = planOf('fed-before', steps(`{ id: look, run: broken, ${ONCE} }, ${APPROVE}`))
    const other = await keelson.start(before, { amount: 1 }, { actorId: 'ana' })
    await untilFound(async () => ((await recordsOf(other, 'StepFailed', 'look')).length > 0 ? true : undefined))
    await other.signal('SKIP_STEP', { stepId: 'look', reason })
    await other.cancel()
    await follows(other, before)
  })
})

describe('an approval in the parent releases one dispatch in its child runs', () => {
  it('neither the retry policy nor RETRY_STEP of the child dispatches a second time [MAN-13]', async () => {
    failures = 2
    const pays = planOf(
      'pays',
      `policy: { onFailure: hold }\nsteps: [{ id: pay, run: pay, effect: irreversible, ${RETRY} }]`,
    )
    await keelson.publish(pays)
    const run = await keelson.start(
      planOf('p', `steps: [${APPROVE}, { id: c, plan: { planId: pays }, ${ONCE} }]`),
      {},
      { actorId: 'ana' },
    )
    expect(await complete(run, 'approve', 'bo')).toBe('accepted')
    const child = await childOf(run)
    const [failed] = await untilFound(async () => {
      const found = await recordsOf(child, 'StepFailed', 'pay')
      return found.length === 0 ? undefined : found
    })
    expect(failed?.payload).toMatchObject({ final: true, approvalSpent: true })
    const [started] = await recordsOf(child, 'StepStarted', 'pay')
    const [given] = await recordsOf(run, 'StepCompleted', 'approve')
    expect(started?.payload?.['approvals']).toEqual([{ runId: run.runId, stepId: 'approve', runSeq: given?.runSeq }])
    await expect(child.signal('RETRY_STEP', { stepId: 'pay' })).rejects.toMatchObject({ code: 'APPROVAL_SPENT' })
    await run.cancel()
    await run.result()
    expect(paid).toHaveLength(1)
    await follows(child, pays)
  })

  it('a fork of the child is refused, and its RETRY_RUN dispatches nothing: only the parent asks again [MAN-13]', async () => {
    failures = 1
    await keelson.publish(planOf('pays', `steps: [{ id: a, run: f }, ${PAY}]`))
    const run = await keelson.start(
      planOf('p', `steps: [${APPROVE}, { id: c, plan: { planId: pays }, ${ONCE} }]`),
      {},
      { actorId: 'ana' },
    )
    expect(await complete(run, 'approve', 'bo')).toBe('accepted')
    expect((await run.result()).status).toBe('FAILED')
    const child = await childOf(run)
    const refused = {
      code: 'APPROVAL_SPENT',
      message: expect.stringContaining(`fork run ${run.runId}`) as string,
    }
    for (const more of [{}, { from: 'pay' }, { from: 'a' }, { repeatIrreversible: true }])
      await expect(keelson.fork(child.runId, { actorId: 'ana', ...more })).rejects.toMatchObject(refused)
    const retry = child.signal('RETRY_RUN', { reason, repeatIrreversible: true }, { actorId: 'ana' })
    await expect(retry).rejects.toMatchObject(refused)
    expect(paid).toHaveLength(1)
    const again = await keelson.fork(run.runId, { actorId: 'ana', repeatIrreversible: true })
    await untilFound(async () => (await again.tasks()).find(({ slot }) => slot === 'approve'))
    expect(paid).toHaveLength(1)
    await again.cancel()
  })

  it('a list of children, or a list in a child, is not released by one approval [MAN-13]', async () => {
    await keelson.publish(planOf('pays', `steps: [${PAY}]`))
    await keelson.publish(planOf('between', `steps: [{ id: c, plan: { planId: pays }, ${PASS_ON} }]`))
    await keelson.publish(planOf('many', 'steps: [{ id: pay, forEach: "[`1`, `2`]", run: pay, effect: irreversible }]'))
    for (const step of [
      '{ id: c, forEach: "[`1`, `2`]", plan: { planId: pays } }',
      '{ id: c, forEach: "[`1`, `2`]", plan: { planId: between } }',
      '{ id: c, plan: { planId: many } }',
    ]) {
      const run = await keelson.start(
        planOf(`p-${step.length}`, `steps: [${APPROVE}, ${step}]`),
        {},
        { actorId: 'ana' },
      )
      expect(await complete(run, 'approve', 'bo')).toBe('accepted')
      expect((await run.result()).status).toBe('FAILED')
      const failed = (await run.records()).filter((one) => one.eventType === 'StepFailed')
      expect(JSON.stringify(failed)).toContain('APPROVAL_FOR_MANY')
    }
    expect(paid).toEqual([])
    // A plan that asks for each item is how it is done.
    await keelson.publish(planOf('asks', `steps: [${APPROVE}, ${PAY}]`))
    const run = await keelson.start(
      planOf('each', `steps: [${APPROVE}, { id: c, forEach: "[\`1\`, \`2\`]", plan: { planId: asks } }]`),
      {},
      { actorId: 'ana' },
    )
    expect(await complete(run, 'approve', 'bo')).toBe('accepted')
    const ids = await untilFound(async () => {
      const { children } = await run.related()
      return children.length === 2 ? children.map(({ runId }) => runId) : undefined
    })
    for (const id of ids) {
      const item = await untilFound(() => keelson.run(id).catch(() => undefined))
      expect(await complete(item, 'approve', 'bo')).toBe('accepted')
    }
    expect((await run.result()).status).toBe('COMPLETED')
    expect(paid).toHaveLength(2)
  })
})

describe('people of a child run are known to its parent', () => {
  const CHECKED = 'manual: { title: R, rule: MakerChecker }'
  const APART = 'manual: { title: R, rule: "IncompatibleDuties(prepare, release)" }'

  it('who changed the child does not approve in the parent, and who prepared there does not release here [MAN-08]', async () => {
    const makes = planOf('makes', `steps: [{ id: prepare, manual: { title: P } }]`)
    await keelson.publish(makes)
    await keelson.publish(planOf('deeper', 'steps: [{ id: c, plan: { planId: makes } }]'))
    for (const planId of ['makes', 'deeper']) {
      const plan = planOf(
        `of-${planId}`,
        `steps: [{ id: c, plan: { planId: ${planId} } }, { id: check, ${CHECKED} }, { id: release, ${APART} }]`,
      )
      const run = await keelson.start(plan, {}, { actorId: 'ana' })
      const first = await childOf(run)
      const child = planId === 'makes' ? first : await childOf(first)
      await untilFound(async () => (await child.tasks())[0])
      await child.signal('UPDATE_PARAMS', { params: { amount: 2 }, reason }, { actorId: 'Bo' })
      expect(await complete(child, 'prepare', 'cy')).toBe('accepted')
      expect(await complete(run, 'check', 'bo')).toBe('AUTHZ_DENIED')
      expect(await complete(run, 'check', 'cy')).toBe('accepted')
      expect(await complete(run, 'release', 'CY')).toBe('AUTHZ_DENIED')
      expect(await complete(run, 'release', 'dee')).toBe('accepted')
      expect((await run.result()).status).toBe('COMPLETED')
      const [ended] = await recordsOf(run, 'StepCompleted', 'c')
      expect(ended?.payload?.['people']).toEqual({
        makers: ['Bo'],
        approvals: [{ actorId: 'cy', duties: ['prepare'] }],
        stoppedBy: [],
      })
      await follows(run, plan)
    }
  })

  it('also of a child that failed, and in a fork of the parent; what they approved there counts for nobody here [MAN-08]', async () => {
    await keelson.publish(
      planOf(
        'fails',
        'steps: [{ id: prepare, manual: { title: P } }, { id: no, run: broken, retry: { maxAttempts: 1 } }]',
      ),
    )
    const plan = planOf(
      'after-failure',
      `policy: { onFailure: continue }\nsteps: [{ id: c, plan: { planId: fails }, ${ONCE} }, { id: release, ${APART} }, { id: two, manual: { title: T, rule: DistinctApprovers(2) } }, { id: no, run: broken, ${ONCE} }]`,
    )
    const run = await keelson.start(plan, {}, { actorId: 'ana' })
    expect(await complete(await childOf(run), 'prepare', 'cy')).toBe('accepted')
    expect(await complete(run, 'release', 'cy')).toBe('AUTHZ_DENIED')
    expect(await complete(run, 'release', 'dee')).toBe('accepted')
    expect(await complete(run, 'two', 'dee')).toBe('AUTHZ_DENIED')
    expect(await complete(run, 'two', 'eve')).toBe('accepted')
    expect((await run.result()).status).toBe('FAILED')
    await follows(run, plan)
    const fork = await keelson.fork(run.runId, { from: 'release', actorId: 'ana' })
    expect(await complete(await childOf(fork), 'prepare', 'zoe')).toBe('accepted')
    expect(await complete(fork, 'release', 'cy')).toBe('AUTHZ_DENIED')
    await fork.cancel()
    await follows(fork, plan)
  })
})
