/** What a plan may say of skips and failures of single steps: `onSkip`, and `onFailure: continue` of a step. */
import { describe, expect, it } from 'vitest'
import { explain } from '../../src/core/run/explain/explain.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { scenario, type Scenario } from '../fixtures/scenario.ts'

const ONCE = 'policy: { retry: { maxAttempts: 1 } }\n'
const SKIPS = ['StepSkipped'] as const
const why = (run: Scenario, slot: string) => explain(run.graph, run.state, slot, run.now).map(({ kind }) => kind)

describe('onSkip: cascade', () => {
  const chain = (onSkip: string): string =>
    `${onSkip}steps:\n  - { id: a, run: f, if: input.go, dependsOn: [] }\n  - { id: b, run: f, dependsOn: [a] }\n  - { id: c, run: f, dependsOn: [b] }\n`
  const no = { facts: { a: { condition: false } } }

  it('of the policy skips what comes after a step that its condition skipped, and the run completes [X-107]', () => {
    const run = scenario(chain('policy: { onSkip: cascade }\n'), no).start()
    expect(run.events(...SKIPS)).toEqual(['StepSkipped a#1', 'StepSkipped b#1', 'StepSkipped c#1'])
    expect(run.payload('StepSkipped', 'a')['reasonCode']).toBe('CONDITION_FALSE')
    expect(run.payload('StepSkipped', 'b')).toMatchObject({
      reasonCode: 'DEPENDENCY_SKIPPED',
      reason: 'step a, which it depends on, was skipped',
    })
    expect(run.payload('StepSkipped', 'c')['reasonCode']).toBe('DEPENDENCY_SKIPPED')
    expect([run.status, run.dispatched()]).toEqual(['COMPLETED', []])
    expect(run.refolded()).toEqual(run.state)
  })

  it('is not the default: without it what comes after runs [X-107]', () => {
    const run = scenario(chain(''), no).start().completes('b').completes('c')
    expect([run.status, run.dispatched()]).toEqual(['COMPLETED', ['b#1', 'c#1']])
  })

  it('of a step holds for that step alone, and a step can say satisfy against its plan [X-107]', () => {
    const one = scenario(
      'steps:\n  - { id: a, run: f, if: input.go, dependsOn: [] }\n  - { id: b, run: f, dependsOn: [a], onSkip: cascade }\n  - { id: c, run: f, dependsOn: [b] }\n',
      no,
    ).start()
    expect(one.events(...SKIPS)).toEqual(['StepSkipped a#1', 'StepSkipped b#1'])
    expect(one.dispatched()).toEqual(['c#1'])
    const other = scenario(
      'policy: { onSkip: cascade }\nsteps:\n  - { id: a, run: f, if: input.go, dependsOn: [] }\n  - { id: b, run: f, dependsOn: [a], onSkip: satisfy }\n',
      no,
    ).start()
    expect(other.dispatched()).toEqual(['b#1'])
  })

  it('one skipped predecessor of several is enough, and it waits until all have ended [X-107]', () => {
    const run = scenario(
      'policy: { onSkip: cascade }\nsteps:\n  - { id: a, run: f, if: input.go, dependsOn: [] }\n  - { id: s, run: f, dependsOn: [] }\n  - { id: b, run: f, dependsOn: [s, a] }\n',
      no,
    ).start()
    expect(run.events(...SKIPS)).toEqual(['StepSkipped a#1'])
    run.completes('s')
    expect(run.events(...SKIPS)).toEqual(['StepSkipped a#1', 'StepSkipped b#1'])
    expect(run.status).toBe('COMPLETED')
  })

  it('asks for no condition of a step that it skips, and a step that a person skipped lets others run [X-107]', () => {
    const asked = scenario(
      'policy: { onSkip: cascade }\nsteps:\n  - { id: a, run: f, if: input.go, dependsOn: [] }\n  - { id: b, run: f, dependsOn: [a], if: input.more }\n',
      { facts: { a: { condition: false }, b: { condition: true } } },
    ).start()
    expect(asked.payload('StepSkipped', 'b')['reasonCode']).toBe('DEPENDENCY_SKIPPED')
    const byHand = scenario(
      'policy: { onSkip: cascade }\nsteps:\n  - { id: z, run: f, dependsOn: [] }\n  - { id: a, run: f, dependsOn: [z] }\n  - { id: b, run: f, dependsOn: [a] }\n',
    ).start()
    byHand.signals('SKIP_STEP', { stepId: 'a' }).completes('z')
    expect(byHand.dispatched()).toEqual(['z#1', 'b#1'])
  })

  it('goes the same way when each decision has room for few events [P-11, X-107]', () => {
    const whole = scenario(chain('policy: { onSkip: cascade }\n'), no).start()
    const cut = scenario(chain('policy: { onSkip: cascade }\n'), { ...no, room: 4 }).start()
    expect(cut.events()).toEqual(whole.events())
    expect(cut.inputs.length).toBeGreaterThan(whole.inputs.length)
  })
})

