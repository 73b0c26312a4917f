/** Plans whose runs go through what a page has to show, and their steps. */
import type { StepFunctions } from '../../src/main.ts'
import { onceGated, type GatedStep } from '../server/gated-step.ts'

/** A retry, a fan-out with a failing item that is tried again, a condition, a fallback and a handled failure. */
export const BUSY = `
plan: busy
version: 1.0.0
inputs: { type: object, properties: { items: { type: array, items: { type: integer } } } }
policy: { concurrency: 3 }
steps:
  - { id: open, run: flaky, retry: { maxAttempts: 3, initialBackoff: 1ms } }
  - { id: each, dependsOn: [open], forEach: input.items, run: item, with: { n: '\${item}' }, retry: { maxAttempts: 2, initialBackoff: 1ms } }
  - { id: never, dependsOn: [open], if: 'input.items == \`null\`', run: echo }
  - { id: saved, dependsOn: [open], run: broken, retry: { maxAttempts: 1 }, fallback: { run: echo } }
  - { id: ignored, dependsOn: [open], run: broken, retry: { maxAttempts: 1 }, onFailure: continue }
  - { id: close, dependsOn: [each, never, saved, ignored], run: echo, with: { done: true } }
output: { closed: '\${steps.close.output}' }
`

/** The third step fails, and the first two are undone. */
export const SAGA = `
plan: saga
version: 1.0.0
steps:
  - { id: reserve, run: echo, compensate: { run: echo } }
  - { id: charge, run: echo, compensate: { run: echo } }
  - { id: ship, run: broken, retry: { maxAttempts: 1 } }
`

/** Stands at its first step until the test lets it go. */
export const GATED = `
plan: gated
version: 1.0.0
steps:
  - { id: first, run: gated }
  - { id: second, run: echo, dependsOn: [first], with: { text: 'said by second' } }
`

export interface Steps {
  readonly steps: StepFunctions
  readonly gate: GatedStep
}

export function testSteps(): Steps {
  const gate = onceGated()
  const tried = new Set<string>()
  const failsFirst = (key: string): boolean => !tried.has(key) && tried.add(key).size > 0
  const steps = {
    echo: (input: unknown) => input ?? null,
    gated: gate.step,
    broken: () => {
      throw Object.assign(new Error('the warehouse is full'), { code: 'WAREHOUSE_FULL' })
    },
    flaky: (_input: unknown, { runId }: { readonly runId: string }) => {
      if (failsFirst(runId)) throw Object.assign(new Error('busy'), { code: 'HTTP_503', status: 503 })
      return 'open'
    },
    item: ({ n }: { readonly n: number }, { runId }: { readonly runId: string }) => {
      if (n % 3 === 1 && failsFirst(`${runId} ${n}`)) throw Object.assign(new Error('busy'), { status: 503 })
      return n * n
    },
  }
  return { steps, gate }
}
