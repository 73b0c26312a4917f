/** The same recorded inputs give the same decisions, whoever folds the log and however often it is folded anew. */
import { describe, expect, it } from 'vitest'
import type { PlanGraph } from '../../src/core/plan/graph.ts'
import { bitMembers } from '../../src/core/collections/bit-tree.ts'
import { vectorGet } from '../../src/core/collections/vector.ts'
import { decide } from '../../src/core/run/decide.ts'
import type { Draft } from '../../src/core/run/draft.ts'
import { evolve } from '../../src/core/run/evolve.ts'
import { foldEventOfDraft } from '../../src/core/run/fold-event.ts'
import { initialState, type RunState } from '../../src/core/run/state.ts'
import { packState, unpackState } from '../../src/core/run/state-snapshot.ts'
import { nextTimer } from '../../src/core/run/timers.ts'
import { isTerminalRun } from '../../src/core/run/transitions.ts'
import { slotOfUnit } from '../../src/core/run/units.ts'
import { randomSource, seedFromEnvironment } from '../fuzz/random-source.ts'
import { graphOf, scenario, type Scenario } from '../fixtures/scenario.ts'

const seed = seedFromEnvironment()
const RUNS = 1000

/** A generator of its own per run, so that one run can be repeated by its number. */
function dice(run: number): (sides: number) => number {
  return randomSource(seed + run * 7919).below
}

function randomPlan(roll: (sides: number) => number): string {
  const count = 3 + roll(10)
  const steps = Array.from({ length: count }, (_, index) => {
    const needs = Array.from({ length: index }, (__, other) => other).filter(() => roll(4) === 0)
    const kind = roll(10) === 0 ? 'wait: { forMs: 500 }' : 'run: f'
    const more = [roll(5) === 0 ? "if: 'input.x'" : '', roll(6) === 0 && kind === 'run: f' ? 'fallback: { run: g }' : '', roll(7) === 0 ? "forEach: 'input.list'" : '', roll(4) === 0 && kind === 'run: f' ? 'compensate: { run: undo }' : '']
    const fields = [`id: s${index}`, kind, `dependsOn: [${needs.map((other) => `s${other}`).join(', ')}]`, `retry: { maxAttempts: ${1 + roll(3)}, initialBackoffMs: ${1 + roll(2000)} }`, ...more.filter((one) => one !== '')]
    return `  - { ${fields.join(', ')} }`
  })
  const policy = `policy: { concurrency: ${1 + roll(4)}, onFailure: ${['failFast', 'continue', 'hold'][roll(3)] ?? 'hold'} }`
  return `${policy}\nsteps:\n${steps.join('\n')}`
}

function graphsOf(count: number): PlanGraph[] {
  return Array.from({ length: count }, (_, index) => graphOf(randomPlan(dice(1_000_000 + index))))
}

/** Ends attempts in flight in random order and at random instants until nothing moves any more. */
function live(graph: PlanGraph, roll: (sides: number) => number): Scenario {
  const facts = Object.fromEntries(graph.steps.map(({ stepId }) => [stepId, { condition: roll(4) > 0, items: roll(4) }]))
  const run = scenario(graph, { facts }).start()
  for (let turn = 0; turn < 500 && !isTerminalRun(run.status); turn += 1) {
    const open = openSlots(run.state)
    const due = nextTimer(run.state)
    const latency = roll(3000)
    if (due !== undefined && (open.length === 0 || due.dueAt <= run.now + latency)) run.until(due.dueAt)
    else if (open.length === 0) break
    else {
      run.until(run.now + latency)
      const slot = open[roll(open.length)] ?? ''
      if (roll(4) === 0) run.fails(slot, { class: roll(3) === 0 ? 'conflict' : 'unknown' })
      else run.completes(slot)
    }
  }
  return run
}

