/** The stories whose logs are kept for ever: steps, policies, retries, fan-outs, fallbacks, waits, captures and outputs. */
import type { Script } from '../fixtures/virtual-world.ts'
import type { Story } from './stage.ts'

export const failing = (message: string) => (): Promise<never> => Promise.reject(new Error(message))
export const typed = (code: string, message: string) => (): Promise<never> =>
  Promise.reject(Object.assign(new Error(message), { code }))

const BAD: Script = { bad: failing('it broke') }
const FLAKY: Script = {
  flaky: ({ context }) => (context.attempt < 3 ? Promise.reject(new Error('not yet')) : { attempt: context.attempt }),
}
const once = 'retry: { maxAttempts: 1 }'
const graph = (policy: string): string => `policy: { ${policy} }
steps:
  - { id: a, run: f, dependsOn: [] }
  - { id: b, run: bad, dependsOn: [], ${once} }
  - { id: c, run: f, dependsOn: [b] }
  - { id: d, run: f, dependsOn: [a] }`
const list = (length: number): { list: number[] } => ({ list: Array.from({ length }, (_, index) => index) })

const basics: readonly Story[] = [
  { name: 'sequence', plan: 'steps: [{ id: a, run: f }, { id: b, run: g }, { id: c, run: h }]' },
  { name: 'source-on-record', plan: '# its own words\nsteps: [{ id: a, run: f }]' },
  {
    name: 'diamond',
    plan: `steps:
  - { id: top, run: f, dependsOn: [] }
  - { id: left, run: f, dependsOn: [top] }
  - { id: right, run: f, dependsOn: [top] }
  - { id: end, run: f, dependsOn: [left, right] }`,
    script: { '*': ({ context }, { after }) => after(context.stepId === 'left' ? 30 : 10).then(() => context.stepId) },
  },
  {
    name: 'limit-of-two',
    plan: `policy: { concurrency: 2 }
steps: [${['a', 'b', 'c', 'd', 'e'].map((id) => `{ id: ${id}, run: f, dependsOn: [] }`).join(', ')}]`,
    script: { f: ({ context }, { after }) => after(context.stepId.charCodeAt(0)).then(() => null) },
  },
  {
    name: 'order-and-priority',
    plan: 'steps: [{ id: z, order: 1, run: f, dependsOn: [] }, { id: a, order: 2, run: f, dependsOn: [] }]',
  },
  {
    name: 'input-and-output',
    plan: `steps: [{ id: a, run: f, with: { name: '\${input.name}' } }]
output: { greeting: '\${steps.a.output.text}' }`,
    input: { name: 'Köln' },
    script: { f: ({ input }) => ({ text: `hello ${(input as { name: string }).name}` }) },
  },
  {
    name: 'output-cannot-be-mapped',
    plan: `steps: [{ id: a, run: f }]\noutput: { x: '\${sort(input)}' }`,
  },
  {
    name: 'captures',
    plan: `context: { seen: [], last: null }
steps:
  - { id: a, run: f, capture: [{ destination: last }, { destination: seen, transform: 'n', merge: append }] }
  - { id: b, run: f, with: { before: '\${context.last}' }, capture: [{ destination: seen, transform: 'n', merge: append }] }`,
    script: { f: ({ context }) => ({ n: context.stepId }) },
  },
  {
    name: 'output-schema-refused',
    plan: `steps: [{ id: a, run: f, ${once}, outputSchema: { type: object, required: [total] } }]`,
  },
  {
    name: 'large-result',
    plan: 'steps: [{ id: a, run: f }, { id: b, run: g }]',
    script: { f: () => 'x'.repeat(70_000) },
  },
  { name: 'artifacts', plan: 'steps: [{ id: a, run: f }]', script: { f: ({ context }) => context.idempotencyKey } },
]

const conditions: readonly Story[] = [
  {
    name: 'condition-false',
    plan: `steps: [{ id: a, run: f, if: 'input.go' }, { id: b, run: g }]`,
    input: { go: false },
  },
  {
    name: 'condition-true-unless-false',
    plan: `steps: [{ id: a, run: f, if: 'input.go' }, { id: b, run: g, unless: 'input.stop' }, { id: c, run: g, unless: 'input.go' }]`,
    input: { go: true, stop: false },
  },
  {
    name: 'condition-cannot-be-evaluated',
    plan: `policy: { onFailure: continue }
steps: [{ id: a, run: f, if: 'abs(input.go)' }, { id: b, run: g }]`,
    input: { go: 'text' },
  },
  {
    name: 'many-conditions-in-parallel',
    plan: `policy: { concurrency: 2 }
steps: [${[0, 1, 2, 3, 4].map((n) => `{ id: s${n}, run: f, dependsOn: [], if: 'input.n > \`${n}\`' }`).join(', ')}]`,
    input: { n: 3 },
  },
  { name: 'wait-for', plan: 'steps: [{ id: w, wait: { forMs: 1500 } }, { id: b, run: f }]' },
  {
    name: 'wait-by-expression',
    plan: `steps: [{ id: w, wait: { forMs: '\${input.ms}' } }, { id: u, wait: { until: '\${input.until}' } }]`,
    input: { ms: 250, until: '2030-01-01T00:05:00Z' },
  },
  { name: 'wait-for-nonsense', plan: `steps: [{ id: w, wait: { forMs: '\${input.ms}' } }]`, input: { ms: 'soon' } },
]

