/**
 * A history before it happens: plans, processes, what people do and when, how steps behave and what goes wrong. All of
 * it is plain data drawn from one seed, so a failing one can be cut down piece by piece.
 */
import type { PoolDefinition } from '../../src/ports/grants.ts'
import type { BehaviourRates } from './behaviour.ts'
import { makeCompetition } from './competition.ts'
import { NO_FAULTS, type FaultRates } from './faults.ts'
import { withOutside } from './outside.ts'
import { makePlan, type PlanDoc } from './plan-maker.ts'
import { Rng } from './random.ts'

export interface ProcessSpec {
  readonly startMs: number
  /** How far its clock is off. */
  readonly skewMs: number
}

/** Something a person or another program does to a run. */
export type Act =
  | {
      readonly kind: 'signal'
      readonly atMs: number
      readonly run: number
      readonly signalType: string
      readonly payload: Readonly<Record<string, unknown>>
      readonly allowed: boolean
      readonly repeat: 'no' | 'same' | 'other'
    }
  | { readonly kind: 'scope'; readonly atMs: number; readonly run: number; readonly active: boolean }
  | { readonly kind: 'stop'; readonly atMs: number; readonly process: number }
  | { readonly kind: 'pool'; readonly atMs: number; readonly definition: PoolDefinition }
  | {
      readonly kind: 'event'
      readonly atMs: number
      readonly id: string
      readonly key: string
      /** Its data meets the condition of waits that have one. */
      readonly fits: boolean
      readonly repeat: boolean
    }

export interface Scenario {
  readonly seed: number
  readonly plans: readonly PlanDoc[]
  /** `delayMs`: the run is admitted at once and starts so much later; 0 starts it now. */
  readonly runs: readonly { readonly atMs: number; readonly delayMs: number }[]
  readonly processes: readonly ProcessSpec[]
  readonly acts: readonly Act[]
  readonly behaviour: BehaviourRates
  readonly rates: FaultRates
  /** From here on nothing goes wrong any more. */
  readonly healMs: number
  readonly leaseMs: number
  readonly pollMs: number
  /** Probability that a person completes a task when it opens. */
  readonly diligence: number
  /** Numbers the store throws away after each commit. */
  readonly burn: number
  readonly fork: boolean
  /** The run is forked a second time, and one of its forks is. */
  readonly forkAgain: boolean
  /** Declared before any run starts; none where runs do not compete. */
  readonly pools: readonly PoolDefinition[]
  /** Probability that another process hands in an outcome beside the run's driver (P-12). */
  readonly helping: number
  /** How many times as many turns as usual it may take; default 1. */
  readonly patience?: number
  /** Somebody follows the feed in every process (I11). */
  readonly feed: boolean
}

export interface ScenarioLimits {
  readonly maxSteps: number
}

export function makeScenario(seed: number, limits: ScenarioLimits = { maxSteps: 40 }): Scenario {
  // Chances of their own, so that the histories without competition stay what they are.
  const beside = new Rng(`beside ${seed}`)
  return withOutside(beside.chance(COMPETING) ? contested(seed, limits, beside) : alone(seed, limits, beside))
}

/** Share of the histories in which runs compete for grants. */
const COMPETING = 0.4

/** Several runs of one small plan on several processes, which want the same few things. */
function contested(seed: number, limits: ScenarioLimits, beside: Rng): Scenario {
  const rng = new Rng(`contested ${seed}`)
  const behaviour = { ...makeBehaviour(rng, true), slowestMs: rng.pick([300, 800, 3000]) }
  const competition = makeCompetition(rng, behaviour.fail + behaviour.hang + behaviour.stubborn > 0)
  const children = rng.chance(0.15)
    ? [makePlan(rng, `child-${seed}`, { steps: rng.int(1, 2), children: [], competition })]
    : []
  const steps = Math.min(limits.maxSteps, rng.chance(0.04) ? rng.int(5, 10) : rng.int(1, 4))
  const style = { steps, children: children.map((doc) => doc.plan), competition }
  const main = makePlan(rng, `main-${seed}`, style)
  const runs = Number(rng.weighted({ 2: 12, 3: 8, 4: 2, 6: 1 }))
  const healMs = rng.pick([3000, 10_000, 20_000])
  const processes = rng.pick([1, 2, 2, 3])
  const drawn = common(rng, { seed, main, children, runs, processes, healMs })
  const changed = poolActs(rng, competition.pools, [main, ...children], healMs, seed)
  const acts = [...drawn.acts, ...changed].sort((a, b) => a.atMs - b.atMs)
  return withCompany({ ...drawn, acts, behaviour, pools: competition.pools }, beside)
}

