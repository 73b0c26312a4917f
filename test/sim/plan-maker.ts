/**
 * Random plans as authors write them: chains and graphs, fan-outs, waits, people, child plans, retries, fallbacks,
 * undoing, all failure policies. What their expressions give, the model of values knows by itself.
 */
import { wantsOf, type Competition } from './competition.ts'
import { Rng } from './random.ts'
import { withValues } from './value-maker.ts'

export type StepDoc = Readonly<Record<string, unknown>> & { readonly id: string }

export interface PlanDoc {
  readonly plan: string
  readonly version: string
  readonly policy: Readonly<Record<string, unknown>>
  readonly steps: readonly StepDoc[]
  readonly output?: unknown
}

/** What every simulated run is started with; `item` lists by length, conditions by their answer. */
export const RUN_INPUT = {
  yes: true,
  no: false,
  n: 7,
  list0: [],
  list1: ['x'],
  list3: [1, 2, 3],
  list5: [5, 4, 3, 2, 1],
  soon: '2030-01-01T00:00:20.000Z',
}

/** A child run gets the same input, so that its conditions and lists mean the same. */
const WHOLE_INPUT = Object.fromEntries(Object.keys(RUN_INPUT).map((name) => [name, `\${input.${name}}`]))

export interface PlanStyle {
  readonly steps: number
  /** Ids of plans a step may start as a child run. */
  readonly children: readonly string[]
  /** What its steps may want of agents and resources. */
  readonly competition?: Competition
}

export function makePlan(rng: Rng, planId: string, style: PlanStyle): PlanDoc {
  const graph = rng.chance(0.65)
  const steps: StepDoc[] = []
  for (let index = 0; index < style.steps; index += 1) {
    const before = steps.map((step) => step.id)
    steps.push(makeStep(rng, index, graph ? pickSome(rng, before) : undefined, style, before))
  }
  const last = steps.at(-1)?.id ?? 's0'
  const made = withValues({
    plan: planId,
    version: '1.0.0',
    policy: makePolicy(rng),
    ...(rng.chance(0.3) ? { output: { last: `\${steps.${last}.output}` } } : {}),
    steps,
  })
  return withEndings({ ...made, steps: withPeople(made.steps) })
}

/** Skips that cascade and failures that are handled, by chances of their own: the shapes of plans stay what they were. */
function withEndings(plan: PlanDoc): PlanDoc {
  const rng = new Rng(`endings ${plan.plan}`)
  const policy = rng.chance(0.25) ? { ...plan.policy, onSkip: 'cascade' } : plan.policy
  const steps = plan.steps.map((step) => ({
    ...step,
    ...(rng.chance(0.1) ? { onSkip: rng.pick(['satisfy', 'cascade']) } : {}),
    ...(rng.chance(0.12) && step['manual'] === undefined ? { onFailure: 'continue' } : {}),
  }))
  return { ...plan, policy, steps }
}

/** Every other task asks for somebody else than who made the run; no list of what cannot be undone waits for people. */
function withPeople(steps: readonly StepDoc[]): readonly StepDoc[] {
  const asks = steps.some((step) => step['manual'] !== undefined)
  return steps.map((step, index) => {
    const { effect, ...rest } = step
    const manual = step['manual'] as Fields | undefined
    if (manual !== undefined && index % 2 === 0) return { ...step, manual: { ...manual, rule: 'MakerChecker' } }
    return asks && step['forEach'] !== undefined && effect === 'irreversible' ? { ...rest, id: step.id } : step
  })
}

function makePolicy(rng: Rng): Readonly<Record<string, unknown>> {
  return {
    onFailure: rng.weighted({ failFast: 5, continue: 3, hold: 3 }),
    concurrency: rng.pick([1, 2, 3, 10]),
    retry: {
      maxAttempts: rng.int(1, 3),
      initialBackoffMs: rng.pick([0, 100, 1000]),
      backoffMultiplier: 2,
      maxBackoffMs: 4000,
    },
    // Long enough for some steps to be still in flight, and not for all.
    drainTimeoutMs: 400,
    timeoutMs: rng.pick([1000, 5000, 20_000]),
    ...(rng.chance(0.15) ? { runTimeoutMs: rng.pick([500, 5000, 30_000]) } : {}),
  }
}

