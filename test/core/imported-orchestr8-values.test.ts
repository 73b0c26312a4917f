/** Values of orchestr8 workflows after their import: conditions, mappings, the environment, the AST. */
import { describe, expect, it } from 'vitest'
import { importPlan } from '../../src/main.ts'
import { flow, gives, played, refusals, type Fields, type Played } from '../fixtures/orchestr8.ts'

describe('conditions and mappings have the values they had', () => {
  const VARIABLES = {
    testVar: 'test value',
    zero: 0,
    none: [],
    nested: { value: 42, array: [1, 2, 3] },
    env: undefined,
  }

  async function seen(input: Fields, conditions: Readonly<Record<string, string>> = {}): Promise<Played> {
    const checks = Object.entries(conditions).map(([id, condition]) => ({
      id,
      agentId: 'ok',
      dependsOn: ['step1', 'step2'].slice(0, condition.includes('step2') ? 1 : 2).slice(0, 1),
      if: condition,
    }))
    return played(
      flow(
        [
          { id: 'step1', agentId: 'first' },
          { id: 'a-b', agentId: 'first' },
          { id: 'tell', agentId: 'tell', dependsOn: ['step1', 'a-b'], input },
          ...checks,
        ],
        { allowedEnvVars: ['NODE_ENV'] },
      ),
      { first: gives({ result: 'success', data: { id: 123 } }), tell: gives(null), ok: gives(1) },
      { ...VARIABLES, env: { NODE_ENV: 'test' } },
    )
  }

  it('mappings: paths, defaults in either quotes, lists, texts, the environment that is allowed [X-107, DFL-09]', async () => {
    const { calls } = await seen({
      result: '${steps.step1.output.result}',
      hyphen: '${steps.a-b.output.data.id}',
      variable: '${variables.nested.value}',
      index: '${variables.nested.array[1]}',
      noList: '${variables.notAnArray[0]}',
      env: '${env.NODE_ENV}',
      notAllowed: '${env.SECRET_VAR}',
      missing: '${steps.nonexistent.output ?? "default"}',
      envDefault: '${env.MISSING_VAR ?? "env-default"}',
      single: "${variables.missing ?? 'it\\'s single'}",
      escaped: '${variables.missing ?? "He said \\"Hello\\""}',
      empty: '${variables.missing ?? ""}',
      literal: '${variables.missing ?? "Value: ${ignored} ?? more"}',
      spaced: '${  variables.missing   ??   "spaced"  }',
      text: 'Prefix ${steps.step1.output.result} and ${variables.testVar ?? "backup"} suffix',
      list: ['${steps.step1.output.result}', '${variables.nested.value}', 'literal string'],
      status: '${steps.step1.status}',
      id: 'Step ${steps.step1.stepId}',
    })
    expect(calls.find(([name]) => name === 'tell')?.[1]).toEqual({
      result: 'success',
      hyphen: 123,
      variable: 42,
      index: 2,
      noList: null,
      env: 'test',
      notAllowed: null,
      missing: 'default',
      envDefault: 'env-default',
      single: "it's single",
      escaped: 'He said "Hello"',
      empty: '',
      literal: 'Value: ${ignored} ?? more',
      spaced: 'spaced',
      text: 'Prefix success and test value suffix',
      list: ['success', 42, 'literal string'],
      status: 'completed',
      id: 'Step step1',
    })
  })

  it('conditions: their statuses, their literals, their truth of 0 and of empty lists [X-73, X-107]', async () => {
    const { steps } = await seen(
      {},
      {
        c1: 'steps.step1.status == `completed`',
        c2: 'variables.nested.value > `40`',
        c3: 'length(variables.nested.array) == `3`',
        c4: '',
        c5: 'variables.none',
        c6: 'env.NODE_ENV == `test`',
        c7: 'env.OTHER == null',
        c8: 'variables.nested.array[?@ > `2`]',
        c9: "contains(['completed', 'failed'], steps.step1.status)",
        n1: 'env.SECRET_VAR',
        n2: 'variables.zero',
        n3: 'steps.step1.status != `completed`',
        n4: 'variables.missing',
        n5: 'variables.nested.value < `40` || variables.zero',
      },
    )
    const ran = Object.entries(steps).flatMap(([id, status]) =>
      /^[cn]\d/.test(id) && status === 'completed' ? [id] : [],
    )
    expect(ran).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9'])
  })

  it('what has no meaning is refused at its line and column, with what to do [X-107]', () => {
    const one = (step: Fields): readonly string[] => refusals(flow([{ id: 'a', agentId: 'x', ...step }]))
    expect(one({ input: { x: '${variables.constructor}' } })[0]).toMatch(/^EXPR_INVALID_SYNTAX 11:10 .*`constructor`/)
    expect(one({ if: '[unclosed' })[0]).toMatch(/^WORKFLOW_INVALID 10:10 'unclosed' is none of/)
    expect(one({ if: 'variables.a..b' })[0]).toMatch(/^EXPR_INVALID_SYNTAX 10:10 /)
    expect(one({ if: 'variables.a == true' })[0]).toMatch(/'true' is none of steps, variables and env/)
    expect(one({ input: { x: '${nothing.at.all}' } })[0]).toMatch(/begins with none of steps, variables and env/)
    expect(one({ input: { x: '${steps.a.output}' } })[0]).toMatch(/^EXPR_STEP_NOT_COMPLETED 11:10 /)
    expect(one({ dependsOn: ['b'] })[0]).toMatch(/^\w+ 11:\d+ .*'b'/)
    expect(one({ steps: [] })[0]).toMatch(/WORKFLOW_INVALID 10:4 .*'steps'/)
  })
})

