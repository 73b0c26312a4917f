/** What a person releases is dispatched once: by one executor, over crashes, and however often the approval is sent. */
import { describe, expect, it } from 'vitest'
import { completeTask, listTasks, type CompletionAnswer } from '../../src/app/steer/manual-tasks.ts'
import type { TaskCompletion } from '../../src/app/inbox/task-completion.ts'
import { createRunDriver } from '../../src/app/engines/run-driver.ts'
import type { RunDriver } from '../../src/ports/engine.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import type { SigningKeys } from '../../src/ports/signing-keys.ts'
import { World, type Process } from '../fixtures/virtual-world.ts'

const KEY = { keyId: 'k1', secret: new Uint8Array(32).fill(7) }
const KEYS: SigningKeys = { current: async () => KEY, find: async (keyId) => (keyId === KEY.keyId ? KEY : undefined) }

const PLAN = `
policy: { retry: { maxAttempts: 3 } }
steps: [{ id: release, manual: { title: Release it } }, { id: pay, run: pay, effect: irreversible }, { id: after, run: f }]`

async function tokenOf(process: Process, key: RunKey): Promise<string> {
  const [task] = await listTasks(process.services.store, KEYS, await process.advancer.current(key))
  return task?.token ?? ''
}

async function approve(
  process: Process,
  key: RunKey,
  completionToken: string,
  more: Partial<TaskCompletion> = {},
): Promise<CompletionAnswer> {
  const completion = { completionToken, outcome: 'Succeeded', actorUserId: 'maria', notes: 'seen', ...more } as const
  const answer = await completeTask(process.services, process.advancer, KEYS, process.world.row(key), completion)
  process.engine.wake(key)
  await process.world.time.quiet()
  return answer
}

function driverOf({ services, advancer, engine }: Process): RunDriver {
  return createRunDriver(services, advancer, { lease: () => engine.lease(), onChild: () => undefined })
}

/** Everything on record of a run: events, inbox rows, claims. */
function onRecord(world: World, key: RunKey): readonly number[] {
  const run = world.disk.runs[key - 1]
  return [world.records(key).length, run?.inbox.size ?? 0, run?.claims.size ?? 0]
}

