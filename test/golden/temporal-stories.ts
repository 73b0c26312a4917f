/**
 * The runs whose Temporal histories are kept as golden files: one per thing the workflow does. They are played against a real
 * server when they are recorded, and replayed with every later workflow bundle (TMP-04).
 */
import type { RunHandle, StepContext } from '../../src/main.ts'
import { eventsOf, logHas, type TemporalWorld } from '../fixtures/temporal-world.ts'

export interface TemporalStory {
  readonly name: string
  readonly plan: string
  readonly input?: unknown
  /** What happens to it meanwhile. */
  readonly act?: (run: RunHandle, stage: TemporalStage) => Promise<void>
}

export interface TemporalStage {
  readonly world: TemporalWorld
  /** Lets gated steps go on. */
  readonly open: () => void
}

export function storySteps(gate: Promise<void>) {
  let flops = 0
  return {
    echo: (input: unknown) => input,
    gated: () => gate,
    flaky: () => {
      flops += 1
      if (flops % 2 === 1) throw new Error('the first time it fails')
      return flops
    },
    polite: (_input: unknown, { signal }: StepContext) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  }
}

const chain = (count: number): string =>
  Array.from({ length: count }, (_, n) => {
    const after = n === 0 ? '' : `, dependsOn: [s${n - 1}]`
    return `  - { id: s${n}, run: echo, with: { n: ${n} }${after} }`
  }).join('\n')
const planOf = (name: string, steps: string): string => `plan: ${name}\nversion: 1.0.0\nsteps:\n${steps}\n`

export const ROTATE_AT_STEPS = 8

export const TEMPORAL_STORIES: readonly TemporalStory[] = [
  { name: 'chain', plan: planOf('chain', chain(4)) },
  {
    name: 'fan-out',
    plan: planOf('fan-out', `  - { id: each, forEach: input.list, run: echo, with: { n: '\${item}' } }`),
    input: { list: [1, 2, 3, 4, 5] },
  },
  {
    name: 'retry',
    plan: planOf('retry', `  - { id: a, run: flaky, retry: { maxAttempts: 3, initialBackoffMs: 100 } }`),
  },
  {
    name: 'pause-resume',
    plan: planOf('pause-resume', `  - { id: a, run: gated }\n  - { id: b, dependsOn: [a], run: echo, with: {} }`),
    act: async (run, { open }) => {
      await logHas(run, 'StepStarted a#1')
      await run.pause('look')
      await logHas(run, 'RunPaused')
      open()
      await logHas(run, 'StepCompleted a#1')
      await run.resume()
    },
  },
  {
    name: 'cancel',
    plan: planOf('cancel', `  - { id: a, run: polite, dependsOn: [] }\n  - { id: b, run: polite, dependsOn: [], timeoutMs: 3600000 }`),
    act: async (run) => {
      await logHas(run, 'StepStarted b#1')
      await run.cancel('enough')
    },
  },
  { name: 'rotation', plan: planOf('rotation', chain(20)) },
  {
    name: 'long-step',
    plan: planOf('long-step', `  - { id: a, run: echo, with: {}, timeoutMs: 3600000 }`),
  },
  {
    name: 'waiting',
    plan: planOf('waiting', `  - { id: w, wait: { forMs: 300 } }\n  - { id: b, dependsOn: [w], run: echo, with: {} }`),
  },
  {
    name: 'child-plan',
    plan: planOf('child-plan', `  - { id: c, plan: { planId: golden-child } }`),
  },
]

export const CHILD_PLAN = planOf('golden-child', chain(2))

/** The log's own words, so that a story which went wrong is not recorded. */
export async function isOver(run: RunHandle): Promise<boolean> {
  return (await eventsOf(run)).some((one) => /^Run(Completed|Cancelled)$/.test(one))
}
