/** Writing intents late, where it was asked for: the step goes on, its StepStarted follows exactly once, nothing else is ever late. */
import { describe, expect, it } from 'vitest'
import {
  real,
  hangs,
  refuses,
  Rule,
  type Stage,
  stage,
  RETRIED,
  failsOnce,
  failsThenHolds,
  no,
  inBackoff,
  WHOLE,
  stepsOf,
  expectProved,
} from '../fixtures/fail-open-stage.ts'

describe('a StepStarted that the store does not take in time', () => {
  it('goes to the local buffer and the step completes; it appears later exactly once, in a run that is marked [LAT-02, X-29, P-13]', async () => {
    const at = stage({ script: failsOnce })
    const { world, rule, disk } = at
    const key = await inBackoff(at)
    const started = world.records(key).find(({ eventType }) => eventType === 'RunStarted')
    expect(started?.payload).toMatchObject({ intentLate: true })
    rule.only = new Set(['commit'])
    rule.answer = hangs
    await world.runUntil(() => world.calls.length === 2)
    expect(world.called()).toEqual(['a#1/1', 'a#2/1'])
    expect(world.log(key, 'StepStarted')).toEqual(['StepStarted a#1'])
    expect(disk.files.get('first')).toHaveLength(1)
    await world.advanceBy(5_000)
    expect(world.log(key, 'StepStarted', 'StepCompleted')).toEqual(['StepStarted a#1'])
    rule.answer = real
    await world.runUntil(() => world.hasEnded(key))
    expect(stepsOf(world, key)).toEqual(WHOLE)
    expect(world.called()).toEqual(['a#1/1', 'a#2/1', 'b#1/1'])
    expect([...disk.files.keys()]).toEqual([])
    const late = world.records(key).find((one) => one.eventType === 'StepStarted' && one.logicalAttemptId === 2)
    expect(Date.parse(late?.persistedAt ?? '') - Date.parse(late?.emittedAt ?? '')).toBeGreaterThan(3_000)
    await expectProved(at, key)
  })

  it('is written once whenever the write that was given up lands after all [LAT-02, X-28]', async () => {
    for (const landsAfter of [2_999, 3_000, 3_001, 3_100, 3_200, 3_201, 4_000, 6_200, 20_000]) {
      const at = stage({ script: failsOnce })
      const { world, rule, disk } = at
      const key = await inBackoff(at)
      let isFirst = true
      rule.only = new Set(['commit'])
      rule.answer = async (store, name, args, timers) => {
        const waits = isFirst
        isFirst = false
        if (waits) await new Promise<void>((resolve) => void timers.after(landsAfter, resolve))
        return real(store, name, args, timers)
      }
      await world.runUntil(() => world.hasEnded(key))
      await world.advanceBy(30_000)
      expect(stepsOf(world, key), `landing after ${landsAfter} ms`).toEqual(WHOLE)
      expect(world.called()).toEqual(['a#1/1', 'a#2/1', 'b#1/1'])
      expect([...disk.files.keys(), ...disk.dropped]).toEqual([])
      await expectProved(at, key)
    }
  })

  it('is found in the log when only the answer to its write was lost [LAT-02, LAT-06]', async () => {
    const at = stage({ script: failsOnce })
    const { world, rule, told } = at
    const key = await inBackoff(at)
    rule.only = new Set(['commit'])
    rule.answer = async (...call) => {
      await real(...call)
      rule.answer = real
      return hangs(...call)
    }
    await world.runUntil(() => world.hasEnded(key))
    expect(stepsOf(world, key)).toEqual(WHOLE)
    expect(world.called()).toEqual(['a#1/1', 'a#2/1', 'b#1/1'])
    expect(told).toEqual([])
  })

  it('may be followed by another of its run; both are written in order when the store is back [LAT-02]', async () => {
    const at = stage({ script: { f: failsThenHolds, h: failsThenHolds } })
    const { world, rule } = at
    const retry = (ms: number): string => `retry: { maxAttempts: 2, initialBackoffMs: ${ms} }`
    const plan = `steps: [{ id: a, run: f, dependsOn: [], ${retry(1000)} }, { id: c, run: h, dependsOn: [], ${retry(4500)} }]`
    const key = await at.process.start(plan)
    await world.runUntil(() => world.log(key, 'StepFailed').length === 2)
    rule.answer = hangs
    rule.only = new Set(['commit', 'readInbox'])
    await world.runUntil(() => world.calls.length === 4)
    expect(world.log(key, 'StepStarted')).toHaveLength(2)
    rule.answer = real
    await world.runUntil(() => world.log(key, 'StepStarted').length === 4)
    expect(world.log(key, 'StepStarted').slice(2)).toEqual(['StepStarted a#2', 'StepStarted c#2'])
    await expectProved(at, key)
  })

  it.each([
    ['never answers', hangs],
    ['refuses every call', refuses],
  ])('does not need the store at all: one that %s [LAT-07]', async (_how, answer) => {
    const at = stage({ script: failsOnce })
    const { world, rule, disk } = at
    const key = await inBackoff(at)
    rule.answer = answer
    await world.runUntil(() => world.calls.length === 2)
    expect(world.called()).toEqual(['a#1/1', 'a#2/1'])
    expect(disk.appended).toBe(1)
    await world.advanceBy(2_000)
    expect(world.log(key, 'StepStarted')).toEqual(['StepStarted a#1'])
    rule.answer = real
    await world.runUntil(() => world.hasEnded(key))
    expect(stepsOf(world, key)).toEqual(WHOLE)
    expect(world.called()).toEqual(['a#1/1', 'a#2/1', 'b#1/1'])
    await expectProved(at, key)
  })
})

