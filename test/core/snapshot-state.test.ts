/** A stored fold: packed at any point of any story and read back, it is owed and decides what the living one does. */
import { describe, expect, it } from 'vitest'
import { bitMembers } from '../../src/core/collections/bit-tree.ts'
import { vectorGet } from '../../src/core/collections/vector.ts'
import { decide } from '../../src/core/run/decide/decide.ts'
import type { Input } from '../../src/core/run/input.ts'
import { openEffects } from '../../src/core/run/open-effects.ts'
import type { RunState } from '../../src/core/run/state/state.ts'
import { initialState } from '../../src/core/run/state/initial-state.ts'
import { packState, unpackState } from '../../src/core/run/state/checkpoint.ts'
import { summaryOf } from '../../src/core/run/summary.ts'
import { nextTimer } from '../../src/core/run/state/timers.ts'
import { isTerminalRun } from '../../src/core/run/state/transitions.ts'
import { slotOfUnit } from '../../src/core/run/state/units.ts'
import { randomSource, type RandomSource } from '../fuzz/random-source.ts'
import { graphOf, scenario, START, type Scenario } from '../fixtures/scenario.ts'
import { World } from '../fixtures/virtual-world.ts'
import { SEED as seed } from '../setup/seed.ts'

const STORIES = 150
const TURNS = 40

const plan = (random: RandomSource): string => `
policy: { concurrency: ${1 + random.below(4)}, onFailure: ${random.pick(['failFast', 'continue', 'hold'])}, runTimeoutMs: ${random.pick([20_000, 100_000_000])}, retry: { maxAttempts: ${1 + random.below(3)} } }
steps:
  - { id: a, run: f, dependsOn: [], compensate: { run: undo } }
  - { id: fan, forEach: "input.list", run: f, dependsOn: [], fallback: { run: g }, effect: ${random.pick(['idempotent', 'irreversible'])} }
  - { id: w, wait: { forMs: 5000 }, dependsOn: [] }
  - { id: u, wait: { until: "2030-01-01T00:00:12Z" }, dependsOn: [a] }
  - { id: m, manual: { title: Sign, expiresAfterMs: 15000 }, dependsOn: [a] }
  - { id: c, plan: { planId: child }, dependsOn: [a] }
  - { id: p, run: f, if: "input.go", dependsOn: [w], fallback: { run: g }, fallbackOn: [exhausted, permanent] }
  - { id: z, run: f, dependsOn: [fan, p, u] }`

const SIGNALS = [
  'PAUSE',
  'RESUME',
  'CANCEL',
  'RETRY_STEP',
  'SKIP_STEP',
  'UPDATE_PARAMS',
  'INJECT_OVERRIDE',
  'ESCALATE_ALERT',
  'EMERGENCY_STOP',
] as const
const STEPS = ['a', 'fan', 'w', 'u', 'm', 'c', 'p', 'z'] as const

function payloadOf(signalType: string, random: RandomSource): Readonly<Record<string, unknown>> {
  if (signalType === 'UPDATE_PARAMS') return { params: { n: 1 }, reason: 'a mistake' }
  if (signalType === 'ESCALATE_ALERT') return { level: 'P1' }
  const stepId = random.pick(STEPS)
  return signalType === 'INJECT_OVERRIDE'
    ? { stepId, override: { n: 1 }, reason: 'a mistake' }
    : { stepId, reason: 'why not', freshKey: true }
}

function openSlots(state: RunState): string[] {
  const units = [...bitMembers(state.inFlight), ...bitMembers(state.parked)].flatMap(
    (index) => vectorGet(state.units, index) ?? [],
  )
  const compensation =
    state.compensation?.current?.status === 'RUNNING' ? [`COMP:${state.compensation.current.slot}`] : []
  return [...units.map((unit) => slotOfUnit(state.graph, unit)), ...compensation]
}

function turn(run: Scenario, random: RandomSource): void {
  const open = openSlots(run.state)
  const slot = open[random.below(Math.max(1, open.length))]
  const engineAttempt = 1 + random.below(run.epoch)
  switch (random.below(9)) {
    case 0: {
      const type = random.below(6) > 0 ? SIGNALS[random.below(7)] : SIGNALS[random.below(SIGNALS.length)]
      run.signals(type ?? 'PAUSE', payloadOf(type ?? 'PAUSE', random))
      return
    }
    case 1:
      run.adopted(slot === undefined ? [] : [{ slot, attempt: 1 }])
      return
    case 2:
      run.until(run.now + random.below(7000))
      return
    case 3:
      run.completes(random.pick(STEPS), null, { attempt: 1, engineAttempt })
      return
    case 4:
    case 5:
      if (slot !== undefined)
        run.fails(slot, { class: random.pick(['unknown', 'permanent', 'timeout']), engineAttempt })
      return
    default:
      if (slot !== undefined) run.completes(slot, null, { engineAttempt })
  }
}

