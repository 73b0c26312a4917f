/** What a plan, a step, a policy and a graph are refused for, and at which place. */
import { describe, expect, it } from 'vitest'
import { parsePlan } from './compile/parse-plan.ts'
import { told, hintOf, messageOf, withSteps, step, top } from '../../../test/fixtures/refused-plan.ts'

describe('a plan is refused', () => {
  it.each([
    ['when it is a list', '[]', 'PLAN_FIELD_INVALID '],
    ['without plan', 'version: "1"\nsteps: [{ id: s, run: f }]', 'PLAN_FIELD_MISSING '],
    ['without version', 'plan: a\nsteps: [{ id: s, run: f }]', 'PLAN_FIELD_MISSING '],
    ['without steps', 'plan: a\nversion: "1"', 'PLAN_FIELD_MISSING '],
    ['with no step', 'plan: a\nversion: "1"\nsteps: []', 'PLAN_FIELD_INVALID /steps'],
    ['with plan and metadata.planId', top('metadata: { planId: b }'), 'PLAN_FIELD_TWICE /plan'],
    ['with version twice', top('metadata: { planVersion: "2" }'), 'PLAN_FIELD_TWICE /version'],
    [
      'with requires twice',
      top('requires: [a]\nmetadata: { requiresCapabilities: [b] }'),
      'PLAN_FIELD_TWICE /requires',
    ],
    ['with a bar in its version', 'plan: a\nversion: "1|2"\nsteps: [{ id: s, run: f }]', 'PLAN_FIELD_INVALID /version'],
    ['with a blank in its id', 'plan: a b\nversion: "1"\nsteps: [{ id: s, run: f }]', 'PLAN_FIELD_INVALID /plan'],
    ['with an unknown field', top('speed: 1'), 'PLAN_UNKNOWN_FIELD /speed'],
    ['with an unknown field of metadata', top('metadata: { speed: 1 }'), 'PLAN_UNKNOWN_FIELD /metadata/speed'],
    ['with an unknown target', top('metadata: { targetAdapter: moon }'), 'PLAN_FIELD_INVALID /metadata/targetAdapter'],
    [
      'with an unknown fallback',
      top('metadata: { fallbackBehavior: maybe }'),
      'PLAN_FIELD_INVALID /metadata/fallbackBehavior',
    ],
    ['with an empty field', top('context:'), 'PLAN_FIELD_INVALID /context'],
    ['with an expression in context', top('context: { a: "${input.b}" }'), 'PLAN_FIELD_INVALID /context/a'],
    ['with an unknown policy', top('policy: { onFailure: retry }'), 'PLAN_FIELD_INVALID /policy/onFailure'],
  ])('%s [CAP-01]', (_, text, expected) => {
    expect(told(text)).toEqual([expected])
  })

  it.each([
    [0, false],
    [1, true],
    [10_000, true],
    [10_001, false],
    [1.5, false],
  ])('or accepted with a concurrency of %d: %s', (concurrency, accepted) => {
    expect(parsePlan(top(`policy: { concurrency: ${concurrency} }`)).ok).toBe(accepted)
  })

  it.each(['v9.9', '1.2', 'v1', 'v2.0', 'v1.01', ''])('with schemaVersion %j [PLN-02]', (version) => {
    expect(told(top(`schemaVersion: "${version}"`))).toEqual(['SCHEMA_VERSION_UNKNOWN /schemaVersion'])
  })
})