function pickSome(rng: Rng, before: readonly string[]): readonly string[] {
  if (before.length === 0 || rng.chance(0.2)) return []
  const recent = before.slice(-5)
  return [...new Set(Array.from({ length: rng.int(1, 3) }, () => rng.pick(recent)))]
}

type Fields = Readonly<Record<string, unknown>>

function makeStep(
  rng: Rng,
  index: number,
  dependsOn: readonly string[] | undefined,
  style: PlanStyle,
  before: readonly string[],
): StepDoc {
  const id = `s${index}`
  const kind = rng.weighted({ run: 76, wait: 8, manual: 7, plan: style.children.length > 0 ? 9 : 0 })
  const ancestors = dependsOn ?? before
  return {
    id,
    ...(dependsOn === undefined ? {} : { dependsOn }),
    ...actionOf(rng, kind, style),
    ...(rng.chance(0.12) ? { [rng.pick(['if', 'unless'])]: rng.pick(['input.yes', 'input.no']) } : {}),
    ...(kind === 'wait' ? {} : { with: { ...mappingOf(rng, ancestors), ...(kind === 'plan' ? WHOLE_INPUT : {}) } }),
    ...(rng.chance(0.14) ? { forEach: `input.${rng.pick(['list0', 'list1', 'list3', 'list5'])}` } : {}),
    ...(kind === 'run' ? runFields(rng) : {}),
    ...(kind === 'run' && style.competition !== undefined ? wantsOf(rng, style.competition) : {}),
    ...(kind === 'plan' && rng.chance(0.6) ? { effect: 'compensatable' } : {}),
    ...(kind === 'plan' && rng.chance(0.5)
      ? { retry: { maxAttempts: 1, initialBackoffMs: 0, backoffMultiplier: 1, maxBackoffMs: 0 } }
      : {}),
  }
}

function actionOf(rng: Rng, kind: 'run' | 'wait' | 'manual' | 'plan', style: PlanStyle): Fields {
  switch (kind) {
    case 'run':
      return { run: 'work' }
    case 'wait':
      return {
        wait: rng.pick<Fields>([
          { forMs: 0 },
          { forMs: 700 },
          { forMs: 9000 },
          { forMs: '${input.n}' },
          { until: '2030-01-01T00:00:05.000Z' },
          { until: '${input.soon}' },
        ]),
      }
    case 'manual':
      return {
        manual: { title: 'look at it', ...(rng.chance(0.4) ? { expiresAfterMs: rng.pick([800, 20_000]) } : {}) },
      }
    case 'plan':
      return { plan: { planId: rng.pick(style.children) } }
  }
}

function mappingOf(rng: Rng, ancestors: readonly string[]): Fields {
  const from = ancestors.length > 0 && rng.chance(0.5) ? { before: `\${steps.${rng.pick(ancestors)}.output}` } : {}
  return { n: '${input.n}', ...from, ...(rng.chance(0.2) ? { seen: '${context.seen}' } : {}) }
}

function runFields(rng: Rng): Fields {
  const undo = rng.chance(0.3)
  const retry = {
    maxAttempts: rng.int(1, 4),
    initialBackoffMs: rng.pick([0, 50, 800]),
    backoffMultiplier: rng.pick([1, 2]),
    maxBackoffMs: 3000,
  }
  const listed = rng.chance(0.15) ? { retryableErrors: ['timeout', 'rate_limit'] } : {}
  return {
    ...(rng.chance(0.5) ? { retry: { ...retry, ...listed } } : {}),
    ...(rng.chance(0.3) ? { timeoutMs: rng.pick([300, 2000]) } : {}),
    ...(undo
      ? {
          compensate: {
            run: 'undo',
            with: { n: '${input.n}' },
            retry: { ...retry, maxAttempts: rng.int(1, 2) },
            timeoutMs: 2000,
          },
        }
      : { effect: rng.weighted({ none: 2, idempotent: 6, irreversible: 2 }) }),
    ...(rng.chance(0.15)
      ? {
          fallback: { run: 'other', with: {} },
          fallbackOn: rng.pick([['exhausted'], ['exhausted', 'permanent'], ['permanent']]),
        }
      : {}),
    ...(rng.chance(0.2)
      ? {
          capture: [
            rng.pick<Fields>([
              { destination: 'seen', merge: 'append' },
              { destination: 'last', merge: 'replace' },
            ]),
          ],
        }
      : {}),
  }
}
