/** Who may write a run: compare and set between processes, the epoch before all, and one broken run set aside alone. */
import { describe, expect, it } from 'vitest'
import { loadRun } from '../../src/app/loaded/load-run.ts'
import { sealEvents } from '../../src/app/log/seal.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import type { Draft } from '../../src/core/run/draft.ts'
import { summaryOf } from '../../src/core/run/summary.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import { seededRandom } from '../fixtures/virtual-time.ts'
import { World, type Process } from '../fixtures/virtual-world.ts'

const problemOf = async (promise: Promise<unknown>): Promise<KeelsonError | undefined> =>
  promise.then(
    () => undefined,
    (thrown: unknown) => (thrown instanceof KeelsonError ? thrown : Promise.reject(thrown)),
  )

/** Writes events past the decider, as only a defect could. */
async function forge(process: Process, key: RunKey, drafts: readonly Draft[]): Promise<void> {
  const run = await loadRun(process.store, process.advancer.plans, key)
  const decision = { firstSeq: run.nextSeq, cause: 'forged' }
  const { events } = sealEvents({
    identity: run.identity,
    drafts: drafts.map((draft) => ({ draft, decision })),
    firstSeq: run.nextSeq,
    previousHash: run.headHash,
    emittedAt: '2030-01-01T00:00:00.000Z',
    random: seededRandom('forged'),
  })
  await process.store.commit([
    { runKey: key, expected: { epoch: run.epoch, nextSeq: run.nextSeq }, events, summary: summaryOf(run.state) },
  ])
}

describe('a run that breaks a rule', () => {
  it('is set aside alone, says what was wrong, and writes nothing more; all others go on [P-09, SSM-14]', async () => {
    const world = new World()
    const process = world.process('only', { script: { slow: 'hold' }, adoptOthers: true })
    const plan = `steps: [{ id: a, run: slow }, { id: b, run: f }]`
    const bad = await process.create(plan)
    const good = await process.start(plan)
    const completion = {
      eventType: 'StepCompleted',
      slot: 'b',
      attempt: 1,
      payload: { completedAt: '2030-01-01T00:00:00.000Z', artifactRefs: [] },
    } as const
    await forge(process, bad.row.runKey, [completion as unknown as Draft])
    const length = world.records(bad.row.runKey).length
    process.advancer.release(bad.row.runKey)
    const thrown = await problemOf(process.advancer.advance(bad.row.runKey))
    expect(thrown?.code).toBe('RUN_QUARANTINED')
    expect(thrown?.problems[0]?.details).toEqual({
      invalidTransitionDetected: true,
      expectedState: ['RUNNING'],
      actualState: 'PENDING',
      attemptedEventType: 'StepCompleted',
    })
    expect(world.row(bad.row.runKey).quarantine).toBe('INVALID_TRANSITION')
    for (const call of world.calls) call.resolve()
    await world.runUntil(() => world.hasEnded(good))
    await world.advanceBy(60_000)
    expect(world.row(good).status).toBe('COMPLETED')
    expect(world.records(bad.row.runKey)).toHaveLength(length)
    expect((await problemOf(process.advancer.advance(bad.row.runKey)))?.code).toBe('RUN_QUARANTINED')
    expect(world.row(bad.row.runKey).quarantine).toBe('INVALID_TRANSITION')
  })

  it('of a whole batch costs the others nothing: what a unique index refuses falls on one run [P-09]', async () => {
    const world = new World()
    const process = world.process('only', { script: { slow: 'hold' } })
    const plan = `steps: [{ id: a, run: slow }]`
    const runs = [await process.start(plan), await process.start(plan), await process.start(plan)]
    const victim = world.disk.runs[1]
    victim?.terminalSlots.add('a#1')
    for (const call of world.calls) call.resolve()
    await world.advanceBy(1000)
    expect(runs.map((key) => world.row(key).status)).toEqual(['COMPLETED', 'RUNNING', 'COMPLETED'])
    expect(world.row(runs[1] ?? 0).quarantine).toBeDefined()
    expect(process.lost.map(({ runKey }) => runKey)).toEqual([runs[1]])
  })

  it('by a record that cannot be read is set aside as well [P-09]', async () => {
    const world = new World()
    const process = world.process('only', { script: { f: 'hold' } })
    const { row } = await process.create(`steps: [{ id: a, run: f }]`)
    const events = world.disk.runs[0]?.events
    if (events?.[1] !== undefined) events[1] = { ...events[1], record: '{"broken":' }
    process.advancer.release(row.runKey)
    expect((await problemOf(process.advancer.advance(row.runKey)))?.code).toBe('RUN_QUARANTINED')
    expect(world.row(row.runKey).quarantine).toBeDefined()
    expect(await process.store.dueRuns(world.time.now() + 100_000_000, 'x', 10)).toEqual([])
  })
})

