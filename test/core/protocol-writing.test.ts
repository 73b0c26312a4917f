/** How a run is written: appends of at most 500 events, effects after the commit, causes. */
import { describe, expect, it } from 'vitest'
import { fail } from '../../src/core/problems/problem.ts'
import type { RunCommit, RunStore } from '../../src/ports/run-store.ts'
import { World, type Script } from '../fixtures/virtual-world.ts'

const list = (length: number): { input: { list: number[] } } => ({
  input: { list: Array.from({ length }, (_, index) => index) },
})
const fan = (concurrency: number): string =>
  `policy: { concurrency: ${concurrency} }\nsteps: [{ id: s, forEach: "input.list", run: f }, { id: after, run: g }]`

/** Calls `seen` with each commit that the store is given, before it is made. */
const watching =
  (seen: (commit: RunCommit) => void) =>
  (store: RunStore): RunStore => ({
    ...store,
    commit: async (batch) => {
      for (const commit of batch) seen(commit)
      return store.commit(batch)
    },
  })

describe('an append', () => {
  it('holds at most 500 events: a fan-out of 2,000 goes on over several, and nothing is lost or doubled [P-11]', async () => {
    const world = new World()
    const sizes: number[] = []
    const wakes: (number | undefined)[] = []
    const watch = (commit: RunCommit): void => {
      sizes.push(commit.events.length)
      const isCut = commit.events.length >= 490 && commit.events.at(-1)?.eventType === 'StepStarted'
      if (isCut) wakes.push((commit.summary.nextWakeAt ?? Infinity) - world.time.now())
    }
    const process = world.process('only', { wrapStore: watching(watch) })
    const key = await process.start(fan(2000), list(2000))
    await world.runUntil(() => world.hasEnded(key))
    expect(world.row(key).status).toBe('COMPLETED')
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500)
    const started = world.log(key, 'StepStarted')
    expect(started).toHaveLength(2002)
    expect(new Set(started).size).toBe(2002)
    expect(world.calls).toHaveLength(2001)
    expect(wakes.length).toBeGreaterThan(0)
    expect(new Set(wakes)).toEqual(new Set([0]))
    const causes = new Set(
      world
        .records(key)
        .filter((record) => record.eventType === 'StepStarted')
        .map((record) => record.decision.cause.replace(/:.*/, '')),
    )
    expect([...causes]).toContain('cut')
  })

  it('holds at most 500 events: a cancel of 1,200 attempts in flight ends every one of them [P-11, X-57]', async () => {
    for (const behaviour of ['hold', 'obey'] as const) {
      const world = new World()
      const sizes: number[] = []
      const script = {
        f:
          behaviour === 'hold'
            ? ('hold' as const)
            : ({ context, reject }: { context: { signal: AbortSignal }; reject: (thrown: unknown) => void }) => {
                context.signal.addEventListener('abort', () => reject(context.signal.reason))
                return new Promise(() => undefined)
              },
      }
      const process = world.process('only', {
        script,
        maxSteps: 1200,
        wrapStore: watching((commit) => sizes.push(commit.events.length)),
      })
      const key = await process.start(fan(2000), list(1200))
      await world.runUntil(() => world.calls.length === 1200)
      await process.signal(key, 'CANCEL')
      await world.runUntil(() => world.hasEnded(key))
      expect(Math.max(...sizes)).toBeLessThanOrEqual(500)
      expect(world.log(key, 'StepFailed')).toHaveLength(1201)
      expect(new Set(world.log(key, 'StepFailed')).size).toBe(1201)
      expect(world.log(key).at(-1)).toBe('RunCancelled RUN#1')
      expect(world.calls.every(({ context }) => context.signal.aborted)).toBe(true)
    }
  })

  it('in the middle of the end is part of it: after the first skip signals find an ended run [P-11]', async () => {
    const world = new World()
    const first = world.process('first', { script: { bad: () => Promise.reject(new Error('no')) } })
    const steps = Array.from({ length: 700 }, (_, index) => `{ id: d${index}, run: f, dependsOn: [a] }`)
    const plan = `policy: { onFailure: continue, retry: { maxAttempts: 1 } }\nsteps: [{ id: a, run: bad, dependsOn: [] }, ${steps.join(', ')}]`
    const answer = await first.create(plan)
    const key = answer.row.runKey
    const report = {
      slot: 'a',
      attempt: 1,
      engineAttempt: 1,
      result: { kind: 'failed', thrown: new Error('no'), durationMs: 1 },
    } as const
    await first.advancer.advance(key, { reports: [report] })
    expect(world.row(key).status).toBe('RUNNING')
    expect(world.row(key).nextWakeAt).toBe(world.time.now())
    const head = world.records(key).length
    await first.signal(key, 'RETRY_STEP', { stepId: 'a' })
    await first.advancer.advance(key)
    expect(world.records(key)[head]?.payload).toMatchObject({ signalType: 'RETRY_STEP', reasonCode: 'RUN_TERMINAL' })
    expect(world.row(key).status).toBe('FAILED')
    expect(new Set(world.log(key, 'StepSkipped')).size).toBe(700)
    expect(world.log(key, 'StepSkipped')).toHaveLength(700)
  })
})

