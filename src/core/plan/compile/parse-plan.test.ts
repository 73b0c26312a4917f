import { describe, expect, it } from 'vitest'
import { parsePlan } from './parse-plan.ts'
import type { Plan } from '../plan.ts'
import { cpuMsOf } from '../../../../test/fixtures/cpu-time.ts'

function planOf(text: string): Plan {
  const parsed = parsePlan(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems, null, 1))
  return parsed.value.plan
}

const SMALLEST = 'plan: a\nversion: 1.0.0\nsteps: [{ id: one, run: f }]\n'

describe('a plan with every default filled in', () => {
  it('is what the format says [CAP-01, RTY-01]', () => {
    const retry = { maxAttempts: 3, initialBackoffMs: 1000, backoffMultiplier: 2, maxBackoffMs: 30_000 }
    expect(planOf(SMALLEST)).toEqual({
      schemaVersion: 'v1.0',
      metadata: { planId: 'a', planVersion: '1.0.0', fallbackBehavior: 'reject', targetAdapter: 'any' },
      context: {},
      policy: { concurrency: 10, onFailure: 'failFast', retry, timeoutMs: 300_000 },
      steps: [
        {
          stepId: 'one',
          order: 1,
          run: 'f',
          with: {},
          retry,
          timeoutMs: 300_000,
          priority: 0,
          effect: 'idempotent',
          fallbackOn: ['exhausted'],
          isolation: 'inline',
        },
      ],
    })
  })

  it('gives a compensation its own defaults and makes the step compensatable', () => {
    const [step] = planOf(
      SMALLEST.replace('run: f', 'run: f, compensate: { run: undo, retry: { maxAttempts: 5 } }'),
    ).steps
    expect(step?.effect).toBe('compensatable')
    expect(step?.compensate).toEqual({
      run: 'undo',
      with: { input: '${step.input}', output: '${step.output}' },
      retry: { maxAttempts: 5, initialBackoffMs: 1000, backoffMultiplier: 2, maxBackoffMs: 10_000 },
      timeoutMs: 300_000,
    })
  })

  it('completes the retry and timeout of a step from the policy', () => {
    const text = `plan: a\nversion: "1"\npolicy: { retry: { maxAttempts: 7, retryableErrors: [timeout] }, timeoutMs: 9 }
steps: [{ id: one, run: f, retry: { initialBackoffMs: 5 } }, { id: two, run: f, timeoutMs: 8 }]`
    const [one, two] = planOf(text).steps
    expect(one?.retry).toEqual({
      maxAttempts: 7,
      initialBackoffMs: 5,
      backoffMultiplier: 2,
      maxBackoffMs: 30_000,
      retryableErrors: ['timeout'],
    })
    expect([one?.timeoutMs, two?.timeoutMs]).toEqual([9, 8])
  })

  it('asks with GET where nothing is sent, and else posts: a body, or a `with`, which is the body', () => {
    const { steps } = planOf(`plan: a
version: "1"
steps:
  - { id: asks, http: { url: "https://x.example" } }
  - { id: body, http: { url: "https://x.example", body: { a: 1 } } }
  - { id: none, http: { url: "https://x.example" }, with: {} }
  - { id: with, http: { url: "https://x.example" }, with: { a: 1 } }
  - { id: told, http: { url: "https://x.example", method: PUT } }
  - { id: gets, http: { url: "https://x.example", method: GET }, with: { a: 1 } }
  - { id: more, run: f, compensate: { http: { url: "https://x.example" } }, fallback: { http: { url: "https://x.example" } } }
  - { id: else, run: f, compensate: { http: { url: "https://x.example" }, with: {} }, fallback: { http: { url: "https://x.example", body: 1 } } }`)
    const methods = steps.map((step) => 'http' in step && step.http.method)
    expect(methods.slice(0, 6)).toEqual(['GET', 'POST', 'GET', 'POST', 'PUT', 'GET'])
    expect(steps[6]).toMatchObject({ compensate: { http: { method: 'POST' } }, fallback: { http: { method: 'GET' } } })
    expect(steps[7]).toMatchObject({ compensate: { http: { method: 'GET' } }, fallback: { http: { method: 'POST' } } })
  })

  it('keeps attempts without a limit as they are written, and gives them to the steps', () => {
    const { policy, steps } = planOf(`plan: a
version: "1"
policy: { retry: { maxAttempts: unlimited } }
steps: [{ id: one, run: f }, { id: two, run: f, retry: { maxAttempts: 1000 }, compensate: { run: g, retry: { maxAttempts: unlimited } } }]`)
    expect(policy.retry.maxAttempts).toBe('unlimited')
    expect(steps.map(({ retry }) => retry.maxAttempts)).toEqual(['unlimited', 1000])
    expect(steps[1]?.compensate?.retry.maxAttempts).toBe('unlimited')
  })

  it('refuses attempts without a limit and without a pause at the words that say so', () => {
    const parsed = parsePlan(`plan: a
version: "1"
policy: { retry: { initialBackoff: 0s } }
steps:
  - id: one
    run: f
    retry: { maxAttempts: unlimited }
  - { id: two, run: f, retry: { initialBackoff: 1s, maxAttempts: unlimited } }`)
    expect(parsed.ok ? [] : parsed.problems).toMatchObject([
      {
        code: 'INVALID_STEP_SCHEMA',
        message: `'unlimited' attempts need a pause between them: initialBackoff and maxBackoff of at least 1ms`,
        at: { line: 7, column: 27 },
      },
    ])
  })

  it('runs commands and dbt in a process, and expects JSON unless told otherwise', () => {
    const { steps } = planOf(`plan: a
version: "1"
steps:
  - { id: c, command: { argv: [ls] } }
  - { id: d, dbt: { project: ./w } }
  - { id: h, http: { url: "https://x.example" }, isolation: thread }`)
    expect(steps.map((step) => step.isolation)).toEqual(['process', 'process', 'thread'])
    expect(steps[1]).toMatchObject({ dbt: { project: './w', command: 'build' } })
    expect(steps[2]).toMatchObject({ http: { url: 'https://x.example', method: 'GET', expect: 'json' } })
  })
})