describe('two processes on one run', () => {
  const plan = `steps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: f, dependsOn: [] }, { id: c, run: f, dependsOn: [a, b] }]`
  const done = (slot: string, engineAttempt = 1) =>
    ({
      slot,
      attempt: 1,
      engineAttempt,
      result: { kind: 'completed', output: slot, artifactRefs: [], durationMs: 1 },
    }) as const

  it('that decide at once leave one log: who loses folds again and decides again, and nothing is doubled [P-06, P-10]', async () => {
    const world = new World()
    const [one, two] = [world.process('one'), world.process('two')]
    const { row } = await one.create(plan)
    const key = row.runKey
    await two.advancer.advance(key)
    const answers = await Promise.all([
      one.advancer.advance(key, { reports: [done('a')] }),
      two.advancer.advance(key, { reports: [done('b')] }),
      one.advancer.advance(key, { reports: [done('a')] }),
    ])
    expect(world.log(key, 'StepCompleted').sort()).toEqual(['StepCompleted a#1', 'StepCompleted b#1'])
    expect(world.log(key, 'StepStarted', 'LateOutcomeRecorded')).toEqual([
      'StepStarted a#1',
      'StepStarted b#1',
      'StepStarted c#1',
    ])
    expect(answers.flatMap((report) => report.effects.map((effect) => effect.id))).toEqual(['ExecuteStep:c:1:1'])
    const seqs = world.records(key).map((record) => record.runSeq)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    const keys = world.records(key).map((record) => record.idempotencyKey)
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('race from start to end under many seeds without a duplicate or a gap [P-06, P-10]', async () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const world = new World({ seed: `race-${seed}` })
      const [one, two] = [world.process('one'), world.process('two')]
      const { row } = await one.create(
        `policy: { concurrency: 20 }\nsteps: [${Array.from({ length: 20 }, (_, index) => `{ id: s${index}, run: f, dependsOn: [] }`).join(', ')}, { id: z, run: f, dependsOn: [s0, s19] }]`,
      )
      const reports = Array.from({ length: 20 }, (_, index) => done(`s${(index * 7 + seed) % 20}`))
      const turns = reports.map((report, index) =>
        [one, two][(index + seed) % 2]?.advancer.advance(row.runKey, {
          reports: [report, ...(index % 3 === 0 ? [report] : [])],
        }),
      )
      await Promise.all(turns)
      await two.advancer.advance(row.runKey, { reports: [done('z')] })
      expect(world.row(row.runKey).status).toBe('COMPLETED')
      const log = world.log(row.runKey)
      expect(log).toHaveLength(2 + 21 * 2 + 1)
      expect(new Set(log).size).toBe(log.length)
    }
  })

  it('of which one was adopted away are no longer equal: the stale epoch is refused always [P-27, P-06]', async () => {
    const world = new World()
    const [old, young] = [world.process('old'), world.process('young')]
    const { row } = await old.create(plan)
    const key = row.runKey
    expect((await young.advancer.advance(key, { adopt: true })).epoch).toBe(2)
    const length = world.records(key).length
    for (const report of [done('a'), done('b')]) {
      expect((await problemOf(old.advancer.advance(key, { reports: [report] })))?.code).toBe('RUN_EPOCH_STALE')
      old.advancer.own(key, await loadRun(old.store, old.advancer.plans, key).then((run) => ({ ...run, epoch: 1 })))
    }
    expect(world.records(key)).toHaveLength(length)
    await young.advancer.advance(key, { reports: [done('a', 2), done('b', 2)] })
    expect(
      world
        .records(key)
        .filter((record) => record.eventType === 'StepCompleted')
        .map((record) => record.engineAttemptId),
    ).toEqual([2, 2])
  })

  it('an engine that does not adopt drives only what it started; one that adopts takes what was left behind', async () => {
    const world = new World()
    const dead = world.process('dead', { script: { f: 'hold' } })
    const key = await dead.start(`steps: [{ id: a, run: f }]`)
    dead.kill()
    const own = world.process('own', { adoptOthers: false })
    const mine = await own.start(`steps: [{ id: a, run: f }]`)
    await world.runUntil(() => world.hasEnded(mine))
    await world.advanceBy(120_000)
    expect(world.row(key)).toMatchObject({ status: 'RUNNING', epoch: 1 })
    world.process('adopter', { adoptOthers: true })
    await world.runUntil(() => world.hasEnded(key))
    expect(world.row(key)).toMatchObject({ status: 'COMPLETED', epoch: 2 })
  })
})