describe('an approved action', () => {
  it('is dispatched by one of two executors that race for it, and the other does nothing [MAN-13]', async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const world = new World()
      const both = [world.process('one', { script: { pay: () => 'paid' } }), world.process('two')] as const
      const created = await both[0].create(PLAN)
      const key = created.row.runKey
      await approve(both[0], key, await tokenOf(both[0], key))
      const drivers = both.map(driverOf)
      const report = await drivers[0]?.advance(key)
      const effect = report?.effects.find((one) => 'slot' in one && one.slot === 'pay')
      if (effect === undefined) throw new Error('pay was not owed')
      const { signal } = new AbortController()
      const racing = order.map((index) => drivers[index]?.execute(key, effect, signal))
      const ends = (await Promise.all(racing)).map((end) => end?.result.kind)
      expect(world.called('pay')).toEqual(['pay#1/1'])
      expect([...ends].sort()).toEqual(['completed', 'failed'])
      expect(world.disk.runs[0]?.claims.size).toBe(1)
    }
  })

  it('that had begun when its process died is not dispatched again, whoever asks [MAN-13]', async () => {
    const world = new World()
    const first = world.process('first', { script: { pay: 'hold' } })
    const key = await first.start(PLAN)
    const token = await tokenOf(first, key)
    await approve(first, key, token)
    await world.runUntil(() => world.called('pay').length === 1)
    first.kill()
    const second = world.process('second', { adoptOthers: true })
    await world.runUntil(() => world.log(key, 'StepFailed').length === 1)
    const before = onRecord(world, key)
    const answer = await approve(second, key, token)
    await world.advanceBy(3_600_000)
    expect(world.called('pay')).toEqual(['pay#1/1'])
    expect(answer).toMatchObject({
      kind: 'repeat',
      approved: {
        state: 'Executed',
        results: [{ stepId: 'pay', status: 'failure', error: { code: 'INDETERMINATE' } }],
      },
    })
    expect(onRecord(world, key)).toEqual(before)

    // The approval is spent, whatever became of the payment: another one takes a fork, which asks again.
    await second.signal(key, 'RETRY_STEP', { stepId: 'pay', reason: 'the bank knows nothing of it' })
    await world.runUntil(() => world.log(key, 'SignalRejected').length === 1)
    const refused = world.records(key).find(({ eventType }) => eventType === 'SignalRejected')
    expect(refused?.payload).toMatchObject({ reasonCode: 'APPROVAL_SPENT' })
    await second.signal(key, 'SKIP_STEP', { stepId: 'pay', reason: 'the bank has it' })
    await world.runUntil(() => world.hasEnded(key))
    expect(world.called('pay')).toEqual(['pay#1/1'])
    expect(world.row(key).status).toBe('COMPLETED')
  })

  it('says Approved before it starts, Executing while it runs, then its first result, and records nothing anew [MAN-13]', async () => {
    const world = new World()
    const process = world.process('only', { script: { pay: 'hold' } })
    const key = await process.start(PLAN)
    const token = await tokenOf(process, key)
    await process.signal(key, 'PAUSE')
    expect(await approve(process, key, token)).toEqual({ kind: 'accepted', outcome: 'Succeeded' })
    expect(await approve(process, key, token)).toMatchObject({ approved: { state: 'Approved', results: [] } })
    await process.signal(key, 'RESUME')
    await world.runUntil(() => world.called('pay').length === 1)
    expect(await approve(process, key, token)).toEqual({
      kind: 'repeat',
      outcome: 'Succeeded',
      approved: { state: 'Executing', results: [] },
    })
    world.calls[0]?.resolve({ receipt: 'R-1' })
    await world.runUntil(() => world.hasEnded(key))
    const before = onRecord(world, key)
    for (let time = 0; time < 3; time += 1) {
      expect(await approve(process, key, token)).toMatchObject({
        kind: 'repeat',
        approved: { state: 'Executed', results: [{ stepId: 'pay', status: 'success', output: { receipt: 'R-1' } }] },
      })
    }
    await world.advanceBy(60_000)
    expect(world.called('pay')).toEqual(['pay#1/1'])
    expect(onRecord(world, key)).toEqual(before)
  })

  it('under the same approval with other content is a conflict that changes nothing [MAN-13]', async () => {
    const world = new World()
    const process = world.process('only', { script: { pay: 'hold' } })
    const key = await process.start(PLAN)
    const token = await tokenOf(process, key)
    await approve(process, key, token)
    await world.runUntil(() => world.called('pay').length === 1)
    const before = onRecord(world, key)
    for (const other of [
      { outcome: 'Failed' },
      { notes: 'not seen' },
      { actorUserId: 'olga' },
      { result: { limit: 7 } },
      { evidenceRefs: ['e-1'] },
    ] as const)
      expect(await approve(process, key, token, other)).toEqual({ kind: 'conflict', outcome: 'Succeeded' })
    expect(onRecord(world, key)).toEqual(before)
    world.calls[0]?.resolve()
    await world.runUntil(() => world.hasEnded(key))
    expect(world.row(key).status).toBe('COMPLETED')
    expect(world.called('pay')).toEqual(['pay#1/1'])
  })

  it('is released by one of two people who approve at once; what the other sent is told apart [MAN-13]', async () => {
    const world = new World()
    const [one, two] = [world.process('one'), world.process('two')]
    const key = await one.start(PLAN)
    const token = await tokenOf(one, key)
    const answers = await Promise.all([
      approve(one, key, token),
      approve(two, key, token),
      approve(two, key, token, { actorUserId: 'olga' }),
    ])
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['accepted', 'conflict', 'repeat'])
    await world.runUntil(() => world.hasEnded(key))
    expect(world.called('pay')).toEqual(['pay#1/1'])
    expect(world.log(key, 'StepCompleted')).toEqual([
      'StepCompleted release#1',
      'StepCompleted pay#1',
      'StepCompleted after#1',
    ])
  })
})