describe('onFailure: continue of a step', () => {
  const PLAN = `${ONCE}steps:\n  - { id: a, run: f, onFailure: continue, dependsOn: [] }\n  - { id: b, run: f, dependsOn: [a] }\n`

  it('handles its final failure: dependents run, and the run completes under failFast [X-107]', () => {
    const run = scenario(PLAN).start().fails('a', { code: 'E_DOCK' })
    expect(run.payload('StepFailed', 'a')).toMatchObject({ final: true, handled: true, error: { code: 'E_DOCK' } })
    expect(run.dispatched()).toEqual(['a#1', 'b#1'])
    expect(why(run, 'a')).toEqual(['failure-handled'])
    run.completes('b')
    expect([run.status, run.state.failed, run.state.satisfied]).toEqual(['COMPLETED', 0, 2])
    expect(run.refolded()).toEqual(run.state)
  })

  it('comes after all attempts and the fallback [X-101, X-107]', () => {
    const run = scenario(
      'policy: { retry: { maxAttempts: 2 } }\nsteps:\n  - { id: a, run: f, fallback: { run: g }, onFailure: continue, dependsOn: [] }\n  - { id: b, run: f, dependsOn: [a] }\n',
    ).start()
    run.fails('a').at('+1s')
    expect(run.payload('StepFailed', 'a')['handled']).toBeUndefined()
    run.fails('a')
    expect(run.payload('StepFailed', 'a')).toMatchObject({ fallback: true })
    expect(run.payload('StepFailed', 'a')['handled']).toBeUndefined()
    run.fails('FALLBACK:a').at('+1s').fails('FALLBACK:a')
    expect(run.payload('StepFailed', 'FALLBACK:a')).toMatchObject({ final: true, handled: true })
    expect(run.dispatched().at(-1)).toBe('b#1')
    expect(why(run, 'a')).toEqual(['failure-handled', 'fallback-failed'])
    run.completes('b')
    expect(run.status).toBe('COMPLETED')
  })

  it('does not hold a run whose policy is hold, and another failure still does [X-107, SIG-17]', () => {
    const run = scenario(
      'policy: { onFailure: hold, retry: { maxAttempts: 1 } }\nsteps:\n  - { id: a, run: f, onFailure: continue, dependsOn: [] }\n  - { id: b, run: f, dependsOn: [a] }\n',
    ).start()
    run.fails('a')
    expect(run.substatus).toBeUndefined()
    run.fails('b')
    expect(run.substatus).toBe('embedded/HOLDING')
  })

  it('never passes over an effect that may have happened, nor a step that was stopped [P-28, X-107]', () => {
    const unknown = scenario(
      `${ONCE}steps:\n  - { id: a, run: f, effect: irreversible, timeoutMs: 1000, onFailure: continue, dependsOn: [] }\n  - { id: b, run: f, dependsOn: [a] }\n`,
    )
    unknown.start().fails('a', { class: 'timeout' })
    expect(unknown.payload('StepFailed', 'a')).toMatchObject({ error: { code: 'INDETERMINATE' } })
    expect(unknown.payload('StepFailed', 'a')['handled']).toBeUndefined()
    expect(unknown.dispatched()).toEqual(['a#1'])
    const stopped = scenario(PLAN).start().signals('CANCEL').at('+5s')
    expect(stopped.payload('StepFailed', 'a')['handled']).toBeUndefined()
    expect(stopped.status).toBe('CANCELLED')
  })

  it('of a forEach handles the failure of the whole step once its items have ended [X-107]', () => {
    const run = scenario(
      `${ONCE}steps:\n  - { id: each, run: f, forEach: input.list, onFailure: continue, dependsOn: [] }\n  - { id: b, run: f, dependsOn: [each] }\n`,
      { facts: { each: { items: 2 } } },
    ).start()
    run.completes('each[0]').fails('each[1]')
    expect(run.payload('StepFailed', 'each[1]')['handled']).toBeUndefined()
    expect(run.payload('StepFailed', 'each')).toMatchObject({ handled: true, error: { code: 'ITEMS_FAILED' } })
    run.completes('b')
    expect(run.status).toBe('COMPLETED')
  })

  it('cannot be retried or skipped afterwards, because others have gone on [X-107]', () => {
    const run = scenario(PLAN).start().fails('a')
    run.signals('RETRY_STEP', { stepId: 'a' })
    expect(run.payload('SignalRejected')['reasonCode']).toBe('STEP_NOT_FAILED')
    run.signals('SKIP_STEP', { stepId: 'a' })
    expect(run.payload('SignalRejected')['reasonCode']).toBe('STEP_TERMINAL')
  })

  it('is refused on a manual step: what a person refused is not passed over [MAN-13, X-107]', () => {
    const text =
      'plan: p\nversion: 1.0.0\nsteps:\n  - { id: ask, manual: { title: Release }, onFailure: continue }\n  - { id: pay, run: f, effect: irreversible }\n'
    expect(() => loadPlan(text)).toThrow(/what a person refused cannot be passed over/)
  })

  it('undoes nothing of the step when the run fails later, and names the later failure as the cause [CMP-01, X-107]', () => {
    const run = scenario(
      `${ONCE}steps:\n  - { id: a, run: f, compensate: { run: u }, onFailure: continue, dependsOn: [] }\n  - { id: b, run: f, dependsOn: [a] }\n`,
    ).start()
    run.fails('a').fails('b', { code: 'E_LATER' })
    expect(run.status).toBe('FAILED')
    expect(run.payload('RunFailed')).toMatchObject({ error: { code: 'E_LATER' }, rootCause: { slot: 'b' } })
    expect(run.events('CompensationStarted')).toEqual([])
  })
})

