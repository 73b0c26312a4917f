/**
 * Whole workflows of orchestr8 as a table: what its engine gives for them, and the same after the import. Where a row says
 * `here`, the guide tells the difference (docs/guides/coming-from.md).
 */
import { expect, it } from 'vitest'
import { failing, flow, gives, played, type Agent, type Fields } from '../fixtures/orchestr8.ts'

interface Case {
  readonly name: string
  readonly steps: readonly Fields[]
  readonly more?: Fields
  readonly agents: () => Readonly<Record<string, Agent>>
  readonly variables?: Fields
  readonly status: 'COMPLETED' | 'FAILED'
  readonly statuses: Readonly<Record<string, string>>
  /** In the order of the calls of each agent. */
  readonly inputs: Readonly<Record<string, readonly unknown[]>>
}

/** Fails so often, then gives the value. */
function flaky(times: number, value: unknown): Agent {
  let calls = 0
  return () => {
    calls += 1
    if (calls <= times) throw Object.assign(new Error('not yet'), { code: 'RETRYABLE' })
    return value
  }
}

const quick = { retry: { maxAttempts: 3, initialDelay: 1, maxDelay: 1, backoffStrategy: 'fixed' } }
const ok = (): Readonly<Record<string, Agent>> => ({ one: gives({ result: 'r1' }), two: gives({ result: 'r2' }) })

