/** Manual tasks: who may end one, when, how often, and what its outcome does to the run. */
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { completeTask, listTasks, type CompletionAnswer } from '../../src/app/steer/manual-tasks.ts'
import type { TaskCompletion } from '../../src/app/inbox/task-completion.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import type { SigningKeys } from '../../src/ports/signing-keys.ts'
import { scenario } from '../fixtures/scenario.ts'
import { World, type Process } from '../fixtures/virtual-world.ts'

const KEY = { keyId: 'k1', secret: new Uint8Array(32).fill(7) }
const KEYS: SigningKeys = { current: async () => KEY, find: async (keyId) => (keyId === KEY.keyId ? KEY : undefined) }

const PLAN = `
policy: { retry: { maxAttempts: 5 } }
steps: [{ id: a, run: slow }, { id: sign, manual: { title: Sign it } }, { id: b, run: f }]`

function tokenFor(runId: string, slot: string, attempt: number): string {
  return `k1.${createHmac('sha256', KEY.secret)
    .update(JSON.stringify(['task', 'local', runId, slot, attempt, 1, 0]))
    .digest('hex')}`
}

async function complete(
  process: Process,
  key: RunKey,
  completionToken: string,
  outcome: TaskCompletion['outcome'] = 'Succeeded',
): Promise<CompletionAnswer | string> {
  try {
    const answer = await completeTask(process.services, process.advancer, KEYS, process.world.row(key), {
      completionToken,
      outcome,
      actorUserId: 'maria',
    })
    process.engine.wake(key)
    await process.world.time.quiet()
    return answer
  } catch (thrown) {
    return thrown instanceof KeelsonError ? thrown.code : String(thrown)
  }
}

const tasksOf = async (
  process: Process,
  key: RunKey,
): Promise<readonly { readonly slot: string; readonly token: string }[]> =>
  listTasks(process.services.store, KEYS, await process.advancer.current(key))

describe('the token of a manual task', () => {
  it('counts only while the task is open; then it answers the first result, and any other is refused [MAN-04, MAN-06]', async () => {
    const world = new World()
    const process = world.process('only', { script: { slow: 'hold' } })
    const key = await process.start(PLAN)
    const token = tokenFor(world.row(key).runId, 'sign', 1)
    expect(await complete(process, key, token)).toBe('TASK_NOT_OPEN')
    world.calls[0]?.resolve('done')
    await world.time.quiet()
    expect((await tasksOf(process, key)).map((task) => task.token)).toEqual([token])
    expect(await complete(process, key, token, 'Succeeded')).toEqual({ kind: 'accepted', outcome: 'Succeeded' })
    await world.runUntil(() => world.hasEnded(key))
    const length = world.records(key).length

    expect(await complete(process, key, token, 'Succeeded')).toMatchObject({ kind: 'repeat', outcome: 'Succeeded' })
    expect(await complete(process, key, token, 'Failed')).toEqual({ kind: 'conflict', outcome: 'Succeeded' })
    expect(await complete(process, key, tokenFor(world.row(key).runId, 'sign', 2))).toBe('TASK_NOT_OPEN')
    await world.advanceBy(1000)
    expect(world.records(key)).toHaveLength(length)
    expect(world.row(key).status).toBe('COMPLETED')
  })

  it('must be the one of this task and this attempt [MAN-05]', async () => {
    const world = new World()
    const process = world.process('only')
    const key = await process.start(`
policy: { onFailure: hold }
steps: [{ id: sign, manual: { title: Sign it } }]`)
    const { runId } = world.row(key)
    const [task] = await tasksOf(process, key)
    const first = task?.token ?? ''
    for (const wrong of [
      `${first.slice(0, -1)}0`,
      first.replace('k1.', 'k2.'),
      '',
      tokenFor('another-run', 'sign', 1),
      tokenFor(runId, 'other', 1),
    ]) {
      expect(await complete(process, key, wrong === first ? `${first.slice(0, -1)}1` : wrong)).toBe('TASK_NOT_OPEN')
    }
    expect(await complete(process, key, first, 'Failed')).toEqual({ kind: 'accepted', outcome: 'Failed' })
    await process.signal(key, 'RETRY_STEP', { stepId: 'sign' })
    const [again] = await tasksOf(process, key)
    expect(again?.token).not.toBe(first)
    expect(await complete(process, key, first, 'Succeeded')).toEqual({ kind: 'conflict', outcome: 'Failed' })
    expect(world.row(key).status).toBe('RUNNING')
    expect(await complete(process, key, again?.token ?? '')).toEqual({ kind: 'accepted', outcome: 'Succeeded' })
    expect(world.row(key).status).toBe('COMPLETED')
  })

  it('is derived again by the next process, and lies in no record, row or snapshot [MAN-05]', async () => {
    const world = new World()
    const first = world.process('first')
    const key = await first.start(`steps: [{ id: sign, manual: { title: Sign it } }]`)
    const [task] = await tasksOf(first, key)
    first.kill()
    const second = world.process('second', { adoptOthers: true })
    expect(await tasksOf(second, key)).toEqual([task])
    expect(await complete(second, key, task?.token ?? '')).toEqual({ kind: 'accepted', outcome: 'Succeeded' })
    await world.runUntil(() => world.hasEnded(key))
    expect(JSON.stringify([world.disk.runs[0]?.events, [...(world.disk.runs[0]?.inbox.values() ?? [])]])).not.toContain(
      task?.token,
    )
  })
})