describe('a step is refused', () => {
  it.each([
    ['when it is not an object', withSteps('f'), '/steps/0'],
    ['without an id', withSteps('{ run: f }'), '/steps/0'],
    ['with the id RUN', withSteps('{ id: RUN, run: f }'), '/steps/0/id'],
    ['with the id __proto__', withSteps('{ id: __proto__, run: f }'), '/steps/0/id'],
    ['with a bar in its id', withSteps('{ id: "a|b", run: f }'), '/steps/0/id'],
    ['with an id of 129 characters', withSteps(`{ id: ${'a'.repeat(129)}, run: f }`), '/steps/0/id'],
    ['without an action', withSteps('{ id: s }'), '/steps/0'],
    ['with two actions', step('run: f, dbt: { project: x }'), '/steps/0/dbt'],
    ['with an unknown field', step('run: f, whenn: 1'), '/steps/0/whenn'],
    [
      'with an unknown field of its action',
      step('http: { url: "https://x.example", verb: GET }'),
      '/steps/0/http/verb',
    ],
    ['with a url that is none', step('http: { url: "ftp://x.example" }'), '/steps/0/http/url'],
    ['with an unknown method', step('http: { url: "https://x.example", method: FETCH }'), '/steps/0/http/method'],
    ['without arguments', step('command: { argv: [] }'), '/steps/0/command/argv'],
    ['with a command in one text', step('command: { argv: "ls -l" }'), '/steps/0/command/argv'],
    ['that waits for nothing', step('wait: {}'), '/steps/0/wait'],
    ['that waits for two things', step('wait: { forMs: 1, until: "2030-01-01T00:00:00Z" }'), '/steps/0/wait'],
    ['that waits for no instant', step('wait: { until: tomorrow }'), '/steps/0/wait/until'],
    ['that waits for less than nothing', step('wait: { forMs: -1 }'), '/steps/0/wait/forMs'],
    ['that waits for half an expression', step('wait: { forMs: "${a} ms" }'), '/steps/0/wait/forMs'],
    ['that asks a person without a title', step('manual: { instructions: x }'), '/steps/0/manual'],
    ['with an unknown rule of duties', step('manual: { title: x, rule: Anybody }'), '/steps/0/manual/rule'],
    ['with a child given as text', step('plan: other'), '/steps/0/plan'],
    ['with a child fetched without a hash', step('plan: { planId: b, uri: "https://x.example" }'), '/steps/0/plan/uri'],
    ['with an empty condition', step('run: f, if: ""'), '/steps/0/if'],
    ['with a condition that is no text', step('run: f, unless: true'), '/steps/0/unless'],
    ['with an unknown merge', step('run: f, capture: [{ destination: a, merge: zip }]'), '/steps/0/capture/0/merge'],
    ['with an amount of nothing', step('run: f, resources: { gpu: 0 }'), '/steps/0/resources/gpu'],
    ['with half a unit', step('run: f, resources: { gpu: 0.5 }'), '/steps/0/resources/gpu'],
    ['with an unknown effect', step('run: f, effect: some'), '/steps/0/effect'],
    ['with a compensation for a wait', step('wait: { forMs: 1 }, compensate: { run: f }'), '/steps/0/compensate'],
    ['with a compensation for a person', step('manual: { title: x }, compensate: { run: f }'), '/steps/0/compensate'],
    [
      'with a compensation that waits',
      step('run: f, compensate: { run: g, wait: { forMs: 1 } }'),
      '/steps/0/compensate/wait',
    ],
    ['with a compensation that does nothing', step('run: f, compensate: { with: {} }'), '/steps/0/compensate'],
    ['with a fallback for a wait', step('wait: { forMs: 1 }, fallback: { run: f }'), '/steps/0/fallback'],
    [
      'with a fallback of two actions',
      step('run: f, fallback: { run: g, dbt: { project: x } }'),
      '/steps/0/fallback/dbt',
    ],
    ['with an empty fallbackOn', step('run: f, fallbackOn: []'), '/steps/0/fallbackOn'],
    ['with a command inside our process', step('command: { argv: [ls] }, isolation: inline'), '/steps/0/isolation'],
    [
      'with a planned effect without a target',
      step('run: f, plannedEffects: [{ effectId: a, operation: Create, summary: s }]'),
      '/steps/0/plannedEffects/0',
    ],
  ])('%s [CAP-12]', (_, text, pointer) => {
    expect(told(text)).toEqual([`INVALID_STEP_SCHEMA ${pointer}`])
  })

  it('with id and stepId both', () => {
    expect(told(withSteps('{ id: a, stepId: a, run: f }'))).toEqual(['PLAN_FIELD_TWICE /steps/0/id'])
  })

  it.each(['none', 'irreversible'])('when its effect is %s and it has a compensation', (effect) => {
    expect(told(step(`run: f, effect: ${effect}, compensate: { run: g }`))).toEqual([
      'PLAN_EFFECT_CONFLICT /steps/0/effect',
    ])
  })

  it('when it says it is compensatable but not how', () => {
    expect(told(step('run: f, effect: compensatable'))).toEqual(['PLAN_EFFECT_CONFLICT /steps/0/effect'])
    expect(told(step('plan: { planId: b }, effect: compensatable'))).toEqual([])
  })
})