describe('the environment', () => {
  it('that is a secret is handed to the step as one, or refused as part of a text [SEC-01, X-107]', () => {
    const text = (input: Fields) =>
      JSON.stringify(flow([{ id: 'a', agentId: 'x', input }], { allowedEnvVars: ['API_KEY', 'REGION'] }))
    const { plan } = importPlan(text({ key: '${env.API_KEY}', region: '${env.REGION}' }))
    expect(plan.steps[0]).toMatchObject({
      secrets: { key: 'secret://env/API_KEY' },
      with: { region: '${input.env.REGION}' },
    })
    expect(plan.inputs).toEqual({
      type: 'object',
      properties: { env: { type: 'object', properties: { API_KEY: { type: 'string' }, REGION: { type: 'string' } } } },
    })
    expect(refusals(text({ header: 'Bearer ${env.API_KEY}' }))[0]).toContain('a secret is no part of a text')
  })
})

describe('the AST', () => {
  it('becomes the same kind of plan: variables as defaults of the input, limits, scoped agents with their breaker [X-107]', async () => {
    const agent = (name: string): Fields => ({ id: `@acme/${name}-agent`, version: '1.0.0' })
    const workflow = {
      version: '2.1.0',
      schemaVersion: '1.0.0',
      metadata: { id: 'pipeline', name: 'Pipeline', description: 'Two sources, one report', tags: ['a', 'b'] },
      context: { variables: { user: 'octocat' } },
      steps: [
        { id: 'repos', name: 'Repos', agent: agent('repos'), input: { mapping: { username: '${variables.user}' } } },
        { id: 'stats', name: 'Stats', agent: agent('stats'), input: { mapping: { username: '${variables.user}' } } },
        {
          id: 'report',
          name: 'Report',
          agent: agent('report'),
          dependencies: ['repos', 'stats'],
          condition: { if: 'length(steps.repos.output) > `0`' },
          input: { mapping: { repos: '${steps.repos.output}', format: 'markdown' } },
        },
      ],
      policies: {
        timeout: { global: 60_000, perStep: 15_000 },
        resilience: { circuitBreaker: { failureThreshold: 3, resetTimeout: 30_000 } },
      },
    }
    const { plan } = importPlan(JSON.stringify(workflow))
    expect(plan).toMatchObject({
      metadata: { planId: 'pipeline', planVersion: '2.1.0', name: 'Pipeline', labels: { tags: 'a, b' } },
      inputs: { properties: { user: { default: 'octocat' } } },
      policy: { runTimeoutMs: 60_000, timeoutMs: 15_000, onSkip: 'cascade', retry: { maxAttempts: 1 } },
    })
    expect(plan.steps[0]).toMatchObject({
      run: '@acme/repos-agent',
      agent: '@acme/repos-agent',
      labels: { agentVersion: '1.0.0' },
    })
    const agents = Object.fromEntries(
      ['repos', 'stats', 'report'].map((name) => [`@acme/${name}-agent`, gives([name])]),
    )
    const done = await played(workflow, agents)
    expect(done.status).toBe('COMPLETED')
    expect(done.calls.at(-1)).toEqual(['@acme/report-agent', { repos: ['repos'], format: 'markdown' }])
    expect(done.calls[0]?.[1]).toEqual({ username: 'octocat' })
  })

  it('fields that a plan cannot express are refused with what to write instead [X-107]', () => {
    const step = { id: 'a', name: 'A', agent: { id: 'x' } }
    const ast = (more: Fields, inStep: Fields = {}): Fields => ({
      version: '1.0.0',
      metadata: { id: 'm', name: 'M' },
      steps: [{ ...step, ...inStep }],
      ...more,
    })
    expect(refusals(ast({}))).toEqual([])
    for (const [what, word] of [
      [ast({ policies: { resilienceBudget: {} } }), 'resilienceBudget'],
      [ast({ context: { secretRefs: ['secret://a'] } }), 'secretRefs'],
      [ast({}, { output: { capture: { x: 'y' } } }), 'capture'],
      [ast({}, { policies: { idempotencyKey: 'k' } }), 'idempotencyKey'],
      [ast({}, { input: { transform: '@' } }), 'transform'],
    ] as const)
      expect(refusals(what)[0]).toMatch(new RegExp(`^WORKFLOW_INVALID \\d+:\\d+ .*'${word}'`))
  })
})
