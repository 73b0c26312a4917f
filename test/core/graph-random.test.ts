/** Random plans under random outcomes, signals and crashes: what the state claims is always true of what happened. */
import { describe, expect, it } from 'vitest'
import { vectorGet } from '../../src/core/collections/vector.ts'
import { openEffects } from '../../src/core/run/open-effects.ts'
import type { RunState } from '../../src/core/run/state/state.ts'
import type { Unit } from '../../src/core/run/state/unit.ts'
import { packState, unpackState } from '../../src/core/run/state/checkpoint.ts'
import { nextTimer } from '../../src/core/run/state/timers.ts'
import { isTerminalRun } from '../../src/core/run/state/transitions.ts'
import { play, randomPlan, randomStart } from '../fixtures/scenario-random.ts'
import { graphOf, type Scenario } from '../fixtures/scenario.ts'
import { randomSource } from '../fuzz/random-source.ts'
import { SEED as seed } from '../setup/seed.ts'

const RUNS = 400

const unitsOf = (state: RunState): Unit[] =>
  Array.from({ length: state.units.length }, (_, index) => vectorGet(state.units, index)).filter(
    (unit) => unit !== undefined,
  )
const isFailed = (unit: Unit): boolean =>
  unit.status === 'FAILED' && unit.final && !unit.recovered && !unit.fallbackOpen
const asJson = (state: RunState): unknown => JSON.parse(JSON.stringify(packState(state)))

function checkState(run: Scenario): void {
  const { state } = run
  const units = unitsOf(state)
  const steps = units.filter((unit) => unit.item < 0 && !unit.fallback)
  expect(state.slotsInUse).toBe(state.inFlight.size)
  expect(state.slotsInUse).toBeLessThanOrEqual(state.limit)
  expect(state.backoffs).toBe(units.filter((unit) => unit.backoff).length)
  expect(state.failed).toBe(steps.filter(isFailed).length)
  expect(asJson(run.refolded())).toEqual(asJson(state))
  const restored = unpackState(state.graph, asJson(state) as Record<string, unknown>)
  expect(nextTimer(restored)?.dueAt).toBe(nextTimer(state)?.dueAt)
  expect(openEffects(state.graph, restored, 9)).toEqual(openEffects(state.graph, state, 9))
}

function checkEnd(run: Scenario): void {
  expect(isTerminalRun(run.status)).toBe(true)
  expect(unitsOf(run.state).filter((unit) => unit.status === 'RUNNING')).toEqual([])
  const started = run.events('StepStarted').map((event) => event.slice('StepStarted '.length))
  const ended = run.log.flatMap(({ draft }) =>
    draft.eventType === 'StepCompleted' || draft.eventType === 'StepFailed' ? [`${draft.slot}#${draft.attempt}`] : [],
  )
  expect(new Set(started).size).toBe(started.length)
  expect(ended.toSorted()).toEqual(started.toSorted())
}

describe(`random stories (KEELSON_SEED=${seed})`, () => {
  it('keep every counter true at every turn, and end with each attempt that started ended exactly once', () => {
    const ends = new Set<string>()
    for (let index = 0; index < RUNS; index += 1) {
      const die = randomSource(seed + index * 7919).below
      const run = randomStart(graphOf(randomPlan(die)), die)
      checkState(run)
      play(run, die, { signals: true, after: () => checkState(run) })
      checkEnd(run)
      ends.add(run.status)
    }
    expect(ends).toEqual(new Set(['COMPLETED', 'FAILED', 'CANCELLED']))
  })
})