describe('retry policies', () => {
  it.each([
    ['maxAttempts: 0', false],
    ['maxAttempts: 1', true],
    ['maxAttempts: 10', true],
    ['maxAttempts: 11', true],
    ['maxAttempts: 1000', true],
    ['maxAttempts: 1001', false],
    ['maxAttempts: unlimited', true],
    ['maxAttempts: Unlimited', false],
    ['maxAttempts: infinite', false],
    ['maxAttempts: unlimited, initialBackoffMs: 0', false],
    ['maxAttempts: unlimited, maxBackoff: 0s', false],
    ['initialBackoff: unlimited', false],
    ['backoffMultiplier: unlimited', false],
    ['backoffMultiplier: 0.5', false],
    ['initialBackoffMs: -1', false],
  ])('with %s are accepted: %s [RTY-01]', (fields, accepted) => {
    expect(parsePlan(step(`run: f, retry: { ${fields} }`)).ok).toBe(accepted)
    expect(parsePlan(top(`policy: { retry: { ${fields} } }`)).ok).toBe(accepted)
    expect(parsePlan(step(`run: f, compensate: { run: g, retry: { ${fields} } }`)).ok).toBe(accepted)
  })

  it.each(['timeout', 'rate_limit', '5xx', 'transport', 'unknown'])('may list %s [RTY-14]', (name) => {
    expect(parsePlan(step(`run: f, retry: { retryableErrors: ["${name}"] }`)).ok).toBe(true)
  })

  it.each(['validation', 'policy', 'auth', 'conflict', 'cancelled'])('may not list %s [RTY-14]', (name) => {
    expect(told(step(`run: f, retry: { retryableErrors: [${name}] }`))).toEqual([
      'INVALID_STEP_SCHEMA /steps/0/retry/retryableErrors/0',
    ])
  })
})

describe('order', () => {
  const ordered = (...orders: (number | undefined)[]): string =>
    withSteps(...orders.map((order, i) => `{ id: s${i}, run: f${order === undefined ? '' : `, order: ${order}`} }`))

  it.each([
    ['1, 2, 4', [1, 2, 4], ['PLAN_ORDER_INVALID /steps/2/order']],
    ['from 0', [0, 1, 2], ['INVALID_STEP_SCHEMA /steps/0/order', 'PLAN_ORDER_INVALID /steps/0/order']],
    ['with a repeat', [1, 2, 2], ['PLAN_ORDER_INVALID /steps/2/order']],
  ])('%s is refused [GRF-01]', (_, orders, expected) => {
    expect(told(ordered(...orders))).toEqual(expected)
  })

  it('on only some steps is refused [GRF-18]', () => {
    expect(told(ordered(1, undefined, 3))).toEqual(['PLAN_ORDER_INVALID /steps/1'])
  })
})

describe('the graph', () => {
  it('needs ids that differ [CAP-13]', () => {
    expect(told(withSteps('{ id: a, run: f }', '{ id: a, run: f }'))).toEqual(['PLAN_DUPLICATE_STEP /steps/1/id'])
  })

  it('needs dependencies that exist [CAP-13]', () => {
    const text = withSteps('{ id: charge, run: f }', '{ id: b, run: f, dependsOn: [chrage] }')
    expect(told(text)).toEqual(['PLAN_UNKNOWN_DEPENDENCY /steps/1/dependsOn/0'])
    expect(hintOf(text)).toBe("did you mean 'charge'?")
  })

  it('needs steps that do not wait for themselves', () => {
    expect(told(withSteps('{ id: a, run: f, dependsOn: [a] }'))).toEqual(['PLAN_SELF_DEPENDENCY /steps/0/dependsOn/0'])
  })

  it('has no cycle, and names the one it finds [CAP-13]', () => {
    const text = withSteps(
      '{ id: x, run: f, dependsOn: [a] }',
      '{ id: a, run: f, dependsOn: [b] }',
      '{ id: b, run: f, dependsOn: [c] }',
      '{ id: c, run: f, dependsOn: [a, free] }',
      '{ id: free, run: f }',
    )
    expect(told(text)).toEqual(['PLAN_CYCLE /steps/1/dependsOn'])
    expect(messageOf(text)).toContain('a -> b -> c -> a')
  })

  it('tells each of several cycles', () => {
    const text = withSteps(
      '{ id: a, run: f, dependsOn: [b] }',
      '{ id: b, run: f, dependsOn: [a] }',
      '{ id: c, run: f, dependsOn: [d, a] }',
      '{ id: d, run: f, dependsOn: [c] }',
    )
    expect(told(text)).toEqual(['PLAN_CYCLE /steps/0/dependsOn', 'PLAN_CYCLE /steps/2/dependsOn'])
  })

  it('refuses a dependency that is named twice', () => {
    expect(told(withSteps('{ id: a, run: f }', '{ id: b, run: f, dependsOn: [a, a] }'))).toEqual([
      'INVALID_STEP_SCHEMA /steps/1/dependsOn/1',
    ])
  })
})