describe('effects', () => {
  it('leave only after the commit of the decision that opened them [P-13]', async () => {
    const world = new World()
    const order: string[] = []
    let refusals = 3
    const flaky = (store: RunStore): RunStore => ({
      ...store,
      commit: async (batch) => {
        const types = batch.flatMap((one) => one.events.map((event) => event.eventType))
        if (types.includes('StepCompleted') && (refusals -= 1) >= 0)
          return fail('STORE_UNAVAILABLE', 'the disk is full')
        const answer = await store.commit(batch)
        if (types.includes('StepStarted'))
          order.push(
            `committed ${batch.flatMap((one) => one.events).filter((event) => event.eventType === 'StepStarted').length}`,
          )
        return answer
      },
    })
    const process = world.process('only', {
      wrapStore: flaky,
      script: { '*': ({ context }) => void order.push(`called ${context.stepId}`) },
    })
    const key = await process.start(`steps: [{ id: a, run: f }, { id: b, run: f }, { id: c, run: f }]`)
    await world.runUntil(() => world.hasEnded(key))
    expect(order).toEqual(['committed 1', 'called a', 'committed 1', 'called b', 'committed 1', 'called c'])
    expect(refusals).toBeLessThan(0)
    expect(world.log(key, 'StepCompleted')).toHaveLength(3)
  })
})

describe('a commit that was given up', () => {
  it('and lands after the log was read again is found: what it owes is carried out, once [P-10]', async () => {
    const world = new World()
    const late: { commit?: () => Promise<unknown> } = {}
    let isSlow = false
    const wrapStore = (store: RunStore): RunStore => ({
      ...store,
      commit: async (batch) => {
        if (!isSlow) return store.commit(batch)
        isSlow = false
        late.commit = () => store.commit(batch)
        return fail('STORE_WRITE_TIMEOUT', 'the store did not answer in time')
      },
    })
    const script: Script = {
      f: ({ context }) => {
        if (context.attempt === 1) throw new Error('again')
      },
    }
    const process = world.process('only', { wrapStore, script })
    const { row } = await process.create(
      'steps: [{ id: a, run: f, retry: { maxAttempts: 2, initialBackoffMs: 1000 } }]',
    )
    const { runKey } = row
    const [effect] = (await process.advancer.advance(runKey, { open: true })).effects
    if (effect?.kind !== 'ExecuteStep') throw new Error('the step was not sent out')
    const { slot, attempt, engineAttempt } = effect
    const failure = { kind: 'failed', thrown: new Error('again'), durationMs: 1 } as const
    await process.advancer.advance(runKey, { reports: [{ slot, attempt, engineAttempt, result: failure }] })
    const dueAt = world.row(runKey).nextWakeAt ?? 0
    // The second attempt starts, and nobody hears of it.
    world.time.turnTo(dueAt)
    isSlow = true
    await expect(process.advancer.advance(runKey)).rejects.toMatchObject({ code: 'STORE_WRITE_TIMEOUT' })
    // Read again, the log says that nothing is owed: so far that is true.
    world.time.turnTo(dueAt - 500)
    expect((await process.advancer.advance(runKey)).effects).toEqual([])
    await late.commit?.()
    const after = await process.advancer.advance(runKey)
    expect(after.effects).toMatchObject([{ kind: 'ExecuteStep', slot: 'a', attempt: 2 }])
    expect((await process.advancer.advance(runKey)).effects).toEqual([])
    expect(world.log(runKey, 'StepStarted')).toEqual(['StepStarted a#1', 'StepStarted a#2'])
  })
})

