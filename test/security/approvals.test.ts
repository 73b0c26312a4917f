/**
 * Somebody who has one approval and wants more than it was given for: a second dispatch by a retry, a fallback, a signal, a fork,
 * a list or a child plan; or other input than was approved.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { payingSteps } from '../fixtures/paying-steps.ts'
import { until, untilFound } from '../fixtures/until.ts'
import { testFolder } from '../fixtures/folder.ts'
import { servicesOf } from '../../src/library/services-of.ts'

const planOf = (name: string, steps: string) => loadPlan(`plan: ${name}\nversion: 1.0.0\n${steps}`)
const RETRY = 'retry: { maxAttempts: 3, initialBackoffMs: 1 }'
const APPROVE = '{ id: approve, manual: { title: Approve, rule: MakerChecker } }'

let directory = ''
let keelson: Keelson
let paid: unknown[] = []
/** How often `pay` fails before it succeeds. */
let failures = 0

beforeEach(async () => {
  directory = testFolder()
  paid = []
  failures = 0
  const steps = payingSteps((input) => paid.push(input) > 0 && (failures -= 1) >= 0)
  keelson = await openKeelson({ directory, steps: { ...steps, other: (input) => paid.push(input) } })
})
afterEach(async () => {
  await keelson.close()
})

async function approve(run: RunHandle, slot = 'approve', actorUserId = 'checker'): Promise<void> {
  const { token } = await untilFound(async () => (await run.tasks()).find((task) => task.slot === slot))
  await run.completeTask({ completionToken: token, outcome: 'Succeeded', actorUserId })
}

const recordsOf = async (run: RunHandle, type: string, stepId: string) =>
  (await run.records()).filter((one) => one.eventType === type && one.stepId === stepId)

async function follows(run: RunHandle, { plan, sha256 }: ReturnType<typeof planOf>): Promise<void> {
  const report = verifyDecisions(await run.records(), { plan, graph: compileGraph(plan), sha256 })
  expect(report.differences).toEqual([])
}

