/**
 * Wide histories: fan-outs of one item to two thousand, around the sizes of every cache, page and append, each read by a
 * condition, another forEach, an input and the run's output. They cost more than others, so there are few of them.
 */
import { withoutStacks, type Failing } from './explore.ts'
import { NO_FAULTS, type FaultRates } from './faults.ts'
import { runHistory } from './history.ts'
import type { PlanDoc, StepDoc } from './plan-maker.ts'
import { Rng } from './random.ts'
import { makeScenario, type Scenario } from './scenario.ts'

/** 256 outputs are kept at hand, an append has 500 events, a page 1,000. */
export const WIDTHS = [1, 2, 255, 256, 257, 499, 500, 501, 999, 1000, 1001, 2000] as const

export function wideScenario(seed: number, width: number): Scenario {
  const rng = new Rng(`wide ${seed} ${width}`)
  const crashes: FaultRates = { ...NO_FAULTS, 'crash-after': 0.001, 'lost-answer': 0.003, fail: 0.002 }
  return {
    ...makeScenario(seed),
    seed,
    plans: [widePlan(rng, seed, width)],
    runs: [{ atMs: 0, delayMs: 0 }],
    processes: [
      { startMs: 0, skewMs: 0 },
      { startMs: 100, skewMs: 0 },
    ],
    acts: [],
    behaviour: { fail: rng.pick([0, 0.02]), hang: 0, stubborn: 0, slowestMs: rng.pick([5, 40, 400]) },
    rates: rng.pick([NO_FAULTS, crashes]),
    healMs: 60_000,
    leaseMs: 10_000,
    diligence: 1,
    burn: 0,
    fork: rng.chance(0.3),
    pools: [],
    helping: 0,
    feed: false,
    patience: 20,
  }
}

function widePlan(rng: Rng, seed: number, width: number): PlanDoc {
  const of = 'steps.s1.output'
  const again = rng.chance(0.4)
  const retry = { maxAttempts: 4, initialBackoffMs: 10, backoffMultiplier: 1, maxBackoffMs: 10 }
  const fan = {
    run: 'work',
    retry,
    effect: 'idempotent',
    fallback: { run: 'other', with: {} },
    fallbackOn: ['permanent', 'exhausted'],
  }
  const after: StepDoc[] = [
    {
      id: 's2',
      run: 'work',
      dependsOn: ['s1'],
      if: `length(${of}[].n) == \`${width}\``,
      with: { all: `\${${of}[].n}` },
      retry,
    },
    {
      id: 's3',
      run: 'work',
      dependsOn: ['s1'],
      with: { many: `\${length(${of} || \`[]\`)}`, last: `\${${of}[-1]}` },
      retry,
    },
    again
      ? { id: 's4', ...fan, dependsOn: ['s1'], forEach: of, with: { n: '${item.n}', at: '${index}' } }
      : { id: 's4', ...fan, dependsOn: ['s0'], forEach: 'steps.s0.output.list', with: { n: '${item}' } },
  ]
  return {
    plan: `wide-${seed}-${width}`,
    version: '1.0.0',
    policy: { onFailure: 'continue', concurrency: rng.pick([50, 600]), retry, timeoutMs: 20_000 },
    output: {
      first: `\${${of}[].n}`,
      count: `\${length(${of}[].n || \`[]\`)}`,
      second: '${steps.s4.output[].n}',
      two: '${steps.s2.output.n}',
    },
    steps: [
      { id: 's0', run: 'work', with: { size: width }, dependsOn: [], retry },
      { id: 's1', ...fan, dependsOn: ['s0'], forEach: 'steps.s0.output.list', with: { n: '${item}' } },
      ...after,
    ],
  }
}

export interface WideReport {
  readonly histories: number
  readonly events: number
  readonly failing: readonly Failing[]
}

/** One history of each width, over and over until there are enough. */
export async function exploreWide(options: {
  readonly seed: number
  readonly histories: number
  readonly widths?: readonly number[]
  readonly failuresMax?: number
}): Promise<WideReport> {
  const { seed, histories, widths = WIDTHS, failuresMax = 5 } = options
  const failing: Failing[] = []
  let events = 0
  const restore = withoutStacks()
  try {
    for (let index = 0; index < histories && failing.length < failuresMax; index += 1) {
      const width = widths[index % widths.length] ?? 1
      const own = seed + Math.floor(index / widths.length)
      const history = await runHistory(wideScenario(own, width))
      events += history.events
      if (history.violations.length > 0)
        failing.push({ seed: own, violations: history.violations.map((one) => `width ${width}: ${one.slice(0, 500)}`) })
      await new Promise((resolve) => setImmediate(resolve))
    }
  } finally {
    restore()
  }
  return { histories, events, failing }
}