describe('waiting for a person', () => {
  it('is entered by manual steps only; what runs by itself opens no task [MAN-01]', async () => {
    const world = new World()
    const process = world.process('only', { script: { slow: 'hold' } })
    const key = await process.start(PLAN)
    expect(world.log(key, 'ManualTaskOpened')).toEqual([])
    expect(await tasksOf(process, key)).toEqual([])
    expect(await complete(process, key, tokenFor(world.row(key).runId, 'a', 1))).toBe('TASK_NOT_OPEN')
    world.calls[0]?.resolve()
    await world.time.quiet()
    expect(world.log(key, 'ManualTaskOpened')).toEqual(['ManualTaskOpened sign#1'])
    expect((await tasksOf(process, key)).map((task) => task.slot)).toEqual(['sign'])
  })

  it('has no time limit of its own unless the task says so, takes no slot, and its expiry is final [X-78]', () => {
    const open = scenario(`
policy: { concurrency: 1, timeoutMs: 1000 }
steps: [{ id: sign, manual: { title: Sign }, dependsOn: [] }, { id: a, run: f, dependsOn: [] }]`).start()
    expect(open.dispatched()).toEqual(['a#1'])
    open.completes('a').at('+1000h')
    expect(open.status).toBe('RUNNING')
    expect(open.completes('sign').status).toBe('COMPLETED')
    const expiring = scenario(`steps: [{ id: sign, manual: { title: Sign, expiresAfterMs: 60000 } }]`)
      .start()
      .at('+59999ms')
    expect(expiring.status).toBe('RUNNING')
    expiring.at('+1ms')
    expect(expiring.payload('StepFailed', 'sign')).toMatchObject({ error: { code: 'MANUAL_EXPIRED' }, final: true })
    expect(expiring.status).toBe('FAILED')
  })

  it('goes on through a pause, and a cancel closes the task [X-78]', async () => {
    const paused = scenario(`steps: [{ id: sign, manual: { title: Sign } }, { id: b, run: f }]`)
      .start()
      .signals('PAUSE')
      .completes('sign')
    expect(paused.events('StepCompleted', 'StepStarted')).toEqual(['StepStarted sign#1', 'StepCompleted sign#1'])
    expect(paused.signals('RESUME').dispatched()).toEqual(['b#1'])
    const world = new World()
    const process = world.process('only')
    const key = await process.start(`steps: [{ id: sign, manual: { title: Sign it } }]`)
    const [task] = await tasksOf(process, key)
    await process.signal(key, 'CANCEL')
    expect(world.row(key).status).toBe('CANCELLED')
    expect(await complete(process, key, task?.token ?? '')).toBe('TASK_NOT_OPEN')
  })
})

describe('the outcome of a task', () => {
  const decided = async (outcome: TaskCompletion['outcome']): Promise<{ world: World; key: RunKey }> => {
    const world = new World()
    const process = world.process('only')
    const key = await process.start(PLAN.replace('slow', 'f'))
    await world.runUntil(() => world.log(key, 'ManualTaskOpened').length === 1)
    const [task] = await tasksOf(process, key)
    await complete(process, key, task?.token ?? '', outcome)
    await world.runUntil(() => world.hasEnded(key))
    return { world, key }
  }

  it('Succeeded goes on with the graph, Failed is final whatever maxAttempts says [MAN-09]', async () => {
    const succeeded = await decided('Succeeded')
    expect(succeeded.world.row(succeeded.key).status).toBe('COMPLETED')
    expect(succeeded.world.called()).toEqual(['a#1/1', 'b#1/1'])
    const failed = await decided('Failed')
    expect(failed.world.log(failed.key).slice(-2)).toEqual(['StepFailed sign#1', 'RunFailed RUN#1'])
    expect(failed.world.called()).toEqual(['a#1/1'])
    expect(failed.world.records(failed.key).at(-2)?.payload).toMatchObject({
      error: { code: 'MANUAL_FAILED' },
      final: true,
      actorId: 'maria',
    })
  })

  it('Cancelled is a final failure too, and the root cause of the run [X-102, MAN-09]', async () => {
    const { world, key } = await decided('Cancelled')
    expect(world.row(key)).toMatchObject({ status: 'FAILED', errorCode: 'MANUAL_CANCELLED' })
    expect(world.records(key).at(-1)?.payload).toMatchObject({
      error: { code: 'MANUAL_CANCELLED' },
      rootCause: { slot: 'sign', attempt: 1 },
    })
    expect(world.called()).toEqual(['a#1/1'])
  })
})

describe('an automatic step', () => {
  it('ends once: a second end of the same attempt is ignored [MAN-10]', () => {
    const run = scenario(`steps: [{ id: a, run: f }, { id: b, run: f }]`).start().completes('a', 'first')
    const length = run.log.length
    run.completes('a', 'second', { attempt: 1 })
    expect(run.log).toHaveLength(length)
    run.fails('a', { attempt: 1 })
    expect(run.log).toHaveLength(length)
    expect(run.completes('b').status).toBe('COMPLETED')
  })
})