describe('one approval is not used twice', () => {
  it('by the retry policy or a fallback, also with steps in between: the first failure is final [MAN-13]', async () => {
    for (const between of ['', '{ id: look, run: f }, '])
      for (const fallback of ['', ', fallback: { run: other }']) {
        paid = []
        failures = 2
        const plan = planOf(
          `retried-${between.length}-${fallback.length}`,
          `steps: [${APPROVE}, ${between}{ id: pay, run: pay, effect: irreversible, ${RETRY}${fallback} }]`,
        )
        const run = await keelson.start(plan, {}, { actorId: 'ana' })
        await approve(run)
        expect((await run.result()).status).toBe('FAILED')
        expect(paid).toHaveLength(1)
        const [started] = await recordsOf(run, 'StepStarted', 'pay')
        const [given] = await recordsOf(run, 'StepCompleted', 'approve')
        expect(started?.payload?.['approvals']).toEqual([{ stepId: 'approve', runSeq: given?.runSeq }])
        const [failed] = await recordsOf(run, 'StepFailed', 'pay')
        expect(failed?.payload).toMatchObject({ final: true, approvalSpent: true })
        await follows(run, plan)
      }
  })

  it('while what nobody approved is tried again as before, and so is what can be repeated', async () => {
    failures = 2
    const skipped = planOf(
      'skipped',
      `steps: [{ id: approve, if: "\`false\`", manual: { title: A } }, { id: pay, run: pay, effect: irreversible, ${RETRY} }]`,
    )
    expect((await (await keelson.start(skipped, {}, { actorId: 'ana' })).result()).status).toBe('COMPLETED')
    expect(paid).toHaveLength(3)
    failures = 2
    const harmless = planOf('harmless', `steps: [${APPROVE}, { id: pay, run: pay, ${RETRY} }]`)
    const run = await keelson.start(harmless, {}, { actorId: 'ana' })
    await approve(run)
    expect((await run.result()).status).toBe('COMPLETED')
  })

  it('by RETRY_STEP: it is refused, and names the way to another approval [MAN-13]', async () => {
    failures = 1
    const plan = planOf(
      'held',
      `policy: { onFailure: hold }\nsteps: [${APPROVE}, { id: pay, run: pay, effect: irreversible }]`,
    )
    const run = await keelson.start(plan, {}, { actorId: 'ana' })
    await approve(run)
    await until(async () => (await recordsOf(run, 'StepFailed', 'pay')).length === 1)
    for (const payload of [{ stepId: 'pay' }, { stepId: 'pay', force: true }, { stepId: 'pay', freshKey: true }])
      await expect(run.signal('RETRY_STEP', payload)).rejects.toMatchObject({
        code: 'APPROVAL_SPENT',
        message: expect.stringContaining("'approve' was given for one dispatch of 'pay'") as string,
      })
    expect((await run.why('pay')).map(({ kind }) => kind)).toContain('needs-decision')
    expect(JSON.stringify(await run.why('pay'))).not.toContain('RETRY_STEP')
    expect(paid).toHaveLength(1)
    await run.cancel()
    await follows(run, plan)
  })

  it('by a fork, a fork of it, or a fork from the step itself: each asks for its own [MAN-13]', async () => {
    failures = 1
    const plan = planOf('forked', `steps: [{ id: a, run: f }, ${APPROVE}, { id: pay, run: pay, effect: irreversible }]`)
    const run = await keelson.start(plan, {}, { actorId: 'ana' })
    await approve(run)
    expect((await run.result()).status).toBe('FAILED')
    const preview = await keelson.previewFork(run.runId, { from: 'pay' })
    expect([...preview.again]).toEqual([
      ['approve', { kind: 'approval', stepId: 'pay' }],
      ['pay', { kind: 'asked' }],
    ])
    failures = 1
    const first = await keelson.fork(run.runId, { from: 'pay', actorId: 'bo' })
    await until(async () => (await first.tasks()).length === 1)
    expect(paid).toHaveLength(1)
    for (const maker of ['ana', 'BO'])
      await expect(approve(first, 'approve', maker)).rejects.toMatchObject({ code: 'AUTHZ_DENIED' })
    await approve(first)
    expect((await first.result()).status).toBe('FAILED')
    const second = await keelson.fork(first.runId, { actorId: 'cy' })
    await until(async () => (await second.tasks()).length === 1)
    expect(paid).toHaveLength(2)
    await approve(second)
    expect((await second.result()).status).toBe('COMPLETED')
    expect(paid).toHaveLength(3)
    await follows(second, plan)
  })

  it('by a list: a plan that would release one dispatch for each item is not started [MAN-13]', async () => {
    for (const between of ['', '{ id: look, run: f }, ']) {
      const plan = planOf(
        'many',
        `steps: [${APPROVE}, ${between}{ id: pay, forEach: "[\`1\`, \`2\`]", run: pay, effect: irreversible }]`,
      )
      await expect(keelson.start(plan)).rejects.toMatchObject({ code: 'APPROVAL_FOR_MANY' })
    }
    expect(paid).toEqual([])
  })

  it('by a child plan that is started again, when its run had dispatched what cannot be undone [MAN-13]', async () => {
    failures = 5
    const child = planOf('pays', 'steps: [{ id: look, run: f }, { id: pay, run: pay, effect: irreversible }]')
    await keelson.publish(child)
    const plan = planOf(
      'pays-by-child',
      `policy: { onFailure: hold }\nsteps: [${APPROVE}, { id: c, plan: { planId: pays }, ${RETRY} }]`,
    )
    const run = await keelson.start(plan, {}, { actorId: 'ana' })
    await approve(run)
    await until(async () => (await recordsOf(run, 'StepFailed', 'c')).some((one) => one.payload?.['final'] === true))
    const attempts = (await recordsOf(run, 'StepStarted', 'c')).length
    await run.signal('RETRY_STEP', { stepId: 'c' })
    await until(async () => (await recordsOf(run, 'StepFailed', 'c')).length > attempts)
    const codes = (await recordsOf(run, 'StepFailed', 'c')).map(
      ({ payload }) => (payload?.['error'] as { readonly code: string } | undefined)?.code,
    )
    // The first child dispatched it; the retry policy and the signal begin attempts that start no child.
    expect(codes).toEqual(['CHILD_FAILED', 'APPROVAL_SPENT', 'APPROVAL_SPENT'])
    expect(paid).toHaveLength(1)
    await run.cancel()
    await run.result()
    expect(paid).toHaveLength(1)
    await follows(run, plan)
  })
})