function story(index: number): Scenario {
  const random = randomSource(seed + index * 7919)
  const run = scenario(graphOf(plan(random)), {
    facts: { fan: { items: random.below(5) }, p: { condition: random.below(3) > 0 } },
  }).start()
  for (let done = 0; done < TURNS; done += 1) turn(run, random)
  return run
}

const throughText = (state: RunState): RunState =>
  unpackState(state.graph, JSON.parse(JSON.stringify(packState(state))) as Record<string, unknown>)

/** All that anybody can see of a state without deciding anything. */
const seen = (state: RunState, epoch: number) => ({
  summary: summaryOf(state),
  timer: nextTimer(state),
  owed: openEffects(state.graph, state, epoch),
  packed: packState(state),
})

function decided(state: RunState, input: Input) {
  const { drafts, effects, needs, cut, state: next } = decide(state.graph, state, input)
  return { answer: { drafts, effects, needs, cut }, next }
}

describe(`random stories (KEELSON_SEED=${seed})`, () => {
  const stories = Array.from({ length: STORIES }, (_, index) => story(index))

  it('packed and unpacked at every prefix give a state that looks and decides exactly the same afterwards [P-51, P-01]', () => {
    for (const [index, run] of stories.entries()) {
      let living = initialState(run.graph)
      let stored = living
      for (const [at, input] of run.inputs.entries()) {
        const where = `story ${index}, input ${at} ${input.kind}`
        stored = throughText(stored)
        expect({ where, ...seen(stored, input.epoch) }).toEqual({ where, ...seen(living, input.epoch) })
        const [one, other] = [decided(living, input), decided(stored, input)]
        expect({ where, ...other.answer }).toEqual({ where, ...one.answer })
        living = one.next
        stored = other.next
      }
    }
  })

  it('and one stored copy decides the rest of its story without ever being stored again [P-51]', () => {
    for (const [index, run] of stories.entries()) {
      const random = randomSource(seed + index)
      const from = random.below(run.inputs.length)
      const states = [initialState(run.graph)]
      for (const input of run.inputs) states.push(decided(states.at(-1) as RunState, input).next)
      let state = throughText(states[from] as RunState)
      for (let at = from; at < run.inputs.length; at += 1) {
        const input = run.inputs[at] as Input
        const { answer, next } = decided(state, input)
        expect({ index, at, ...answer }).toEqual({ index, at, ...decided(states[at] as RunState, input).answer })
        state = next
      }
    }
  })

  it('meet pauses, cancels, undoing, fan-outs, retries and every ending, or they would prove little', () => {
    const events = new Set(stories.flatMap((run) => run.log.map(({ draft }) => draft.eventType)))
    for (const eventType of [
      'RunPaused',
      'RunResumed',
      'CompensationStarted',
      'FanOutExpanded',
      'ManualTaskOpened',
      'LateOutcomeRecorded',
      'RunCancelled',
      'RunFailed',
      'StepSkipped',
      'AlertRaised',
    ]) {
      expect(events).toContain(eventType)
    }
    expect(stories.some((run) => !isTerminalRun(run.status))).toBe(true)
    for (const run of stories) expect(packState(run.refolded())).toEqual(packState(run.state))
  })
})

describe('the app', () => {
  it('stores a fold every max(1,000, slots) events after the commit, and the next driver starts from it [P-51]', async () => {
    const world = new World()
    const first = world.process('first', {
      script: { f: ({ context }) => (context.itemIndex === 1500 ? new Promise(() => undefined) : null) },
    })
    const key = await first.start(
      `policy: { concurrency: 500 }\nsteps: [{ id: fan, forEach: "input.list", run: f }, { id: after, run: g }]`,
      { input: { list: Array.from({ length: 2000 }, (_, index) => index) } },
    )
    await world.runUntil(() => world.log(key, 'StepCompleted').length === 1999)
    const seqs = [...(world.disk.runs[0]?.snapshots.values() ?? [])].map((one) => one.seq)
    expect(seqs.length).toBeGreaterThan(0)
    expect(seqs.length).toBeLessThanOrEqual(2)
    for (const seq of seqs) expect(seq).toBeGreaterThan(1000)
    expect(seqs.every((seq) => seq <= world.row(key).nextSeq - 1)).toBe(true)
    first.kill()
    const read: number[] = []
    world.process('second', {
      adoptOthers: true,
      wrapStore: (store) => ({
        ...store,
        readEvents: async (runKey, range) => {
          if (range.limit !== 1) read.push(range.afterSeq ?? 0)
          return store.readEvents(runKey, range)
        },
      }),
    })
    await world.runUntil(() => world.hasEnded(key))
    // The last event of the snapshot is read once more: the chain goes on from its hash.
    expect(Math.min(...read)).toBe(Math.max(...seqs) - 1)
    expect(world.row(key).status).toBe('COMPLETED')
    expect(world.time.now()).toBeGreaterThan(START)
  })
})
