/** The two counters of an attempt: what a retry counts, what a crash counts, and what neither may change. */
import { describe, expect, it } from 'vitest'
import { sealEvents } from '../../src/app/log/seal.ts'
import { fail, KeelsonError } from '../../src/core/problems/problem.ts'
import type { RunCommit, RunStore } from '../../src/ports/run-store.ts'
import { scenario } from '../fixtures/scenario.ts'
import { seededRandom } from '../fixtures/virtual-time.ts'
import { World } from '../fixtures/virtual-world.ts'

const HELD = `
policy: { onFailure: hold, retry: { maxAttempts: 1 } }
steps: [{ id: a, run: f }, { id: b, run: f }]`

const identity = {
  runId: 'r',
  tenantId: 't',
  projectId: 'p',
  environmentId: 'e',
  planId: 'story',
  planVersion: '1.0.0',
}

function seal(counters: {
  readonly attempt: unknown
  readonly engineAttempt: unknown
}): readonly { readonly record: string }[] {
  const draft = { eventType: 'RunApproved', slot: 'RUN', payload: {}, ...counters } as never
  return sealEvents({
    identity,
    drafts: [{ draft, decision: { firstSeq: 1, cause: 'admit' } }],
    firstSeq: 1,
    previousHash: new Uint8Array(32),
    emittedAt: '2030-01-01T00:00:00.000Z',
    random: seededRandom('seal'),
  }).events
}

/** The store takes what it is given and then does not say so. */
function unanswered(inner: RunStore, when: (batch: readonly RunCommit[]) => boolean): RunStore {
  return {
    ...inner,
    commit: async (batch) => {
      const answer = await inner.commit(batch)
      return when(batch) ? fail('STORE_UNAVAILABLE', 'no answer') : answer
    },
  }
}

const writes =
  (eventType: string) =>
  (batch: readonly RunCommit[]): boolean =>
    batch.some((one) => one.events.some((event) => event.eventType === eventType))

describe('the logical attempt', () => {
  it('and the engine attempt are numbers, and a text is refused before anything is stored [ATT-01]', () => {
    const [event] = seal({ attempt: 1, engineAttempt: 2 })
    expect(JSON.parse(event?.record ?? '{}')).toMatchObject({ logicalAttemptId: 1, engineAttemptId: 2 })
    for (const wrong of [
      { attempt: '1', engineAttempt: 1 },
      { attempt: 1, engineAttempt: '1' },
      { attempt: 0, engineAttempt: 1 },
    ]) {
      expect(() => seal(wrong)).toThrow(KeelsonError)
    }
  })

  it('begins at 1 and is 2 after one RETRY_STEP [ATT-02, SSM-10]', () => {
    const run = scenario(HELD).start()
    expect(run.events('StepStarted')).toEqual(['StepStarted a#1'])
    run.fails('a', { code: 'FIRST' }).signals('RETRY_STEP', { stepId: 'a' })
    expect(run.events('StepStarted', 'StepFailed')).toEqual(['StepStarted a#1', 'StepFailed a#1', 'StepStarted a#2'])
    run.completes('a').completes('b')
    expect(run.status).toBe('COMPLETED')
    expect(run.payload('StepFailed', 'a')).toMatchObject({ error: { code: 'FIRST' }, final: true })
  })

  it('grows by a retry of the policy and by a skip of a failed step, not by a crash and not by a pause [ATT-03]', () => {
    const retried = scenario(`steps: [{ id: a, run: f }]`).start().fails('a').at('+1s')
    expect(retried.events('StepStarted')).toEqual(['StepStarted a#1', 'StepStarted a#2'])
    const skipped = scenario(HELD).start().fails('a').signals('SKIP_STEP', { stepId: 'a' })
    expect(skipped.events('StepSkipped')).toEqual(['StepSkipped a#2'])
    const crashed = scenario(HELD).start().adopted().completes('a', null, { engineAttempt: 2 })
    expect(crashed.events('StepStarted', 'StepCompleted')).toEqual([
      'StepStarted a#1',
      'StepCompleted a#1',
      'StepStarted b#1',
    ])
    const paused = scenario(HELD)
      .start()
      .signals('PAUSE')
      .signals('RESUME')
      .signals('PAUSE')
      .signals('RESUME')
      .completes('a')
    expect(paused.events('RunPaused', 'StepCompleted')).toEqual([
      'RunPaused RUN#1',
      'RunPaused RUN#2',
      'StepCompleted a#1',
    ])
  })

  it('is read back from the log by the next driver [ATT-09]', async () => {
    const world = new World()
    const first = world.process('first', {
      script: {
        f: ({ context, reject }) => (context.attempt === 1 ? reject(new Error('no')) : new Promise(() => undefined)),
      },
    })
    const key = await first.start(`steps: [{ id: a, run: f }]`)
    await world.runUntil(() => world.called().includes('a#2/1'))
    first.kill()
    world.process('second', {
      adoptOthers: true,
      script: {
        f: ({ context }) => {
          if (context.attempt < 3) throw new Error('again')
        },
      },
    })
    await world.runUntil(() => world.hasEnded(key))
    expect(world.row(key).status).toBe('COMPLETED')
    expect(world.log(key, 'StepStarted')).toEqual(['StepStarted a#1', 'StepStarted a#2', 'StepStarted a#3'])
    expect(world.called()).toEqual(['a#1/1', 'a#2/1', 'a#2/2', 'a#3/1'])
  })
})