describe('shorthands', () => {
  it('mean the same bytes as the full names [CAP-01]', () => {
    const short = parsePlan('plan: a\nversion: "2"\nrequires: [replay.full]\nsteps: [{ id: one, run: f }]')
    const full = parsePlan(
      'metadata: { planId: a, planVersion: "2", requiresCapabilities: [replay.full] }\nsteps: [{ stepId: one, run: f }]',
    )
    expect(short.ok && full.ok && short.value.text === full.value.text).toBe(true)
  })

  it('lead positions of the compiled plan back to the words that were written', () => {
    const parsed = parsePlan(SMALLEST, { file: 'a.plan.yaml' })
    const at = (pointer: string): unknown => (parsed.ok ? parsed.value.positionOf(pointer) : undefined)
    expect(at('/metadata/planId')).toEqual({ file: 'a.plan.yaml', line: 1, column: 7, length: 1 })
    expect(at('/steps/0/stepId')).toEqual({ file: 'a.plan.yaml', line: 3, column: 15, length: 3 })
    expect(at('/steps/0/priority')).toBeUndefined()
  })
})

describe('order and graph', () => {
  it('counts positions when no step has an order, and keeps written orders [GRF-18, GRF-01]', () => {
    expect(
      planOf('plan: a\nversion: "1"\nsteps: [{id: c, run: f}, {id: a, run: f}]').steps.map((s) => s.order),
    ).toEqual([1, 2])
    const turned = planOf('plan: a\nversion: "1"\nsteps: [{id: c, run: f, order: 2}, {id: a, run: f, order: 1}]')
    expect(turned.steps.map((step) => step.order)).toEqual([2, 1])
  })

  it('is sequential without dependsOn, and a graph as soon as one step has it, even empty [GRF-04, X-60]', () => {
    const sequential = planOf('plan: a\nversion: "1"\nsteps: [{id: a, run: f}, {id: b, run: f}]')
    expect(sequential.steps.some((step) => 'dependsOn' in step)).toBe(false)
    const graph = planOf('plan: a\nversion: "1"\nsteps: [{id: a, run: f}, {id: b, run: f, dependsOn: []}]')
    expect(graph.steps.map((step) => step.dependsOn)).toEqual([[], []])
  })
})

describe('fields of one’s own', () => {
  it('begin with x-, are kept in the compiled plan and mean nothing', () => {
    const text = 'plan: a\nversion: "1"\nx-owner: me\nsteps: [{ id: one, run: f, x-note: [1], retry: { x-why: slow } }]'
    const plan = planOf(text)
    expect(plan).toHaveProperty('x-owner', 'me')
    expect(plan.steps[0]).toHaveProperty('x-note', [1])
    expect(plan.steps[0]?.retry).toHaveProperty('x-why', 'slow')
  })
})

describe('expressions that are wrapped whole', () => {
  it('are compiled to their bare form', () => {
    const text = `plan: a
version: "1"
steps: [{ id: a, run: f, forEach: "\${ input.items }", if: "\${input.x}", unless: input.y, capture: [{ destination: t, transform: "\${n}" }] }]`
    expect(planOf(text).steps[0]).toMatchObject({
      forEach: 'input.items',
      if: 'input.x',
      unless: 'input.y',
      capture: [{ destination: 't', transform: 'n', merge: 'replace' }],
    })
  })
})

describe('the canonical text', () => {
  it('parses to itself', () => {
    const parsed = parsePlan(SMALLEST)
    const again = parsed.ok ? parsePlan(parsed.value.text, { format: 'json' }) : parsed
    expect(parsed.ok && again.ok && again.value.text === parsed.value.text).toBe(true)
  })
})