describe('through the library', () => {
  const boom = (): never => {
    throw Object.assign(new Error('dock 3 is full'), { name: 'ConflictError', code: 'DOCK_FULL' })
  }

  it('conditions and mappings read how a step ended, and the views say that its failure was handled [X-107]', async () => {
    const given: unknown[] = []
    await using keelson = await openKeelson({
      directory: testFolder(),
      steps: { boom, tell: (input: unknown) => void given.push(input), ok: () => 1 },
    })
    const plan = loadPlan(`plan: ends
version: 1.0.0
steps:
  - { id: try-it, run: boom, onFailure: continue, dependsOn: [] }
  - { id: fine, run: ok, dependsOn: [] }
  - { id: never, run: ok, if: "\`false\`", dependsOn: [] }
  - id: tell
    run: tell
    dependsOn: [try-it, fine, never]
    if: steps."try-it".status == 'FAILED' && steps."try-it".error.code == 'DOCK_FULL'
    with:
      statuses: ["\${steps.\\"try-it\\".status}", "\${steps.fine.status}", "\${steps.never.status}"]
      code: \${steps."try-it".error.code}
      none: \${steps.fine.error.code}
      output: \${steps."try-it".output}
      name: \${input.name ?? 'nobody'}
output: { was: "\${steps.\\"try-it\\".status}" }
`)
    const run = await keelson.start(plan, {})
    expect(await run.result()).toMatchObject({ status: 'COMPLETED', output: { was: 'FAILED' } })
    expect(given).toEqual([
      { statuses: ['FAILED', 'SUCCESS', 'SKIPPED'], code: 'DOCK_FULL', none: null, output: null, name: 'nobody' },
    ])
    const { steps, failedSteps } = await run.snapshot()
    expect(steps.find(({ stepId }) => stepId === 'try-it')).toMatchObject({ status: 'FAILED', handled: true })
    expect(failedSteps).toBe(0)
  })

  it('a block of a forEach reads how a step around it ended [X-107]', async () => {
    const given: unknown[] = []
    await using keelson = await openKeelson({
      directory: testFolder(),
      steps: { boom, tell: (input: unknown) => void given.push(input) },
    })
    const plan = loadPlan(`plan: outer
version: 1.0.0
steps:
  - { id: a, run: boom, onFailure: continue }
  - id: each
    forEach:
      in: input.list
      steps:
        - { id: t, run: tell, if: steps.a.status == 'FAILED', with: { at: "\${item}", code: "\${steps.a.error.code}" } }
`)
    const run = await keelson.start(plan, { list: [1, 2] })
    expect((await run.result()).status).toBe('COMPLETED')
    expect(given).toEqual([
      { at: 1, code: 'DOCK_FULL' },
      { at: 2, code: 'DOCK_FULL' },
    ])
  })

  it('functions and agents have scoped names, with pools of their own on every store [X-107]', async () => {
    await using keelson = await openKeelson({
      directory: testFolder(),
      agents: { '@acme/mail': 1 },
      steps: { '@acme/mail.send': () => 'sent' },
    })
    const plan = loadPlan(
      `plan: scoped\nversion: 1.0.0\nsteps: [{ id: a, run: "@acme/mail.send", agent: "@acme/mail" }]\noutput: \${steps.a.output}\n`,
    )
    const run = await keelson.start(plan, {})
    expect(await run.output()).toBe('sent')
  })
})