describe('the append path', () => {
  it('adds number, instant, decision and hashes, and tells the cause of each decision [P-14, P-42]', async () => {
    const world = new World({ burn: 0 })
    const process = world.process('only', { script: { f: 'hold' } })
    const key = await process.start(`steps: [{ id: a, run: f }, { id: w, wait: { forMs: 100 } }]`)
    const signalId = await process.signal(key, 'PAUSE')
    const resumed = await process.signal(key, 'RESUME')
    world.calls[0]?.resolve()
    await world.runUntil(() => world.hasEnded(key))
    const records = world.records(key)
    expect(records.map((record) => record.runSeq)).toEqual(records.map((_, index) => index + 1))
    for (const record of records) {
      expect(record.persistedAt).toMatch(/^2030-/)
      expect(record.chainHash).toMatch(/^[0-9a-f]{64}$/)
      expect(record.idempotencyKey).toMatch(/^[0-9a-f]{64}$/)
      expect(record.eventId).toMatch(/^[0-9a-f-]{36}$/)
    }
    const causes = records.map((record) => `${record.eventType} ${record.decision.cause} ${record.decision.firstSeq}`)
    expect(causes).toEqual([
      'RunApproved admit 1',
      'RunStarted start 2',
      'StepStarted start 2',
      `SignalAccepted signal:${signalId} 4`,
      `RunPaused signal:${signalId} 4`,
      `SignalAccepted signal:${resumed} 6`,
      `RunResumed signal:${resumed} 6`,
      'StepCompleted outcome:a:1:1 8',
      'StepStarted outcome:a:1:1 8',
      'StepCompleted timer:wait:w:1 10',
      'RunCompleted timer:wait:w:1 10',
    ])
  })

  it('makes one append of metadata, approval, RunStarted and the first starts [P-45]', async () => {
    const world = new World()
    const commits: RunCommit[] = []
    const process = world.process('only', { wrapStore: watching((commit) => commits.push(commit)) })
    await process.create(`steps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: f, dependsOn: [] }]`)
    expect(commits).toHaveLength(1)
    expect(commits[0]?.create).toMatchObject({ tenantId: 'local', planId: 'story' })
    expect(commits[0]?.events.map((event) => event.eventType)).toEqual([
      'RunApproved',
      'RunStarted',
      'StepStarted',
      'StepStarted',
    ])
    expect(world.records(1)[0]?.payload).toMatchObject({ approvedBy: 'policy:auto' })
    const queued = await process.create(`steps: [{ id: a, run: f }]`, {
      admission: { policy: 'QUEUE', autoApprove: false },
    })
    expect(world.log(queued.row.runKey)).toEqual(['RunQueued RUN#1'])
    expect(world.row(queued.row.runKey).status).toBe('PENDING')
  })

  it('runs `keelson run` as principal local, with a plan named by its hash and an engine named by the run [P-49]', async () => {
    const world = new World()
    const { row } = await world.process('only').create(`steps: [{ id: a, run: f }]`)
    expect(row).toMatchObject({
      tenantId: 'local',
      projectId: 'default',
      environmentId: 'local',
      engineType: 'embedded',
      engineRunRef: `embedded://${row.runId}`,
    })
    expect(world.records(row.runKey)[1]?.payload).toMatchObject({
      engineType: 'embedded',
      engineRunRef: `embedded://${row.runId}`,
      planRef: { uri: `plan:sha256:${row.planSha256}`, sha256: row.planSha256 },
      context: { tenantId: 'local', projectId: 'default', environmentId: 'local', triggeredBy: 'local' },
    })
  })

  it('goes on over numbers that the store has thrown away [P-14]', async () => {
    const world = new World({ burn: 3 })
    const key = await world.process('only').start(`steps: [{ id: a, run: f }, { id: b, run: f }]`)
    await world.runUntil(() => world.hasEnded(key))
    const seqs = world.records(key).map((record) => record.runSeq)
    expect(seqs).toEqual([...seqs].sort((one, other) => one - other))
    expect(seqs.at(-1)).toBeGreaterThan(seqs.length)
    expect(world.row(key).status).toBe('COMPLETED')
  })
})