/** The store takes no commit for a while: nothing of the run goes on, and all of it does afterwards. */
async function expectWaits({ world, rule, disk }: ReturnType<typeof stage>, key: number): Promise<void> {
  rule.answer = hangs
  rule.only = new Set(['commit'])
  await world.advanceBy(20_000)
  expect(world.called()).toEqual(['a#1/1'])
  expect(disk.appended).toBe(0)
  rule.answer = real
  await world.runUntil(() => world.hasEnded(key))
  expect(stepsOf(world, key)).toEqual(WHOLE)
}

describe('what waits for the store', () => {
  it('is every intent unless somebody asked for another way: the option is off by default [LAT-02]', async () => {
    const at = stage({ script: failsOnce, on: false })
    const { world } = at
    const key = await inBackoff(at)
    expect(world.records(key)[1]?.payload).not.toHaveProperty('intentLate')
    await expectWaits(at, key)
  })

  it('is a RunPaused, and an end of a step with what it lets begin: nothing of these is diverted [LAT-05, X-29]', async () => {
    const at = stage({ script: { f: 'hold' } })
    const { world, rule, disk, process } = at
    const key = await process.start(`steps: [{ id: a, run: f }, { id: b, run: g }]`)
    rule.only = new Set(['commit'])
    rule.answer = hangs
    await process.signal(key, 'PAUSE')
    await world.advanceBy(10_000)
    expect(world.log(key, 'RunPaused', 'SignalAccepted')).toEqual([])
    expect(world.row(key).status).toBe('RUNNING')
    rule.answer = real
    await world.runUntil(() => world.row(key).status === 'PAUSED')
    await process.signal(key, 'RESUME')
    rule.answer = hangs
    world.calls[0]?.resolve()
    await world.advanceBy(10_000)
    expect(world.called()).toEqual(['a#1/1'])
    expect(disk.appended).toBe(0)
    rule.answer = real
    await world.runUntil(() => world.hasEnded(key))
    expect(world.log(key, 'RunPaused', 'RunResumed')).toEqual(['RunPaused RUN#1', 'RunResumed RUN#1'])
    expect(world.called()).toEqual(['a#1/1', 'b#1/1'])
  })

  it.each([
    ['what cannot be undone', 'effect: irreversible'],
    ['what needs a grant', 'agent: printer'],
  ])('is %s, even where intents may be late [LAT-02, P-13, P-28]', async (_what, extra) => {
    const at = stage({ script: failsOnce })
    const key = await inBackoff(at, RETRIED.replace('run: f,', `run: f, ${extra},`))
    await expectWaits(at, key)
  })

  it('is an intent of a run that does not say that its intents may be late [LAT-02]', async () => {
    const failsTwice = { f: ({ context }: { context: { attempt: number } }) => (context.attempt < 3 ? no() : 'done') }
    const at = stage({ script: failsTwice, on: false })
    const { world } = at
    const key = await inBackoff(at, RETRIED.replace('maxAttempts: 2', 'maxAttempts: 3'))
    at.process.kill()
    const rule = new Rule()
    at.next('second', { script: failsTwice, wrapStore: rule.wrap(world.time.timers(() => true)) })
    await world.runUntil(() => world.log(key, 'StepFailed').length === 2)
    rule.only = new Set(['commit'])
    rule.answer = hangs
    await world.advanceBy(20_000)
    expect(world.called()).toEqual(['a#1/1', 'a#2/1'])
    expect(at.disk.appended).toBe(0)
  })
})