/** Somebody changes how much there is while runs want it, every third time maybe to less than a step wants (RES-06). */
function poolActs(
  rng: Rng,
  pools: readonly PoolDefinition[],
  plans: readonly PlanDoc[],
  healMs: number,
  seed: number,
): Act[] {
  if (!rng.chance(0.15)) return []
  const definition = rng.pick(pools)
  const name = definition.pool.slice(definition.pool.indexOf(':') + 1)
  const wanted = plans.flatMap(({ steps }) =>
    steps.map((step) => (step['resources'] as Amounts | undefined)?.[name] ?? 1),
  )
  const capacity = rng.int(seed % 3 === 0 ? 1 : Math.max(1, ...wanted), 4)
  return [{ kind: 'pool', atMs: rng.int(0, healMs), definition: { ...definition, capacity } }]
}

type Amounts = Readonly<Record<string, number>>

function alone(seed: number, limits: ScenarioLimits, beside: Rng): Scenario {
  const rng = new Rng(`scenario ${seed}`)
  const children = rng.chance(0.25) ? [makePlan(rng, `child-${seed}`, { steps: rng.int(1, 3), children: [] })] : []
  const steps = Math.min(limits.maxSteps, rng.chance(0.06) ? rng.int(10, 40) : rng.int(1, 7))
  const main = makePlan(rng, `main-${seed}`, { steps, children: children.map((doc) => doc.plan) })
  const runs = rng.chance(0.15) ? 2 : 1
  return withCompany(common(rng, { seed, main, children, runs }), beside)
}

/** A follower in one history of four; helpers where no process dies with what it was given to do. */
function withCompany(scenario: Scenario, beside: Rng): Scenario {
  const feed = beside.chance(0.25)
  const helps = beside.chance(0.5)
  const { rates, acts, processes } = scenario
  const somebodyDies =
    rates['crash-before'] + rates['crash-after'] + rates.stall > 0 || acts.some((act) => act.kind === 'stop')
  const helping = helps && !somebodyDies && processes.length > 1 ? beside.pick([0.2, 0.6]) : 0
  return { ...scenario, feed, helping }
}

interface Drawn {
  readonly seed: number
  readonly main: PlanDoc
  readonly children: readonly PlanDoc[]
  readonly runs: number
  readonly processes?: number
  readonly healMs?: number
}

function common(rng: Rng, drawn: Drawn): Scenario {
  const { seed, main, children, runs } = drawn
  const leaseMs = rng.pick([3000, 10_000])
  const calm = rng.chance(0.3)
  const healMs = drawn.healMs ?? rng.pick([3000, 10_000, 30_000])
  const acts = makeActs(rng, main, runs, healMs)
  return {
    seed,
    plans: [main, ...children],
    runs: Array.from({ length: runs }, (_, index) => ({
      atMs: index * rng.int(0, 500),
      delayMs: rng.chance(0.06) ? rng.int(1, 4000) : 0,
    })),
    processes: Array.from({ length: drawn.processes ?? rng.pick([1, 1, 2, 3]) }, () => ({
      startMs: rng.int(0, 300),
      skewMs: rng.chance(0.1) ? rng.int(-8000, 8000) : 0,
    })),
    acts,
    behaviour: makeBehaviour(rng, acts.length > 0),
    rates: calm ? NO_FAULTS : makeRates(rng),
    healMs,
    leaseMs,
    pollMs: rng.pick([500, 1000, 2000]),
    diligence: rng.pick([0, 0.7, 1]),
    burn: rng.chance(0.04) ? rng.int(1, 3) : 0,
    fork: rng.chance(0.2),
    forkAgain: new Rng(`fork again ${seed}`).chance(0.5),
    pools: [],
    helping: 0,
    feed: false,
  }
}

