/** ExecutionPlans of dvt: the verdicts of its own parser, the order of its own scheduler, and runs of what is imported. */
import { describe, expect, it } from 'vitest'
import { importPlan, KeelsonError, openKeelson } from '../../src/main.ts'
import { CAPABILITIES } from '../../src/core/engine/capabilities.ts'
import { refusal } from '../fixtures/refusal.ts'
import { testFolder } from '../fixtures/folder.ts'

type Fields = Readonly<Record<string, unknown>>

const plan = (steps: readonly Fields[], metadata: Fields = {}): string =>
  JSON.stringify({ metadata: { planId: 'p', planVersion: '1.0.0', ...metadata }, steps }, null, 1)

function refusals(text: string): readonly string[] {
  try {
    importPlan(text, { file: 'plan.json', from: 'dvt' })
    return []
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    return thrown.problems.map(({ code, at, message }) => `${code} ${at?.line}:${at?.column} ${message}`)
  }
}

/** The order in which the steps were done, and the events of the run. */
async function done(text: string): Promise<{ readonly order: readonly string[]; readonly events: readonly string[] }> {
  const order: string[] = []
  const work = (_input: unknown, { stepId }: { readonly stepId: string }): void => void order.push(stepId)
  await using keelson = await openKeelson({ directory: testFolder(), steps: { 'dbt-run': work } })
  const run = await keelson.start(importPlan(text), {})
  expect((await run.result()).status).toBe('COMPLETED')
  const events: string[] = []
  for await (const { eventType, stepId } of run.events())
    events.push(stepId === undefined ? eventType : `${eventType} ${stepId}`)
  return { order, events }
}

describe('a plan is accepted as there', () => {
  it.each(['v1.0', '1.0', 'v1.2.3', '1.2.3'])('with the version %s', (planVersion) => {
    expect(refusals(plan([{ stepId: 's' }], { planVersion }))).toEqual([])
  })

  it('with all fields of its metadata, and the schema version it is stored with [X-108, PLN-03]', () => {
    const text = plan([{ stepId: 's', kind: 'noop' }], {
      schemaVersion: 'v1.2',
      requiresCapabilities: ['workflow.fan.parallel'],
      fallbackBehavior: 'degrade',
      targetAdapter: 'mock',
    })
    expect(importPlan(text).plan).toMatchObject({
      schemaVersion: 'v1.2',
      metadata: { fallbackBehavior: 'degrade', targetAdapter: 'mock', requiresCapabilities: ['workflow.fan.parallel'] },
      steps: [{ stepId: 's', retry: { maxAttempts: 1 } }],
    })
  })

  it('with a dependency that is listed twice, which is one', () => {
    const text = plan([{ stepId: 'a' }, { stepId: 'b', dependsOn: ['a', 'a'] }])
    expect(importPlan(text).plan.steps.map(({ dependsOn }) => dependsOn)).toEqual([[], ['a']])
  })
})

describe('a plan is refused as there, with our codes at line and column', () => {
  it.each([
    ['an unknown field of a step', plan([{ stepId: 's', forbidden: 1 }]), /^INVALID_STEP_SCHEMA 9:4 .*'forbidden'/],
    [
      'an aid of its tests',
      plan([{ stepId: 's', simulateError: 'transient' }]),
      /^INVALID_STEP_SCHEMA 9:4 .*'simulateError'/,
    ],
    ['an unknown field of the metadata', plan([{ stepId: 's' }], { more: 1 }), /^PLAN_UNKNOWN_FIELD 5:3 .*'more'/],
    ['no id', plan([{ stepId: 's' }], { planId: '' }), /^PLAN_FIELD_INVALID 3:13 /],
    ['a version that is none', plan([{ stepId: 's' }], { planVersion: 'invalid' }), /^PLAN_FIELD_INVALID 4:18 /],
    ['no steps', plan([]), /^PLAN_FIELD_INVALID 6:11 /],
    ['a step that depends on itself', plan([{ stepId: 'a', dependsOn: ['a'] }]), /^\w+ \d+:\d+ .*'a'/],
    ['an id twice', plan([{ stepId: 'a' }, { stepId: 'a' }]), /^\w+ 11:\d+ .*'a'/],
    ['a step that is not there', plan([{ stepId: 'a', dependsOn: ['gone'] }]), /^\w+ 10:\d+ .*'gone'/],
    [
      'a circle',
      plan([
        { stepId: 'a', dependsOn: ['b'] },
        { stepId: 'b', dependsOn: ['a'] },
      ]),
      /^\w+ \d+:\d+ /,
    ],
    ['an unknown schema version', plan([{ stepId: 's' }], { schemaVersion: 'v9.9' }), /^SCHEMA_VERSION_UNKNOWN 5:20 /],
    ['no metadata', '{ "steps": [{ "stepId": "s" }] }', /'metadata'/],
    ['a dependency that is no list', plan([{ stepId: 'a', dependsOn: 'b' }]), /^INVALID_STEP_SCHEMA 9:17 /],
    ['a dependency that is no text', plan([{ stepId: 'a', dependsOn: [7] }]), /^INVALID_STEP_SCHEMA 10:5 /],
    ['a dependency without a name', plan([{ stepId: 'a', dependsOn: [''] }]), /^INVALID_STEP_SCHEMA 10:5 /],
    ['a step without an id', plan([{ kind: 'noop' }]), /^INVALID_STEP_SCHEMA 7:3 .*'stepId'/],
    ['an empty id of a step', plan([{ stepId: '' }]), /^INVALID_STEP_SCHEMA 8:14 /],
    ['an unknown fallback', plan([{ stepId: 's' }], { fallbackBehavior: 'ignore' }), /^PLAN_FIELD_INVALID 5:23 /],
    ['an unknown engine', plan([{ stepId: 's' }], { targetAdapter: 'airflow' }), /^PLAN_FIELD_INVALID 5:20 /],
    [
      'a field beside metadata and steps',
      '{ "metadata": { "planId": "p", "planVersion": "1.0" }, "steps": [{ "stepId": "s" }], "x": 1 }',
      /'x'/,
    ],
  ])('%s', (_what, text, problem) => {
    expect(refusals(text)[0]).toMatch(problem)
  })
})