function openSlots(state: RunState): string[] {
  const current = state.undo?.current
  const hook = current?.status === 'RUNNING' ? [`COMP:${current.slot}`] : []
  const steps = [...bitMembers(state.inFlight)].flatMap((index) => {
    const unit = vectorGet(state.units, index)
    return unit === undefined ? [] : [slotOfUnit(state.graph, unit)]
  })
  return [...steps, ...hook]
}

/** Decides the recorded inputs again, each on a state made anew: from the whole log, or from a stored snapshot. */
function replayed(run: Scenario, state: (log: readonly { draft: Draft; seq: number; at: number }[]) => RunState) {
  const log: { draft: Draft; seq: number; at: number }[] = []
  const dispatched: string[] = []
  for (const input of run.inputs) {
    const { drafts, effects } = decide(run.graph, state(log), input)
    for (const draft of drafts) log.push({ draft, seq: log.length + 1, at: input.now })
    for (const effect of effects) if (effect.kind === 'ExecuteStep') dispatched.push(`${effect.slot}#${effect.attempt}`)
  }
  return { dispatched, drafts: log.map(({ draft }) => draft) }
}

describe(`recorded runs (KEELSON_SEED=${seed})`, () => {
  const graphs = graphsOf(50)
  const runs = Array.from({ length: RUNS }, (_, index) => live(graphs[index % graphs.length] as PlanGraph, dice(index)))

  it('1,000 runs of random latency replay to the same dispatch list from their log alone [GRF-09]', () => {
    for (const run of runs) {
      let folded = initialState(run.graph)
      let read = 0
      const again = replayed(run, (log) => {
        for (const { draft, seq, at } of log.slice(read)) folded = evolve(folded, foldEventOfDraft(JSON.parse(JSON.stringify(draft)) as Draft, seq, at))
        read = log.length
        return folded
      })
      expect(again.dispatched).toEqual(run.dispatched())
      expect(again.drafts).toEqual(run.log.map(({ draft }) => draft))
    }
    const lists = new Set(runs.map((run) => run.dispatched().join()))
    expect(lists.size).toBeGreaterThan(RUNS / 4)
  })

  it('a state stored as JSON and read back decides the same as the one that never left memory [GRF-09, P-51]', () => {
    for (const run of runs.slice(0, 200)) {
      let folded = initialState(run.graph)
      let read = 0
      const again = replayed(run, (log) => {
        for (const { draft, seq, at } of log.slice(read)) folded = evolve(folded, foldEventOfDraft(draft, seq, at))
        read = log.length
        folded = unpackState(run.graph, JSON.parse(JSON.stringify(packState(folded))) as never)
        return folded
      })
      expect(again.dispatched).toEqual(run.dispatched())
    }
  })

  it('every run came to its end or is held by a failure, with nothing left in flight', () => {
    for (const run of runs) {
      const { state } = run
      expect([state.inFlight.size, state.parked.size, state.slotsInUse, state.openFans.size]).toEqual([0, 0, 0, 0])
      if (!isTerminalRun(run.status)) expect([run.substatus, state.failed > 0]).toEqual(['embedded/HOLDING', true])
    }
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['COMPLETED', 'FAILED', 'RUNNING']))
  })

  it('no step ever starts before all its predecessors are satisfied, and none twice at once [GRF-05]', () => {
    for (const run of runs) {
      const running = new Set<string>()
      const settled = new Set<string>()
      for (const { draft } of run.log) {
        const { eventType, slot } = draft
        if (eventType === 'StepStarted') {
          const step = run.graph.indexOf.get(slot)
          for (const needed of step === undefined ? [] : (run.graph.dependencies[step] ?? [])) expect(settled).toContain(run.graph.steps[needed]?.stepId)
          expect(running).not.toContain(slot)
          running.add(slot)
        }
        if (eventType === 'StepCompleted' || eventType === 'StepFailed') running.delete(slot)
        if (eventType === 'StepCompleted' || eventType === 'StepSkipped') settled.add(slot.replace('FALLBACK:', ''))
      }
    }
  })
})