/** Where people act, steps take their time: a signal to a run that has ended tells little. */
function makeBehaviour(rng: Rng, slowly: boolean): BehaviourRates {
  return {
    fail: rng.pick([0, 0.15, 0.4]),
    hang: rng.pick([0, 0, 0.08]),
    stubborn: rng.pick([0, 0, 0.06]),
    slowestMs: rng.pick(slowly ? [800, 4000] : [0, 500, 4000]),
  }
}

function makeRates(rng: Rng): FaultRates {
  const rate = (usual: number): number => (rng.chance(0.5) ? 0 : usual * rng.pick([0.3, 1, 2]))
  return {
    fail: rate(0.02),
    'lost-answer': rate(0.02),
    delay: rate(0.08),
    'crash-before': rate(0.006),
    'crash-after': rate(0.006),
    stall: rate(0.003),
    duplicate: rate(0.1),
  }
}

function makeActs(rng: Rng, plan: PlanDoc, runs: number, healMs: number): Act[] {
  const count = rng.chance(0.45) ? 0 : rng.int(1, 5)
  const acts = Array.from({ length: count }, (): Act => {
    const run = rng.int(0, runs - 1)
    const atMs = rng.chance(0.75) ? rng.int(0, 1500) : rng.int(0, healMs + 3000)
    if (rng.chance(0.05)) return { kind: 'scope', atMs, run, active: rng.chance(0.6) }
    if (rng.chance(0.04)) return { kind: 'stop', atMs, process: rng.int(0, 2) }
    return makeSignal(rng, plan, atMs, run)
  })
  return acts.sort((a, b) => a.atMs - b.atMs)
}

function makeSignal(rng: Rng, plan: PlanDoc, atMs: number, run: number): Act {
  const signalType = rng.chance(0.03)
    ? 'EXPLODE'
    : rng.weighted({
        PAUSE: 8,
        RESUME: 8,
        CANCEL: 4,
        EMERGENCY_STOP: 2,
        RETRY_STEP: 8,
        SKIP_STEP: 6,
        UPDATE_PARAMS: 2,
        INJECT_OVERRIDE: 1,
        UPDATE_TARGET: 1,
        ESCALATE_ALERT: 2,
        RETRY_RUN: 1,
      })
  const stepId = rng.chance(0.08) ? 'nowhere' : rng.pick(plan.steps).id
  const payload = rng.chance(0.04) ? { wrong: 1 } : payloadOf(rng, signalType, stepId)
  return {
    kind: 'signal',
    atMs,
    run,
    signalType,
    payload,
    allowed: !rng.chance(0.05),
    repeat: rng.chance(0.1) ? rng.pick(['same', 'other']) : 'no',
  }
}

function payloadOf(rng: Rng, signalType: string, stepId: string): Readonly<Record<string, unknown>> {
  switch (signalType) {
    case 'RETRY_STEP':
      return { stepId, ...(rng.chance(0.2) ? { freshKey: true } : {}) }
    case 'SKIP_STEP':
      return { stepId }
    case 'UPDATE_PARAMS':
      return { params: { n: rng.int(8, 99) }, reason: 'a mistake' }
    case 'INJECT_OVERRIDE':
      return { stepId, override: { extra: rng.int(1, 9) }, reason: 'a mistake' }
    case 'UPDATE_TARGET':
      return { stepId, newTarget: { schema: 'elsewhere' }, reason: 'a mistake' }
    case 'EMERGENCY_STOP':
      return { reason: 'fire' }
    case 'ESCALATE_ALERT':
      return { level: 'CRITICAL' }
    default:
      return {}
  }
}
