/**
 * Many executors of one run on several processes (P-12): who loses the compare-and-set leaves its outcome in the inbox, and
 * whoever wins takes it. Nothing is recorded twice, nothing is lost, and nobody starves.
 */
import { describe, expect, it } from 'vitest'
import type { EffectOutcome } from '../../src/ports/engine.ts'
import type { RunKey, RunStore } from '../../src/ports/run-store.ts'
import { World } from '../fixtures/virtual-world.ts'

const PLAN = `steps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: f, dependsOn: [], retry: { maxAttempts: 1 } }, { id: c, run: f, dependsOn: [a] }]`

const done = (slot: string): EffectOutcome => ({
  slot,
  attempt: 1,
  engineAttempt: 1,
  result: { kind: 'completed', output: { of: slot }, artifactRefs: [], durationMs: 1 },
})

const broken = (slot: string): EffectOutcome => {
  const thrown = Object.assign(new Error('bad gateway'), { status: 502 })
  return { slot, attempt: 1, engineAttempt: 1, result: { kind: 'failed', thrown, durationMs: 1 } }
}

/** Two processes with the run in memory, of which the first has written since. */
async function staleSecond(world: World, wrapStore?: (store: RunStore) => RunStore) {
  const one = world.process('one')
  const two = world.process('two', wrapStore === undefined ? {} : { wrapStore })
  const { row } = await one.create(PLAN)
  await two.advancer.advance(row.runKey)
  await one.advancer.advance(row.runKey, { reports: [done('a')] })
  return { one, two, key: row.runKey }
}

/** Rows of a run's inbox as `id → seq it was consumed with`. */
function inboxRows(world: World, key: RunKey): Readonly<Record<string, number | undefined>> {
  const rows = [...(world.disk.runs[key - 1]?.inbox.values() ?? [])].map(({ row }) => row)
  return Object.fromEntries(rows.map(({ inboxId, consumedSeq }) => [inboxId, consumedSeq]))
}

describe('an executor that loses the compare-and-set', () => {
  it('leaves its outcome in the inbox, where it outlives it: whoever advances next records it, once [P-12]', async () => {
    const world = new World()
    const never = new Promise<never>(() => undefined)
    const { one, two, key } = await staleSecond(world, (store) => ({
      ...store,
      insertInbox: (run, row) => store.insertInbox(run, row).then(() => never),
    }))
    void two.advancer.advance(key, { reports: [done('b')] })
    await world.time.quiet()
    two.kill()
    expect(world.log(key, 'StepCompleted')).toEqual(['StepCompleted a#1'])
    expect(inboxRows(world, key)).toEqual({ 'outcome:ExecuteStep:b:1:1': undefined })
    await one.advancer.advance(key)
    const [record, ...more] = world
      .records(key)
      .filter(({ stepId, eventType }) => stepId === 'b' && eventType !== 'StepStarted')
    expect(more).toEqual([])
    expect(record).toMatchObject({
      eventType: 'StepCompleted',
      data: { result: { of: 'b' } },
      decision: { cause: 'outcome:b:1:1' },
    })
    expect(inboxRows(world, key)).toEqual({ 'outcome:ExecuteStep:b:1:1': record?.runSeq })
  })

  it('takes its own inbox row when it comes first, and handing the outcome in again changes nothing [P-12]', async () => {
    const world = new World()
    const { one, two, key } = await staleSecond(world)
    await two.advancer.advance(key, { reports: [done('b')] })
    expect(inboxRows(world, key)).toEqual({ 'outcome:ExecuteStep:b:1:1': expect.any(Number) })
    const length = world.records(key).length
    await one.advancer.advance(key, { reports: [done('b')] })
    await two.advancer.advance(key, { reports: [done('b')] })
    expect(world.records(key)).toHaveLength(length)
    expect(world.log(key, 'StepCompleted')).toEqual(['StepCompleted a#1', 'StepCompleted b#1'])
  })

  it('leaves no inbox row in a run that is somebody else’s by now, or that it can write at once [P-12]', async () => {
    const world = new World()
    const { one, two, key } = await staleSecond(world)
    await one.advancer.advance(key, { adopt: true })
    await expect(two.advancer.advance(key, { reports: [done('b')] })).rejects.toMatchObject({ code: 'RUN_EPOCH_STALE' })
    await one.advancer.advance(key, { reports: [done('c')] })
    expect(inboxRows(world, key)).toEqual({})
  })

  it('is quoted to the letter: a failure that came by inbox row is recorded as if it had been handed in [P-12]', async () => {
    const failures = []
    for (const isStale of [true, false]) {
      const world = new World()
      const { one, two, key } = await staleSecond(world)
      await (isStale ? two : one).advancer.advance(key, { reports: [broken('b')] })
      expect(Object.keys(inboxRows(world, key))).toHaveLength(isStale ? 1 : 0)
      const failed = world.records(key).find(({ eventType }) => eventType === 'StepFailed')
      failures.push({ payload: failed?.payload, data: failed?.data })
    }
    expect(failures[0]).toMatchObject({ payload: { error: { errorClass: '5xx' } } })
    expect(failures[0]).toEqual(failures[1])
  })
})

it('fifty executors on two processes all get their outcome recorded, once each, with no more lost commits than executors [P-12]', async () => {
  for (let seed = 0; seed < 10; seed += 1) {
    const world = new World({ seed: `letters-${seed}` })
    let lost = 0
    let written = 0
    const wrapStore = (store: RunStore): RunStore => ({
      ...store,
      commit: async (batch) => {
        const results = await store.commit(batch)
        lost += results.filter(({ kind }) => kind === 'conflict').length
        written += results.filter(({ kind }) => kind === 'committed').length
        return results
      },
    })
    const processes = [world.process('one', { wrapStore }), world.process('two', { wrapStore })]
    const steps = Array.from({ length: 50 }, (_, index) => `{ id: s${index}, run: f, dependsOn: [] }`)
    const created = await processes[0]?.create(`policy: { concurrency: 50 }\nsteps: [${steps.join(', ')}]`)
    const key = created?.row.runKey ?? 0
    const turns = steps.map((_, index) =>
      processes[(index + seed) % 2]?.advancer.advance(key, { reports: [done(`s${(index * 7 + seed) % 50}`)] }),
    )
    await Promise.all(turns)
    expect(world.row(key).status).toBe('COMPLETED')
    const completed = world.log(key, 'StepCompleted')
    expect(completed).toHaveLength(50)
    expect(new Set(completed).size).toBe(50)
    expect(lost).toBeGreaterThan(0)
    expect(lost).toBeLessThanOrEqual(50)
    expect(written).toBeLessThanOrEqual(51)
  }
})