const CASES: readonly Case[] = [
  {
    name: 'one step after another, with its output',
    steps: [
      { id: 'first', agentId: 'one', input: { message: 'hello' } },
      { id: 'second', agentId: 'two', dependsOn: ['first'], input: { data: '${steps.first.output}' } },
    ],
    agents: ok,
    status: 'COMPLETED',
    statuses: { first: 'completed', second: 'completed' },
    inputs: { one: [{ message: 'hello' }], two: [{ data: { result: 'r1' } }] },
  },
  {
    name: 'a greeting with a default, and its length',
    steps: [
      { id: 'say-hello', agentId: 'greeter', input: { name: "${variables.userName ?? 'Alice'}" } },
      {
        id: 'measure',
        agentId: 'length',
        dependsOn: ['say-hello'],
        input: { text: '${steps.say-hello.output.message}' },
      },
    ],
    agents: () => ({
      greeter: (input) => ({ message: `Hello, ${(input as { readonly name: string }).name}!` }),
      length: (input) => (input as { readonly text: string }).text.length,
    }),
    variables: { userName: 'Nora' },
    status: 'COMPLETED',
    statuses: { 'say-hello': 'completed', measure: 'completed' },
    inputs: { greeter: [{ name: 'Nora' }], length: [{ text: 'Hello, Nora!' }] },
  },
  {
    name: 'the same without the variable',
    steps: [{ id: 'say-hello', agentId: 'one', input: { name: "${variables.userName ?? 'Alice'}" } }],
    agents: ok,
    status: 'COMPLETED',
    statuses: { 'say-hello': 'completed' },
    inputs: { one: [{ name: 'Alice' }] },
  },
  {
    name: 'no input is an empty one',
    steps: [{ id: 'a', agentId: 'one' }],
    agents: ok,
    status: 'COMPLETED',
    statuses: { a: 'completed' },
    inputs: { one: [{}] },
  },
  {
    name: 'one call without a policy, whatever the error says of itself',
    steps: [{ id: 'a', agentId: 'bad' }],
    agents: () => ({ bad: failing('RETRYABLE') }),
    status: 'FAILED',
    statuses: { a: 'failed' },
    inputs: { bad: [{}] },
  },
  {
    name: 'a retry that succeeds with the second call',
    steps: [{ id: 'a', agentId: 'flaky', onError: 'retry', resilience: quick, input: { test: true } }],
    agents: () => ({ flaky: flaky(1, { result: 'success' }) }),
    status: 'COMPLETED',
    statuses: { a: 'completed' },
    inputs: { flaky: [{ test: true }, { test: true }] },
  },
  {
    name: 'a retry that is exhausted',
    steps: [{ id: 'a', agentId: 'flaky', onError: 'retry', resilience: quick }],
    agents: () => ({ flaky: flaky(9, null) }),
    status: 'FAILED',
    statuses: { a: 'failed' },
    inputs: { flaky: [{}, {}, {}] },
  },
  {
    name: 'a policy of the workflow is that of each step',
    steps: [{ id: 'a', agentId: 'flaky' }],
    more: { resilience: quick },
    agents: () => ({ flaky: flaky(2, null) }),
    status: 'COMPLETED',
    statuses: { a: 'completed' },
    inputs: { flaky: [{}, {}, {}] },
  },
  {
    name: 'what depends on a skipped step is skipped, through levels',
    steps: [
      { id: 'a', agentId: 'one', if: 'variables.no' },
      { id: 'b', agentId: 'two', dependsOn: ['a'] },
      { id: 'c', agentId: 'two', dependsOn: ['b'] },
      { id: 'd', agentId: 'one' },
    ],
    agents: ok,
    status: 'COMPLETED',
    statuses: { a: 'skipped', b: 'skipped', c: 'skipped', d: 'completed' },
    inputs: { one: [{}] },
  },
  {
    name: 'if and unless both ask',
    steps: [
      { id: 'a', agentId: 'one', if: 'variables.go', unless: 'variables.stop' },
      { id: 'b', agentId: 'two', if: 'variables.go', unless: 'variables.halt' },
      { id: 'c', agentId: 'two', unless: 'variables.missing' },
    ],
    agents: ok,
    variables: { go: true, stop: true },
    status: 'COMPLETED',
    statuses: { a: 'skipped', b: 'completed', c: 'completed' },
    inputs: { two: [{}, {}] },
  },
  {
    name: 'a handled failure skips what depends on it and nothing else',
    steps: [
      { id: 'a', agentId: 'bad', onError: 'continue' },
      { id: 'b', agentId: 'one', dependsOn: ['a'] },
      { id: 'c', agentId: 'two' },
    ],
    agents: () => ({ ...ok(), bad: failing() }),
    status: 'COMPLETED',
    statuses: { a: 'failed', b: 'skipped', c: 'completed' },
    inputs: { bad: [{}], two: [{}] },
  },
  {
    name: 'a fallback with a dependency of its own',
    steps: [
      { id: 'primary', agentId: 'bad', onError: 'fallback', fallbackStepId: 'backup', input: { test: true } },
      { id: 'dependency', agentId: 'one', input: { data: 'test' } },
      { id: 'backup', agentId: 'two', dependsOn: ['dependency'], input: { fallback: true } },
    ],
    agents: () => ({ ...ok(), bad: failing() }),
    status: 'COMPLETED',
    statuses: { primary: 'failed', 'fallback of primary': 'completed', dependency: 'completed' },
    inputs: { bad: [{ test: true }], one: [{ data: 'test' }], two: [{ fallback: true }] },
  },
  {
    name: 'two steps with one fallback',
    steps: [
      { id: 'a', agentId: 'bad', onError: 'fallback', fallbackStepId: 'backup', input: { of: 'a' } },
      { id: 'b', agentId: 'one', onError: 'fallback', fallbackStepId: 'backup', input: { of: 'b' } },
      { id: 'backup', agentId: 'two' },
      { id: 'after', agentId: 'last', dependsOn: ['a', 'b'], input: { a: '${steps.a.output.result}' } },
    ],
    agents: () => ({ ...ok(), bad: failing(), last: gives(null) }),
    status: 'COMPLETED',
    statuses: { a: 'failed', 'fallback of a': 'completed', b: 'completed', after: 'completed' },
    inputs: { bad: [{ of: 'a' }], one: [{ of: 'b' }], two: [{ of: 'a' }], last: [{ a: 'r2' }] },
  },
  {
    name: 'a fallback that fails, too',
    steps: [
      { id: 'a', agentId: 'bad', onError: 'fallback', fallbackStepId: 'backup' },
      { id: 'backup', agentId: 'worse' },
    ],
    agents: () => ({ bad: failing(), worse: failing() }),
    status: 'FAILED',
    statuses: { a: 'failed', 'fallback of a': 'failed' },
    inputs: { bad: [{}], worse: [{}] },
  },
  {
    name: 'a result that is longer than what was kept there, here whole',
    steps: [
      { id: 'a', agentId: 'big' },
      { id: 'b', agentId: 'length', dependsOn: ['a'], input: { length: '${steps.a.output.data.length}', of: 'list' } },
    ],
    agents: () => ({ big: gives({ data: Array.from({ length: 60_000 }, () => '0123456789') }), length: gives(null) }),
    status: 'COMPLETED',
    statuses: { a: 'completed', b: 'completed' },
    inputs: { big: [{}], length: [{ length: 60_000, of: 'list' }] },
  },
]

it.each(CASES)('$name [X-107]', async ({ steps, more, agents, variables, status, statuses, inputs }) => {
  const done = await played(flow(steps, more), agents(), variables)
  const called = Object.groupBy(done.calls, ([agent]) => agent)
  expect({
    status: done.status,
    statuses: done.steps,
    inputs: Object.fromEntries(
      Object.entries(called).map(([agent, calls]) => [agent, calls?.map(([, input]) => input)]),
    ),
  }).toEqual({ status, statuses, inputs })
})