const failures: readonly Story[] = [
  { name: 'fail-fast', plan: graph('onFailure: failFast'), script: BAD },
  { name: 'continue-with-skips', plan: graph('onFailure: continue'), script: BAD },
  {
    name: 'continue-in-sequence',
    plan: `policy: { onFailure: continue, ${once} }\nsteps: [{ id: a, run: bad }, { id: b, run: f }]`,
    script: BAD,
  },
  {
    name: 'retries-then-success',
    plan: 'steps: [{ id: a, run: flaky, retry: { maxAttempts: 3, initialBackoffMs: 1000 } }, { id: b, run: f }]',
    script: FLAKY,
  },
  {
    name: 'retries-used-up',
    plan: 'steps: [{ id: a, run: bad, retry: { maxAttempts: 3, initialBackoffMs: 100 } }]',
    script: BAD,
  },
  {
    name: 'error-that-is-not-retried',
    plan: 'steps: [{ id: a, run: bad, retry: { maxAttempts: 3 } }]',
    script: { bad: typed('ValidationError', 'no such customer') },
  },
  {
    name: 'transport-error',
    plan: 'steps: [{ id: a, run: bad, retry: { maxAttempts: 2, initialBackoffMs: 50 } }]',
    script: { bad: typed('ECONNREFUSED', 'refused') },
  },
  {
    name: 'step-timeout',
    plan: `steps: [{ id: a, run: slow, timeoutMs: 2000, ${once} }]`,
    script: { slow: 'hold' },
  },
  {
    name: 'run-timeout',
    plan: 'policy: { runTimeoutMs: 3000 }\nsteps: [{ id: a, run: slow, dependsOn: [] }, { id: b, run: f, dependsOn: [a] }]',
    script: { slow: 'hold' },
  },
  {
    name: 'fallback-recovers',
    plan: `steps: [{ id: a, run: bad, ${once}, fallback: { run: f } }, { id: b, run: g }]`,
    script: { ...BAD, f: () => 'second best' },
  },
  {
    name: 'fallback-fails-too',
    plan: `steps: [{ id: a, run: bad, ${once}, fallback: { run: bad } }]`,
    script: BAD,
  },
]

const fanOuts: readonly Story[] = [
  {
    name: 'fan-out',
    plan: `policy: { concurrency: 2 }
steps: [{ id: s, run: f, forEach: 'input.list', with: { n: '\${item}' } }, { id: t, run: g }]
output: { all: '\${steps.s.output}' }`,
    input: list(4),
    script: { f: ({ input }) => (input as { n: number }).n * 2 },
  },
  { name: 'fan-out-of-nothing', plan: `steps: [{ id: s, run: f, forEach: 'input.list' }]`, input: list(0) },
  { name: 'fan-out-of-no-list', plan: `steps: [{ id: s, run: f, forEach: 'input.list' }]`, input: { list: 3 } },
  {
    name: 'fan-out-item-fails',
    plan: `policy: { concurrency: 1, ${once} }\nsteps: [{ id: s, run: f, forEach: 'input.list' }]`,
    input: list(3),
    script: { f: ({ context }) => (context.itemIndex === 1 ? Promise.reject(new Error('second')) : null) },
  },
  {
    name: 'fan-out-continues',
    plan: `policy: { onFailure: continue, ${once} }\nsteps: [{ id: s, run: f, forEach: 'input.list' }, { id: t, run: g }]`,
    input: list(3),
    script: { f: ({ context }) => (context.itemIndex === 0 ? Promise.reject(new Error('first')) : null) },
  },
  {
    name: 'fan-out-with-retry-and-fallback',
    plan: `steps: [{ id: s, run: f, forEach: 'input.list', retry: { maxAttempts: 2, initialBackoffMs: 40 }, fallback: { run: g } }]`,
    input: list(3),
    script: { f: ({ context }) => (context.itemIndex === 1 ? Promise.reject(new Error('no')) : null) },
  },
  {
    name: 'fan-out-of-waits',
    plan: `steps: [{ id: s, wait: { forMs: 100 }, forEach: 'input.list' }]`,
    input: list(2),
  },
]

const undoing: readonly Story[] = [
  {
    name: 'compensation',
    plan: `policy: { ${once} }
steps: [{ id: a, run: f, compensate: { run: undo } }, { id: b, run: f, compensate: { run: undo } }, { id: c, run: bad }]`,
    script: BAD,
  },
  {
    name: 'compensation-retried-and-failed',
    plan: `policy: { ${once} }
steps:
  - { id: a, run: f, compensate: { run: undo } }
  - { id: b, run: f, compensate: { run: stuck, retry: { maxAttempts: 2, initialBackoffMs: 60 } } }
  - { id: c, run: bad }`,
    script: { ...BAD, stuck: failing('cannot undo') },
  },
  {
    name: 'compensation-of-items',
    plan: `policy: { ${once} }
steps: [{ id: s, run: f, forEach: 'input.list', compensate: { run: undo } }, { id: c, run: bad }]`,
    input: list(2),
    script: BAD,
  },
  {
    name: 'compensation-times-out',
    plan: `policy: { ${once} }
steps: [{ id: a, run: f, compensate: { run: slow, timeoutMs: 1000, ${once} } }, { id: c, run: bad }]`,
    script: { ...BAD, slow: 'hold' },
  },
]

export const STORIES: readonly Story[] = [...basics, ...conditions, ...failures, ...fanOuts, ...undoing]