describe('what was imported runs', () => {
  it('one after another without dependsOn, whatever their names are', async () => {
    const { order, events } = await done(plan(['b', 'c', 'a'].map((stepId) => ({ stepId, kind: 'dbt-run' }))))
    expect(order).toEqual(['b', 'c', 'a'])
    expect(events.filter((event) => event.startsWith('Step'))).toEqual(
      ['b', 'c', 'a'].flatMap((id) => [`StepStarted ${id}`, `StepCompleted ${id}`]),
    )
  })

  it('with the events of dvt, but that an immediate start is approved and not queued [BPQ-03]', async () => {
    const metadata = { planId: 'hello-world', schemaVersion: 'v1.2', fallbackBehavior: 'reject' }
    const { events } = await done(
      plan(
        ['s1', 's2'].map((stepId) => ({ stepId, kind: 'noop' })),
        metadata,
      ),
    )
    expect(events).toEqual([
      'RunApproved',
      'RunStarted',
      ...['s1', 's2'].flatMap((id) => [`StepStarted ${id}`, `StepCompleted ${id}`]),
      'RunCompleted',
    ])
  })

  it('in layers with it; steps of kind noop, or of none, need no function', async () => {
    const { events } = await done(
      plan([
        { stepId: 'a', kind: 'noop' },
        { stepId: 'b', dependsOn: ['a'] },
        { stepId: 'c', dependsOn: ['a'] },
        { stepId: 'd', dependsOn: ['b', 'c'] },
      ]),
    )
    const started = events.filter((event) => event.startsWith('StepStarted'))
    expect(started).toEqual(['a', 'b', 'c', 'd'].map((id) => `StepStarted ${id}`))
  })

  it('in the order of the list where nothing is waited for, and side by side as soon as one step says dependsOn', async () => {
    const graph = plan([
      { stepId: 'c', kind: 'dbt-run' },
      { stepId: 'b', kind: 'dbt-run', dependsOn: [] },
      { stepId: 'a', kind: 'dbt-run' },
    ])
    const { order, events } = await done(graph)
    expect(order).toEqual(['c', 'b', 'a'])
    expect(importPlan(graph).plan.steps.map(({ dependsOn }) => dependsOn)).toEqual([[], [], []])
    expect(events.filter((event) => event.startsWith('Step')).slice(0, 3)).toEqual(
      ['c', 'b', 'a'].map((id) => `StepStarted ${id}`),
    )
  })

  it('unless it requires what nobody knows: then the run is refused with what there is [X-45]', async () => {
    await using keelson = await openKeelson({ directory: testFolder(), steps: {} })
    const wanting = importPlan(plan([{ stepId: 's1', kind: 'noop' }], { requiresCapabilities: ['basic-execution'] }))
    const { problems } = await refusal(keelson.start(wanting, {}))
    expect(problems[0].message).toBe(
      `CAPABILITY_UNKNOWN: there is no capability 'basic-execution'; there are ${Object.values(CAPABILITIES).join(', ')}`,
    )
    expect(problems[0].details?.['report']).toEqual(
      await (await keelson.run(String(problems[0].details?.['runId']))).validationReport(),
    )
  })

  it('whichever engine it targets and whatever its fallback: the refused run keeps the report [CAP-03, CAP-10, CAP-11]', async () => {
    await using keelson = await openKeelson({ directory: testFolder(), steps: {}, engine: 'mock' })
    for (const fallbackBehavior of ['reject', 'emulate', 'degrade']) {
      const requiresCapabilities = ['basic-execution', 'workflow.fan.parallel']
      const metadata = { planId: fallbackBehavior, targetAdapter: 'mock', fallbackBehavior, requiresCapabilities }
      const wanting = importPlan(plan([{ stepId: 's1', kind: 'noop' }], metadata))
      const { code, problems } = await refusal(keelson.start(wanting, {}))
      expect(code).toBe('PLAN_VALIDATION_FAILED')
      const run = await keelson.run(String(problems[0].details?.['runId']))
      expect(await run.validationReport()).toMatchObject({
        status: 'ERRORS',
        targetAdapter: 'mock',
        errors: [{ code: 'CAPABILITY_UNKNOWN', capability: 'basic-execution' }],
        warnings: [],
        capabilityChecks: [
          { capability: 'basic-execution', supported: false },
          { capability: 'workflow.fan.parallel', supported: true, adapterSupport: 'native' },
        ],
        remediation: { suggestedCapabilities: ['workflow.fan.parallel'] },
      })
    }
  })
})
