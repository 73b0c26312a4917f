/**
 * The exhaustive half: a small plan is run once in peace to count its store calls, then once more for every call and
 * every way to die there: before it, after it, and after it was done but reported as failed. Each time the run must end
 * as it did in peace, or be held because an irreversible step may have happened.
 */
import { makeCompetition } from './competition.ts'
import { NO_FAULTS, type FaultKind, type FiredFault } from './faults.ts'
import { runHistory, type History } from './history.ts'
import { makePlan } from './plan-maker.ts'
import { Rng } from './random.ts'
import type { Scenario } from './scenario.ts'
import type { Failing } from './explore.ts'
import { withoutStacks } from './explore.ts'

export const WAYS: readonly FaultKind[] = ['crash-before', 'crash-after', 'lost-answer']

export interface CrashReport {
  readonly seed: number
  readonly plans: number
  readonly cases: number
  readonly crashPoints: number
  readonly failing: readonly Failing[]
}

/** Nothing is left to chance but the plan: one process, no people but those who complete tasks. */
function smallScenario(seed: number): Scenario {
  return new Rng(`beside ${seed}`).chance(0.25) ? smallContest(seed) : smallPlan(seed)
}

/** Two runs of one plan that want the same things. */
function smallContest(seed: number): Scenario {
  const rng = new Rng(`small contest ${seed}`)
  const competition = makeCompetition(rng, false)
  const plan = makePlan(rng, `main-${seed}`, { steps: rng.int(1, 3), children: [], competition })
  const main = withoutUndefined({ ...plan, policy: { ...plan.policy, runTimeoutMs: undefined } })
  const behaviour = { fail: 0, hang: 0, stubborn: 0, slowestMs: 300 }
  const runs = [0, 100].map((atMs) => ({ atMs, delayMs: 0 }))
  return { ...smallPlan(seed), plans: [main], runs, acts: [], behaviour, pools: competition.pools }
}

function smallPlan(seed: number): Scenario {
  const rng = new Rng(`small ${seed}`)
  const children = rng.chance(0.2) ? [makePlan(rng, `child-${seed}`, { steps: rng.int(1, 2), children: [] })] : []
  const main = makePlan(rng, `main-${seed}`, { steps: rng.int(2, 6), children: children.map((doc) => doc.plan) })
  return {
    seed,
    plans: [{ ...main, policy: { ...main.policy, runTimeoutMs: undefined } }, ...children].map(withoutUndefined),
    runs: [{ atMs: 0, delayMs: rng.chance(0.05) ? 500 : 0 }],
    processes: [{ startMs: 0, skewMs: 0 }],
    acts: rng.chance(0.3)
      ? [
          {
            kind: 'signal',
            atMs: rng.int(0, 900),
            run: 0,
            signalType: rng.pick(['PAUSE', 'CANCEL', 'EMERGENCY_STOP']),
            payload: { reason: 'x' },
            allowed: true,
            repeat: 'no',
          },
        ]
      : [],
    behaviour: { fail: rng.pick([0, 0.2]), hang: 0, stubborn: 0, slowestMs: 300 },
    rates: NO_FAULTS,
    healMs: 600_000,
    leaseMs: 3000,
    pollMs: 1000,
    diligence: 1,
    burn: 0,
    fork: false,
    forkAgain: false,
    pools: [],
    helping: 0,
    feed: false,
  }
}

function withoutUndefined<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

/** Store calls after this many are polls of a run that waits; dying there is dying anywhere. */
const POINTS_MAX = 60

export async function crashEverywhere(options: {
  readonly seed: number
  readonly plans: number
  readonly failuresMax?: number
}): Promise<CrashReport> {
  const restore = withoutStacks()
  const failing: Failing[] = []
  let cases = 0
  let crashPoints = 0
  try {
    for (let index = 0; index < options.plans; index += 1) {
      const scenario = smallScenario(options.seed + index)
      const calm = await runHistory(scenario, { faults: [] })
      if (calm.violations.length > 0) failing.push({ seed: scenario.seed, violations: calm.violations })
      const points = Math.min(calm.points, POINTS_MAX)
      for (let point = 0; point < points; point += 1) {
        for (const kind of WAYS) {
          const faults: FiredFault[] = [{ kind, point, ms: 0 }]
          const history = await runHistory(scenario, { faults })
          cases += 1
          crashPoints += history.fired.length
          const violations = [...history.violations, ...differences(scenario, calm, history)]
          if (violations.length > 0)
            failing.push({
              seed: scenario.seed,
              violations: [`${kind} at call ${point}: ${violations[0] ?? ''}`, ...violations.slice(1)],
            })
        }
        await new Promise((resolve) => setImmediate(resolve))
      }
      if (failing.length >= (options.failuresMax ?? 10)) break
    }
  } finally {
    restore()
  }
  return { seed: options.seed, plans: options.plans, cases, crashPoints, failing }
}

/**
 * A crash may cost time and repeat work, never change how the run ends. Only where people act at an instant, outcomes
 * depend on the dispatch, or an irreversible step may have happened, is another end legitimate.
 */
function differences(scenario: Scenario, calm: History, history: History): string[] {
  const irreversible = scenario.plans.some((plan) => plan.steps.some((step) => step['effect'] === 'irreversible'))
  const people = scenario.plans.some((plan) => plan.steps.some((step) => step['manual'] !== undefined))
  // A step that may take as long as its own limit times out by chance, and by another chance after a crash.
  const { slowestMs, fail } = scenario.behaviour
  const tight = scenario.plans.some((plan) =>
    plan.steps.some((step) => Number(step['timeoutMs'] ?? Infinity) <= slowestMs),
  )
  if (irreversible || people || tight || scenario.acts.length > 0 || fail > 0) return []
  const before = calm.statuses[0]
  const after = history.statuses[0]
  return before === after ? [] : [`ended ${String(after)} instead of ${String(before)}`]
}
