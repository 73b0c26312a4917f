/**
 * The plans of the fleet and the names of what their steps do. Each ends in one known way, whatever happens to the
 * processes that drive it, so that the judge can tell a wrong end from a right one.
 */
export interface FleetPlan {
  readonly text: string
  readonly endsIn: 'COMPLETED' | 'FAILED'
  /** Attempts a step may have by its policy; 1 for a step that is not listed. */
  readonly attempts?: Readonly<Record<string, number>>
  /** Steps that must have been undone when the run ended by itself, in that order. */
  readonly undone?: readonly string[]
  /** Steps without a handler. */
  readonly silent?: readonly string[]
}

const chain = `plan: chain
version: 1.0.0
steps:
${['a', 'b', 'c', 'd', 'e'].map((id) => `  - { id: ${id}, run: work, with: { ms: 70 } }`).join('\n')}
output: '\${steps.e.output}'
`

const fan = `plan: fan
version: 1.0.0
inputs: { type: object, properties: { items: { type: array } } }
policy: { concurrency: 4 }
steps:
  - { id: open, run: work, dependsOn: [] }
  - id: each
    dependsOn: [open]
    forEach: input.items
    run: work
    with: { ms: 50, item: '\${item}' }
  - { id: left, run: work, dependsOn: [open], with: { ms: 120 } }
  - { id: right, run: work, dependsOn: [open], with: { ms: 60 } }
  - id: join
    dependsOn: [each, left, right]
    run: work
    with: { sum: '\${length(steps.each.output)}' }
output: '\${steps.join.output}'
`

const flaky = `plan: flaky
version: 1.0.0
steps:
  - { id: first, run: work }
  - id: twice
    run: fails-until
    with: { attempt: 3 }
    retry: { maxAttempts: 3, initialBackoffMs: 100, backoffMultiplier: 2, maxBackoffMs: 1000 }
  - { id: last, run: work, with: { ms: 80 } }
`

const waiting = `plan: waiting
version: 1.0.0
steps:
  - { id: before, run: work }
  - { id: rest, wait: { forMs: 400 } }
  - { id: after, run: work, with: { ms: 60 } }
`

const saga = `plan: saga
version: 1.0.0
steps:
  - id: reserve
    run: work
    compensate: { run: undo, with: { of: '\${steps.reserve.output}' } }
  - id: charge
    run: work
    with: { ms: 60 }
    compensate: { run: undo, with: { of: '\${steps.charge.output}' } }
  - { id: ship, run: refuses, retry: { maxAttempts: 1 } }
`

const child = `plan: child
version: 1.0.0
steps:
  - { id: inner, run: work, with: { ms: 60 } }
`

const parent = `plan: parent
version: 1.0.0
steps:
  - { id: begin, run: work }
  - { id: below, plan: { planId: child } }
  - { id: end, run: work }
`

/** One step that waits for a file: tests decide when it ends. */
const gated = `plan: gated
version: 1.0.0
steps:
  - { id: first, run: work }
  - { id: gate, run: gate }
  - { id: last, run: work }
`

export const PLANS = {
  chain: { text: chain, endsIn: 'COMPLETED' },
  fan: { text: fan, endsIn: 'COMPLETED', silent: ['each'] },
  flaky: { text: flaky, endsIn: 'COMPLETED', attempts: { twice: 3 } },
  waiting: { text: waiting, endsIn: 'COMPLETED', silent: ['rest'] },
  saga: { text: saga, endsIn: 'FAILED', undone: ['charge', 'reserve'] },
  child: { text: child, endsIn: 'COMPLETED' },
  parent: { text: parent, endsIn: 'COMPLETED', silent: ['below'] },
  gated: { text: gated, endsIn: 'COMPLETED' },
} as const satisfies Readonly<Record<string, FleetPlan>>

export type PlanName = keyof typeof PLANS

export function planNamed(planId: string): FleetPlan | undefined {
  return Object.hasOwn(PLANS, planId) ? PLANS[planId as PlanName] : undefined
}
