/** Keelson as a service embeds it: typed plans, one run per request, events as they happen, people, a clean end. */
import { existsSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { definePlan, ofType } from '../../src/core/plan/write/builder.ts'
import { isEvent, loadPlan, openKeelson } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { gate, all, doubled, HELD, LOOSE, BROKEN } from '../fixtures/gated-plans.ts'

let directory = ''
beforeEach(() => {
  directory = testFolder()
})

describe('a typed plan', () => {
  it('starts as a document, with functions in groups, and gives its output', async () => {
    await using keelson = await openKeelson({ directory, steps: gate().steps })
    const run = await keelson.start(doubled, { n: 21 })
    expect(await run.result()).toEqual({ runId: run.runId, status: 'COMPLETED', output: { twice: 42 } })
    expect(await run.output()).toEqual({ twice: 42 })
    const compiled = await keelson.start(loadPlan(doubled), { n: 1 })
    expect((await compiled.output()).twice).toBe(2)
    expect(compiled.row.planSha256).toBe(run.row.planSha256)
  })

  it('that was published is started by steps of other plans', async () => {
    await using keelson = await openKeelson({ directory, steps: gate().steps })
    const head = { plan: 'all', version: '1.0.0', input: ofType<{ readonly numbers: readonly number[] }>() }
    const parent = definePlan(head, ({ input, step }) => {
      const each = step.forEach<{ readonly twice: number }, number>('each', input.numbers, (item) => ({
        plan: { planId: 'doubled' },
        with: { n: item },
      }))
      return { steps: [each], output: { all: each.output } }
    })
    await expect(keelson.start(parent, { numbers: [1] })).rejects.toMatchObject({ code: 'PLAN_NOT_FOUND' })
    expect((await keelson.list()).runs).toEqual([])
    expect(await keelson.publish(doubled)).toBe(loadPlan(doubled).sha256)
    const { all: outputs } = await (await keelson.start(parent, { numbers: [1, 2, 3] })).output()
    expect(outputs.map(({ twice }) => twice)).toEqual([2, 4, 6])
  })

  it('that is wrong is refused before anything starts', async () => {
    await using keelson = await openKeelson({ directory, steps: gate().steps })
    const wrong = definePlan({ plan: 'wrong', version: '1.0.0' }, ({ step }) => ({
      steps: [step('a', { run: 'math.double', dependsOn: ['b'] })],
    }))
    await expect(keelson.start(wrong)).rejects.toMatchObject({ code: 'PLAN_UNKNOWN_DEPENDENCY' })
    expect((await keelson.list()).runs).toEqual([])
  })
})

describe('a run', () => {
  it('is started once per request and once per run id, by whom the program says', async () => {
    await using keelson = await openKeelson({ directory, steps: gate().steps })
    const first = await keelson.start(doubled, { n: 1 }, { requestId: 'r-1', actorId: 'ana', runId: 'run-7' })
    const again = await keelson.start(doubled, { n: 1 }, { requestId: 'r-1' })
    const named = await keelson.start(doubled, { n: 1 }, { runId: 'run-7' })
    expect([first.existed, again.existed, named.existed]).toEqual([false, true, true])
    expect([again.runId, named.runId]).toEqual(['run-7', 'run-7'])
    expect(first.row.triggeredBy).toBe('ana')
    await first.result()
    expect((await (await keelson.run<{ readonly twice: number }>('run-7')).output()).twice).toBe(2)
  })

  it('is not taken for that of another request: the same request id with another input or plan is refused [BPQ-06]', async () => {
    await using keelson = await openKeelson({ directory, steps: gate().steps })
    const first = await keelson.start(doubled, { n: 1 }, { requestId: 'r-1' })
    const conflict = { code: 'IDEMPOTENCY_KEY_CONFLICT', message: expect.stringContaining(first.runId) as unknown }
    await expect(keelson.start(doubled, { n: 2 }, { requestId: 'r-1' })).rejects.toMatchObject(conflict)
    const altered = definePlan({ plan: 'doubled', version: '1.0.0' }, ({ step }) => ({
      steps: [step('other', { run: 'math.double', with: { of: 1 } })],
    }))
    await expect(keelson.start(altered, undefined, { requestId: 'r-1' })).rejects.toMatchObject(conflict)
    const big = { n: 1, note: 'x'.repeat(70_000) }
    const large = await keelson.start(LOOSE, big, { requestId: 'r-2' })
    expect((await keelson.start(LOOSE, { note: big.note, n: 1 }, { requestId: 'r-2' })).runId).toBe(large.runId)
    const other = keelson.start(LOOSE, { ...big, n: 3 }, { requestId: 'r-2' })
    await expect(other).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_CONFLICT' })
    expect((await keelson.list()).runs).toHaveLength(2)
    await Promise.all([first.result(), large.result()])
    await keelson.maintenance.erase(first.row, { reason: 'asked for' })
    // What was asked for is not known any more; the plan still is.
    expect((await keelson.start(doubled, { n: 9 }, { requestId: 'r-1' })).runId).toBe(first.runId)
  })

  it('that failed has no output to give, and says why', async () => {
    await using keelson = await openKeelson({ directory, steps: gate().steps })
    const run = await keelson.start(BROKEN)
    expect(await run.result()).toMatchObject({ status: 'FAILED', error: { code: 'WAREHOUSE_FULL', slot: 'ship' } })
    await expect(run.output()).rejects.toMatchObject({
      code: 'RUN_NOT_COMPLETED',
      message: expect.stringContaining('ship, WAREHOUSE_FULL, dock 3 is full') as unknown,
    })
  })

  it('shows its events while they are written, and all of them to who comes late', async () => {
    const { steps, open, entered } = gate()
    await using keelson = await openKeelson({ directory, steps })
    const run = await keelson.start(HELD)
    const seen: string[] = []
    const following = (async () => {
      for await (const event of run.events()) {
        seen.push(event.eventType)
        if (isEvent(event, 'StepStarted') && event.stepId === 'held') open()
      }
    })()
    await entered
    await following
    expect(seen.slice(-2)).toEqual(['StepCompleted', 'RunCompleted'])
    const late = await all(run.events(), ({ runSeq }) => runSeq)
    expect(late).toEqual(seen.map((_, index) => index + 1))
    expect(await all(run.events(late.length - 1), ({ eventType }) => eventType)).toEqual(['RunCompleted'])
  })

  it('is awaited no longer than its caller likes, and goes on', async () => {
    const { steps, open, entered } = gate()
    await using keelson = await openKeelson({ directory, steps })
    const run = await keelson.start(HELD)
    await entered
    const patience = new AbortController()
    const impatient = run.result({ signal: patience.signal })
    patience.abort(new Error('no more'))
    await expect(impatient).rejects.toThrow('no more')
    await expect(run.output({ signal: AbortSignal.abort(new Error('not at all')) })).rejects.toThrow('not at all')
    open()
    expect(await run.output()).toBe('through')
  })

  it('that is awaited when Keelson closes is left, said to be, and found again', async () => {
    const { steps, entered } = gate()
    const keelson = await openKeelson({ directory, steps })
    const run = await keelson.start(HELD)
    await entered
    const awaited = expect(run.result()).rejects.toMatchObject({ code: 'KEELSON_CLOSED' })
    await keelson.close()
    await awaited
    const next = gate()
    next.open()
    await using later = await openKeelson({ directory, steps: next.steps })
    expect(await (await later.run(run.runId)).output()).toBe('through')
  })

  it('may be left by who follows it, and a close ends the following', async () => {
    const { steps, entered } = gate()
    const keelson = await openKeelson({ directory, steps })
    const run = await keelson.start(HELD)
    for await (const { eventType } of run.events()) if (eventType === 'StepStarted') break
    await entered
    const rest = all(run.events(), ({ eventType }) => eventType)
    await keelson.close()
    expect((await rest).includes('RunCompleted')).toBe(false)
  })

  it('is paused, resumed and cancelled by name', async () => {
    const { steps, entered } = gate()
    await using keelson = await openKeelson({ directory, steps })
    const run = await keelson.start(HELD)
    await entered
    await run.pause('stock count')
    await run.resume()
    const { signalId } = await run.cancel('no longer wanted')
    expect(await run.result()).toMatchObject({ status: 'CANCELLED' })
    const signals = (await run.records()).filter(({ eventType }) => eventType === 'SignalAccepted')
    expect(signals.map(({ payload }) => payload?.['signalType'])).toEqual(['PAUSE', 'RESUME', 'CANCEL'])
    expect(signals.at(-1)?.payload).toMatchObject({ signalId })
  })

  it('tells who sent a signal, and takes one id once', async () => {
    const { steps, entered, open } = gate()
    await using keelson = await openKeelson({ directory, steps })
    const run = await keelson.start(HELD)
    await entered
    const signalId = '6f2c1c9e-4c8e-4d3a-9d53-0d1f2f7f9f10'
    expect(await run.signal('PAUSE', {}, { signalId, actorId: 'ana' })).toEqual({ kind: 'sent', signalId })
    expect(await run.signal('PAUSE', {}, signalId)).toEqual({ kind: 'repeat', signalId })
    await run.resume()
    open()
    await run.result()
    const accepted = (await run.records()).find(({ eventType }) => eventType === 'SignalAccepted')
    expect(JSON.stringify(accepted)).toContain('"ana"')
  })
})

describe('people and lists', () => {
  const SIGN = loadPlan<unknown, string>(
    'plan: sign\nversion: 1.0.0\nsteps: [{ id: sign, manual: { title: Sign it, rule: MakerChecker } }]\noutput: "${steps.sign.output}"',
  )

  it('tasks of all runs are listed and completed, by another than who started', async () => {
    await using keelson = await openKeelson({ directory })
    const run = await keelson.start(SIGN, {}, { actorId: 'ana' })
    const [task] = await all(keelson.tasks())
    expect(task).toMatchObject({ runId: run.runId, slot: 'sign', title: 'Sign it' })
    const completion = { completionToken: task?.token ?? '', outcome: 'Succeeded', result: 'signed' } as const
    await expect(run.completeTask({ ...completion, actorUserId: 'ana' })).rejects.toMatchObject({
      code: 'AUTHZ_DENIED',
    })
    await run.completeTask({ ...completion, actorUserId: 'ben' })
    expect(await run.output()).toBe('signed')
    expect(await all(keelson.tasks())).toEqual([])
  })

  it('a store in memory leaves no file behind, tasks and their tokens included', async () => {
    await using keelson = await openKeelson({ directory: ':memory:' })
    const run = await keelson.start(SIGN, {}, { actorId: 'ana' })
    const [task] = await run.tasks()
    const completion = { completionToken: task?.token ?? '', outcome: 'Succeeded', actorUserId: 'ben' } as const
    expect(await run.completeTask(completion)).toMatchObject({ kind: 'accepted' })
    await run.result()
    expect(existsSync(':memory:')).toBe(false)
  })

  it('runs are found by what they are', async () => {
    await using keelson = await openKeelson({ directory, steps: gate().steps })
    const good = await keelson.start(doubled, { n: 1 })
    const bad = await keelson.start(BROKEN)
    await Promise.all([good.result(), bad.result()])
    const failed = await all(keelson.runs({ status: ['FAILED'] }), ({ runId }) => runId)
    expect(failed).toEqual([bad.runId])
    expect((await keelson.list({ planId: 'doubled' })).runs.map(({ runId }) => runId)).toEqual([good.runId])
  })
})