describe('what was approved is what is dispatched', () => {
  const PLAN = `steps: [${APPROVE}, { id: hold, wait: { forMs: 60000 } }, { id: pay, run: pay, with: { amount: "\${input.amount}" }, effect: irreversible }]`

  it('input, override and target are not changed between approval and dispatch [MAN-13]', async () => {
    const plan = planOf('bound', PLAN)
    const run = await keelson.start(plan, { amount: 1 }, { actorId: 'ana' })
    await approve(run)
    await until(async () => (await recordsOf(run, 'StepStarted', 'hold')).length === 1)
    const reason = 'more'
    for (const [type, payload] of [
      ['UPDATE_PARAMS', { params: { amount: 1000 }, reason }],
      ['INJECT_OVERRIDE', { stepId: 'pay', override: { amount: 1000 }, reason }],
      ['UPDATE_TARGET', { stepId: 'pay', newTarget: { db: 'other' }, reason }],
    ] as const)
      await expect(run.signal(type, payload, { actorId: 'ana' })).rejects.toMatchObject({
        code: 'APPROVAL_BINDS_INPUT',
      })
    await run.cancel()
    await follows(run, plan)
  })

  it('who was asked before a change is asked again, and who made the change does not approve it [MAN-08]', async () => {
    const plan = planOf(
      'asked-again',
      `steps: [${APPROVE}, { id: pay, run: pay, with: { amount: "\${input.amount}" }, effect: irreversible }]`,
    )
    const run = await keelson.start(plan, { amount: 1 }, { actorId: 'ana' })
    await until(async () => (await run.tasks()).length === 1)
    const [task] = await run.tasks()
    const completion = { completionToken: task?.token ?? '', outcome: 'Succeeded', actorUserId: 'checker' } as const
    await run.signal('UPDATE_PARAMS', { params: { amount: 2 }, reason: 'a mistake' }, { actorId: 'Bo' })
    await expect(run.completeTask(completion)).rejects.toMatchObject({ code: 'TASK_NOT_OPEN' })
    await expect(approve(run, 'approve', 'bo')).rejects.toMatchObject({ code: 'AUTHZ_DENIED' })
    // An inbox row that was on its way when the change came.
    const { store } = servicesOf(keelson)
    const result = { kind: 'completed', output: null, artifactRefs: [], durationMs: 0, by: { actorId: 'checker' } }
    const body = JSON.stringify({ slot: 'approve', attempt: 1, engineAttempt: 1, seenChanges: 0, result })
    await store.insertInbox(run.row, { inboxId: 'manual:late', kind: 'manual', body })
    await run.signal('RESUME')
    await until(async () => (await run.records()).some((one) => one.payload?.['reasonCode'] === 'TASK_NOT_OPEN'))
    expect(paid).toEqual([])
    await approve(run)
    expect((await run.result()).status).toBe('COMPLETED')
    expect(paid).toEqual([{ amount: 2 }])
    await follows(run, plan)
  })

  it('a run that somebody approved in the queue keeps its input [MAN-13]', async () => {
    const plan = planOf('queued', 'steps: [{ id: pay, run: pay, with: { amount: "${input.amount}" } }]')
    const run = await keelson.start(plan, { amount: 1 }, { queue: true, autoApprove: false, actorId: 'ana' })
    await keelson.queue.approve(run.runId, { actorId: 'bo' })
    const change = { params: { amount: 1000 }, reason: 'more' }
    const asked = run.signal('UPDATE_PARAMS', change, { actorId: 'ana' })
    await expect(asked).rejects.toMatchObject({ code: 'APPROVAL_BINDS_INPUT' })
    const refused = (await run.records()).find((one) => one.eventType === 'SignalRejected')
    expect(refused?.payload).toMatchObject({ reasonCode: 'APPROVAL_BINDS_INPUT' })
    await follows(run, plan)
  })

  it('a task is not skipped by who may not complete it; who may and does has approved [MAN-08]', async () => {
    const plan = planOf(
      'skips',
      `steps: [{ id: hold, wait: { forMs: 60000 } }, ${APPROVE}, { id: pay, run: pay, effect: irreversible }]`,
    )
    const run = await keelson.start(plan, {}, { actorId: 'ana' })
    await until(async () => (await recordsOf(run, 'StepStarted', 'hold')).length === 1)
    await expect(run.signal('SKIP_STEP', { stepId: 'approve' }, { actorId: 'Ana' })).rejects.toMatchObject({
      code: 'AUTHZ_DENIED',
      message: expect.stringContaining("Ana may not skip 'approve': ana started this run (MakerChecker)") as string,
    })
    await run.signal('SKIP_STEP', { stepId: 'approve' }, { actorId: 'bo' })
    await run.cancel()
    await follows(run, plan)
  })
})
