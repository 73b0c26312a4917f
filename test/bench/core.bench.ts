/** How many events per second the decider and the fold make of one core, and how their cost grows with the plan. */
import { compileGraph, type PlanGraph } from '../../src/core/plan/compile/graph.ts'
import type { Plan, Step } from '../../src/core/plan/plan.ts'
import { decide } from '../../src/core/run/decide/decide.ts'
import type { Effect } from '../../src/core/run/effect.ts'
import type { InputBody } from '../../src/core/run/input.ts'
import { initialState } from '../../src/core/run/state/initial-state.ts'
import { atMostRow, type BenchRow } from './row.ts'

const FLOOR_EVENTS_PER_SECOND = 300_000
const GROWTH_MAX = 12
const EVENTS_PER_PASS = 200_000
const PASSES = 6

const RETRY = { maxAttempts: 3, initialBackoffMs: 1000, backoffMultiplier: 2, maxBackoffMs: 30_000 }

/** Ten chains side by side: every outcome ends one step and starts the next of its chain. */
function graphOf(count: number): PlanGraph {
  const steps = Array.from({ length: count }, (_, index): Step => ({
    stepId: `step-${index}`,
    order: index + 1,
    dependsOn: index < 10 ? [] : [`step-${index - 10}`],
    run: 'work',
    with: {},
    retry: RETRY,
    timeoutMs: 300_000,
    priority: 0,
    effect: 'idempotent',
    fallbackOn: ['exhausted'],
    isolation: 'inline',
  }))
  const plan: Plan = {
    schemaVersion: 'v1.0',
    metadata: { planId: 'bench', planVersion: '1.0.0', fallbackBehavior: 'reject', targetAdapter: 'any' },
    context: {},
    policy: { concurrency: 10, onFailure: 'failFast', retry: RETRY, timeoutMs: 300_000 },
    steps,
  }
  return compileGraph(plan)
}

const START: InputBody = {
  kind: 'start',
  details: {
    engineRunRef: 'embedded://bench',
    engineType: 'embedded',
    planRef: {
      uri: 'plan:bench',
      sha256: '0'.repeat(64),
      schemaVersion: 'v1.0',
      planId: 'bench',
      planVersion: '1.0.0',
    },
    context: { tenantId: 'local', projectId: 'default', environmentId: 'local' },
  },
}

/** One whole run, decided and folded; answers how many events it took. */
function runOnce(graph: PlanGraph): number {
  let state = initialState(graph)
  let events = 0
  let now = Date.UTC(2026, 0, 1)
  const open: Effect[] = []
  const take = (input: InputBody): void => {
    now += 1
    const result = decide(graph, state, { ...input, now, epoch: 1 })
    state = result.state
    events += result.drafts.length
    for (const effect of result.effects) open.push(effect)
  }
  take({ kind: 'admit', policy: 'START', autoApprove: true })
  take(START)
  for (let effect = open.shift(); effect !== undefined; effect = open.shift()) {
    if (effect.kind !== 'ExecuteStep') continue
    const { slot, attempt, engineAttempt } = effect
    take({
      kind: 'outcome',
      slot,
      attempt,
      engineAttempt,
      outcome: { kind: 'completed', payload: { artifactRefs: [] } },
    })
  }
  if (state.status !== 'COMPLETED') throw new Error(`the bench run ended ${state.status}`)
  return events
}

interface Measured {
  /** Mean time of one run, garbage collection included. */
  readonly ms: number
  readonly perSecond: number
}

/** The same number of events for every size, so that each pays its own share of garbage collection; best of a few passes. */
function measure(steps: number): Measured {
  const graph = graphOf(steps)
  const runs = EVENTS_PER_PASS / (2 * steps)
  let ms = Number.POSITIVE_INFINITY
  let events = 0
  for (let pass = 0; pass < PASSES; pass += 1) {
    const began = performance.now()
    for (let run = 0; run < runs; run += 1) events = runOnce(graph)
    ms = Math.min(ms, (performance.now() - began) / runs)
  }
  return { ms, perSecond: (events * 1000) / ms }
}

export async function benchCore(): Promise<readonly BenchRow[]> {
  measure(1_000)
  const thousand = measure(1_000)
  const tenThousand = measure(10_000)
  const hundredThousand = measure(100_000)
  const speed = thousand.perSecond
  return [
    {
      name: 'decider + fold at 1,000 steps',
      value: Math.round(speed),
      unit: 'events/s',
      baseline: FLOOR_EVENTS_PER_SECOND,
      ratio: speed / FLOOR_EVENTS_PER_SECOND,
      floor: 1,
      ok: speed >= FLOOR_EVENTS_PER_SECOND,
    },
    atMostRow('time at 10,000 steps ÷ time at 1,000', 'ms', tenThousand.ms, thousand.ms, GROWTH_MAX),
    atMostRow('time at 100,000 steps ÷ time at 10,000', 'ms', hundredThousand.ms, tenThousand.ms, GROWTH_MAX),
  ]
}