describe('a plan with ten mistakes', () => {
  it('tells ten problems, each at its line and column, in the order of the text', () => {
    const parsed = parsePlan(
      `plan: order
version: 1.4
polciy: { concurrency: 5 }
policy:
  concurrency: 0
steps:
  - id: reserve
    run: stock.reserve
    retires: 3
    retry: { maxAttempts: 1001 }
  - id: charge
    dependsOn: [reserv]
    run: pay
    http: { url: "https://x.example" }
  - id: reserve
    run: again
    with: { token: abc }
  - id: notify
    effect: none
    run: mail
    compensate: { run: unmail }
`,
      { file: 'order.plan.yaml' },
    )
    const told = parsed.ok
      ? []
      : parsed.problems.map(({ code, at, hint }) => [`${at?.line}:${at?.column}`, at?.length, code, hint])
    expect(told).toEqual([
      ['2:10', 3, 'PLAN_FIELD_INVALID', 'put it in quotes'],
      ['3:1', 6, 'PLAN_UNKNOWN_FIELD', "did you mean 'policy'?"],
      ['5:16', 1, 'PLAN_FIELD_INVALID', undefined],
      ['9:5', 7, 'INVALID_STEP_SCHEMA', "did you mean 'retry'?"],
      ['10:27', 4, 'INVALID_STEP_SCHEMA', undefined],
      ['12:17', 6, 'PLAN_UNKNOWN_DEPENDENCY', "did you mean 'reserve'?"],
      ['14:5', 4, 'INVALID_STEP_SCHEMA', undefined],
      ['15:9', 7, 'PLAN_DUPLICATE_STEP', undefined],
      ['17:20', 3, 'PLAN_SECRET_INLINE', 'refer to it: secret://path, or name it under `secrets`'],
      ['19:13', 4, 'PLAN_EFFECT_CONFLICT', undefined],
    ])
    expect(parsed.ok ? [] : parsed.problems.every((problem) => problem.at?.file === 'order.plan.yaml')).toBe(true)
  })
})

describe('a hostile plan', () => {
  it('tells the first thousand of its problems and stops collecting', () => {
    const fields = Array.from({ length: 200_000 }, (_, i) => `"polic${i}":0`)
    const parsed = parsePlan(`{"plan":"a","version":"1",${fields.join(',')},"steps":[{"id":"s","run":"f"}]}`)
    expect(parsed.ok ? 0 : parsed.problems.length).toBe(1_000)
  })
})

describe('a plan of 100,000 steps', () => {
  it('is parsed in time that grows with its size, not faster', () => {
    const chain = (steps: number): string =>
      JSON.stringify({
        plan: 'a',
        version: '1',
        steps: Array.from({ length: steps }, (_, i) => ({
          id: `s${i}`,
          run: 'f',
          dependsOn: i === 0 ? [] : [`s${i - 1}`],
        })),
      })
    const timeOf = (text: string): number => cpuMsOf(() => expect(parsePlan(text).ok).toBe(true))
    timeOf(chain(10_000))
    const small = Math.min(timeOf(chain(10_000)), timeOf(chain(10_000)))
    const large = timeOf(chain(100_000))
    expect(large / small).toBeLessThan(60)
  })

  it('refuses one step more', () => {
    const steps = Array.from({ length: 100_001 }, (_, i) => ({ id: `s${i}`, run: 'f' }))
    const parsed = parsePlan(JSON.stringify({ plan: 'a', version: '1', steps }))
    expect(parsed.ok ? [] : parsed.problems.map((problem) => problem.code)).toEqual(['PLAN_FIELD_INVALID'])
  })
})

describe('planned effects', () => {
  const plan = (effect: string): string =>
    `plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: f, plannedEffects: [${effect}] }\n`

  it.each(['Create', 'Update', 'Delete', 'Upsert'])(
    'are kept as the author wrote them, with operation %s',
    (operation) => {
      const effect = `{ effectId: e1, operation: ${operation}, target: invoice-7, summary: writes the invoice, idempotencyKey: k }`
      const parsed = parsePlan(plan(effect))
      expect(parsed.ok && parsed.value.plan.steps[0]?.plannedEffects).toEqual([
        { effectId: 'e1', operation, target: 'invoice-7', summary: 'writes the invoice', idempotencyKey: 'k' },
      ])
    },
  )

  it.each([
    '{ operation: Create, target: t, summary: s }',
    '{ effectId: e, operation: Drop, target: t, summary: s }',
    '{ effectId: e, operation: Create, target: t, summary: s, more: 1 }',
  ])('of another shape are refused: %s', (effect) => {
    const parsed = parsePlan(plan(effect))
    expect(parsed.ok).toBe(false)
  })
})