describe('the engine attempt', () => {
  it('is on every event and 1 while nothing was restarted [ATT-05]', async () => {
    const world = new World()
    const key = await world.process('only').start(`steps: [{ id: a, run: f }, { id: b, wait: { forMs: 10 } }]`)
    await world.runUntil(() => world.hasEnded(key))
    expect(world.records(key).map((record) => record.engineAttemptId)).toEqual(world.records(key).map(() => 1))
  })

  it('grows by one with each crash, on the step and on the events of the run [ATT-04, P-27, X-16]', async () => {
    const world = new World()
    const [first, second] = [
      world.process('first', { script: { f: 'hold' } }),
      world.process('second', { adoptOthers: true, script: { f: 'hold' } }),
    ]
    const key = await first.start(`steps: [{ id: a, run: f }]`)
    first.kill()
    await world.runUntil(() => world.called().includes('a#1/2'))
    second.kill()
    world.process('third', { adoptOthers: true })
    await world.runUntil(() => world.hasEnded(key))
    expect(world.called()).toEqual(['a#1/1', 'a#1/2', 'a#1/3'])
    const counted = world
      .records(key)
      .map((record) => [record.eventType, record.logicalAttemptId, record.engineAttemptId])
    expect(counted).toEqual([
      ['RunApproved', 1, 1],
      ['RunStarted', 1, 1],
      ['StepStarted', 1, 1],
      ['StepCompleted', 1, 3],
      ['RunCompleted', 1, 3],
    ])
    expect(world.records(key)[3]?.payload).toMatchObject({ mayHaveRunTwice: true })
  })

  it('does not change what is scheduled, when, or in which order [ATT-06]', () => {
    const plan = `
policy: { concurrency: 2, retry: { maxAttempts: 2 } }
steps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: f, dependsOn: [] }, { id: c, run: f, dependsOn: [a] }, { id: d, run: f, dependsOn: [a, b] }]`
    const story = (engineAttempt: number) => {
      const run = scenario(plan).start().fails('a', { engineAttempt }).completes('b', null, { engineAttempt }).at('+1s')
      run
        .completes('a', null, { engineAttempt })
        .completes('c', null, { engineAttempt })
        .completes('d', null, { engineAttempt })
      return { events: run.events(), effects: run.effects, elapsed: run.elapsed, status: run.status }
    }
    expect(story(7)).toEqual(story(1))
    expect(story(1).status).toBe('COMPLETED')
  })

  it('may grow as it likes: a step that succeeds in the end has one start, one completion and no failure [ATT-08, X-18]', async () => {
    const world = new World()
    let driver = world.process('p0', { script: { f: 'hold' } })
    const key = await driver.start(`steps: [{ id: a, run: f }]`)
    for (let crash = 1; crash <= 2; crash += 1) {
      driver.kill()
      driver = world.process(`p${crash}`, { adoptOthers: true, script: { f: crash === 2 ? () => 'done' : 'hold' } })
      await world.runUntil(() => world.called().length === crash + 1)
    }
    await world.runUntil(() => world.hasEnded(key))
    expect(world.log(key, 'StepStarted', 'StepCompleted', 'StepFailed')).toEqual([
      'StepStarted a#1',
      'StepCompleted a#1',
    ])
  })
})

describe('a commit whose answer is lost', () => {
  const plan = `steps: [{ id: a, run: f }, { id: b, run: f }, { id: c, run: f }]`

  it('was made once: the process reads the log again and sends out what nobody was given [P-10]', async () => {
    const world = new World()
    let lost = 0
    const cuts = (batch: readonly RunCommit[]): boolean => writes('StepCompleted')(batch) && (lost += 1) <= 2
    const key = await world.process('only', { wrapStore: (store) => unanswered(store, cuts) }).start(plan)
    await world.runUntil(() => world.hasEnded(key))
    expect(lost).toBeGreaterThan(2)
    expect(world.row(key).status).toBe('COMPLETED')
    expect(world.called()).toEqual(['a#1/1', 'b#1/1', 'c#1/1'])
    expect(world.log(key, 'StepStarted', 'StepCompleted')).toHaveLength(6)
  })

  it('and whose process died is not repeated by the next one: same attempt, same key, one row [IDM-04]', async () => {
    const world = new World()
    const first = world.process('first', { wrapStore: (store) => unanswered(store, writes('StepCompleted')) })
    const key = await first.start(`steps: [{ id: a, run: f }, { id: b, run: f }]`)
    await world.runUntil(() => world.log(key, 'StepCompleted').length === 1)
    first.kill()
    world.process('second', { adoptOthers: true })
    await world.runUntil(() => world.hasEnded(key))
    const keys = world.records(key).map((record) => record.idempotencyKey)
    expect(new Set(keys).size).toBe(keys.length)
    expect(world.log(key, 'StepCompleted')).toEqual(['StepCompleted a#1', 'StepCompleted b#1'])
    expect(world.called('f').filter((call) => call.startsWith('a'))).toEqual(['a#1/1'])
  })

  it('fails one run of a batch and every other run of it alike, and all of them end well [P-10]', async () => {
    const world = new World()
    let lost = 0
    const process = world.process('only', {
      wrapStore: (store) =>
        unanswered(store, (batch) => batch.length > 1 && writes('StepCompleted')(batch) && (lost += 1) <= 3),
    })
    const keys = await Promise.all([1, 2, 3, 4].map(() => process.create(plan)))
    for (const answer of keys) if (answer.kind === 'started') process.engine.drive(answer.row.runKey, answer.report)
    await world.runUntil(() => keys.every(({ row }) => world.hasEnded(row.runKey)))
    expect(lost).toBeGreaterThan(0)
    expect(keys.map(({ row }) => world.row(row.runKey).status)).toEqual([
      'COMPLETED',
      'COMPLETED',
      'COMPLETED',
      'COMPLETED',
    ])
    for (const { row } of keys)
      expect(world.log(row.runKey, 'StepCompleted')).toEqual(['a', 'b', 'c'].map((id) => `StepCompleted ${id}#1`))
  })
})
