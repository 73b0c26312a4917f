/** The same recorded inputs give the same decisions, whoever folds the log and however often it is folded anew. */
import { describe, expect, it } from 'vitest'
import type { PlanGraph } from '../../src/core/plan/compile/graph.ts'
import { decide } from '../../src/core/run/decide/decide.ts'
import type { Draft } from '../../src/core/run/draft.ts'
import { evolve } from '../../src/core/run/evolve/evolve.ts'
import { foldEventOfDraft } from '../../src/core/run/fold-event.ts'
import type { RunState } from '../../src/core/run/state/state.ts'
import { initialState } from '../../src/core/run/state/initial-state.ts'
import { packState, unpackState } from '../../src/core/run/state/checkpoint.ts'
import { isTerminalRun } from '../../src/core/run/state/transitions.ts'
import { play, randomPlan, randomStart, type Die } from '../fixtures/scenario-random.ts'
import { graphOf, type Scenario } from '../fixtures/scenario.ts'
import { randomSource } from '../fuzz/random-source.ts'
import { SEED as seed } from '../setup/seed.ts'

const RUNS = 1000

/** A generator of its own per run, so that one run can be repeated by its number. */
const die = (run: number): Die => randomSource(seed + run * 7919).below

interface Line {
  readonly draft: Draft
  readonly seq: number
  readonly at: number
}

/** Decides the recorded inputs again; `next` makes the state of each decision from the one before and the new lines. */
function replayed(
  run: Scenario,
  next: (state: RunState, lines: readonly Line[]) => RunState,
): { dispatched: string[]; drafts: Draft[] } {
  const log: Line[] = []
  const dispatched: string[] = []
  let state = initialState(run.graph)
  let read = 0
  for (const input of run.inputs) {
    state = next(state, log.slice(read))
    read = log.length
    const { drafts, effects } = decide(run.graph, state, input)
    for (const draft of drafts) log.push({ draft, seq: log.length + 1, at: input.now })
    for (const effect of effects) if (effect.kind === 'ExecuteStep') dispatched.push(`${effect.slot}#${effect.attempt}`)
  }
  return { dispatched, drafts: log.map(({ draft }) => draft) }
}

/** As a reader of the stored log does: the draft comes back from JSON. */
const folded = (state: RunState, lines: readonly Line[]): RunState =>
  lines.reduce(
    (all, { draft, seq, at }) => evolve(all, foldEventOfDraft(JSON.parse(JSON.stringify(draft)) as Draft, seq, at)),
    state,
  )

const stored = (state: RunState): RunState =>
  unpackState(state.graph, JSON.parse(JSON.stringify(packState(state))) as Record<string, unknown>)

describe(`recorded runs (KEELSON_SEED=${seed})`, () => {
  const graphs = Array.from({ length: 100 }, (_, index) => graphOf(randomPlan(die(1_000_000 + index))))
  const runs = Array.from({ length: RUNS }, (_, index) =>
    play(randomStart(graphs[index % graphs.length] as PlanGraph, die(index)), die(index)),
  )

  it('1,000 runs of random latency replay to the same dispatch list from their log alone [GRF-09]', () => {
    for (const run of runs) {
      const again = replayed(run, folded)
      expect(again.dispatched).toEqual(run.dispatched())
      expect(again.drafts).toEqual(run.log.map(({ draft }) => draft))
    }
    expect(new Set(runs.map((run) => run.dispatched().join())).size).toBeGreaterThan(RUNS / 4)
  })

  it('a state stored as JSON and read back decides the same as the one that never left memory [GRF-09]', () => {
    for (const run of runs.slice(0, 250)) {
      expect(replayed(run, (state, lines) => stored(folded(state, lines))).dispatched).toEqual(run.dispatched())
    }
  })

  it('every run came to its end, or is held by a failure with nothing left in flight', () => {
    for (const run of runs) {
      const { state } = run
      expect([state.inFlight.size, state.parked.size, state.slotsInUse, state.openFans.size]).toEqual([0, 0, 0, 0])
      if (!isTerminalRun(run.status)) expect([run.substatus, state.failed > 0]).toEqual(['embedded/HOLDING', true])
    }
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['COMPLETED', 'FAILED', 'RUNNING']))
  })

  it('no step of a graph ever starts before all its predecessors are satisfied, and no slot twice at once [GRF-05]', () => {
    for (const run of runs.filter(({ graph }) => !graph.sequential)) {
      const running = new Set<string>()
      const settled = new Set<string>()
      for (const { draft } of run.log) {
        const { eventType, slot } = draft
        if (eventType === 'StepStarted') {
          const step = run.graph.indexOf.get(slot)
          const needed = step === undefined ? [] : (run.graph.dependencies[step] ?? [])
          expect(needed.filter((index) => !settled.has(run.graph.steps[index]?.stepId ?? ''))).toEqual([])
          expect(running.has(slot)).toBe(false)
          running.add(slot)
        }
        if (eventType === 'StepCompleted' || eventType === 'StepFailed') running.delete(slot)
        if (eventType === 'StepCompleted' || eventType === 'StepSkipped') settled.add(slot.replace('FALLBACK:', ''))
      }
    }
  })
})