describe('a process that dies with intents in its buffer', () => {
  async function died(): Promise<{ at: Stage; key: number }> {
    const at = stage({ script: { f: failsThenHolds } })
    const key = await inBackoff(at)
    at.rule.answer = hangs
    await at.world.runUntil(() => at.world.calls.length === 2)
    at.process.kill()
    expect(at.disk.files.get('first')).toHaveLength(1)
    return { at, key }
  }

  it('leaves them to the next, which writes them before it adopts: the step may have run twice, and says so [LAT-02]', async () => {
    const { at, key } = await died()
    const { world, disk, told } = at
    const second = at.next('second', { script: failsOnce })
    await second.failOpen.recover(second.advancer.queue)
    expect(world.log(key, 'StepStarted')).toEqual(['StepStarted a#1', 'StepStarted a#2'])
    expect(world.row(key).epoch).toBe(1)
    await world.runUntil(() => world.hasEnded(key))
    expect(stepsOf(world, key)).toEqual(WHOLE)
    expect(world.called('f')).toEqual(['a#1/1', 'a#2/1', 'a#2/2'])
    const end = world.records(key).find((one) => one.eventType === 'StepCompleted' && one.stepId === 'a')
    expect(end?.payload).toMatchObject({ mayHaveRunTwice: true })
    expect([...disk.files.keys(), ...disk.dropped, ...told]).toEqual([])
    await expectProved(at, key)
  })

  it('writes nothing twice when the buffer is read a second time, and heeds no line that was torn [LAT-02]', async () => {
    const { at, key } = await died()
    const { world, disk, told } = at
    const lines = disk.files.get('first') ?? []
    const second = at.next('second', { script: failsOnce })
    await second.failOpen.recover(second.advancer.queue)
    disk.files.set('copy', [...lines, (lines[0] ?? '').slice(0, 300)])
    await second.failOpen.recover(second.advancer.queue)
    await world.runUntil(() => world.hasEnded(key))
    expect(stepsOf(world, key)).toEqual(WHOLE)
    expect([...disk.files.keys(), ...disk.dropped, ...told]).toEqual([])
  })

  it('has them dropped and told when its run went on without them: the log is the truth [LAT-02]', async () => {
    const { at, key } = await died()
    const { world, disk, told } = at
    const second = at.next('second', { script: failsOnce })
    await world.runUntil(() => world.hasEnded(key))
    await second.failOpen.recover(second.advancer.queue)
    expect(stepsOf(world, key)).toEqual(WHOLE)
    expect(told.map(({ code }) => code)).toEqual(['INTENT_DROPPED'])
    expect(disk.dropped.join()).toContain(world.row(key).runId)
    expect([...disk.files.keys()]).toEqual([])
  })

  it('or was only cut off: it learns that the run is driven elsewhere, and adds nothing to it (I9) [LAT-02]', async () => {
    const at = stage({ script: failsOnce })
    const { world, rule, told } = at
    const key = await inBackoff(at)
    rule.answer = hangs
    await world.runUntil(() => world.calls.length === 2)
    at.next('second', { script: failsOnce })
    await world.runUntil(() => world.hasEnded(key))
    rule.answer = real
    await world.advanceBy(30_000)
    expect(stepsOf(world, key)).toEqual(WHOLE)
    expect(told.map(({ code }) => code)).toEqual(['INTENT_DROPPED'])
    expect(at.process.engine.drives(key)).toBe(false)
    await expectProved(at, key)
  })
})
