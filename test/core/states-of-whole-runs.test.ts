/** The states of runs and steps as whole runs go through them: skipped steps, refused plans, a lost process. */
import { describe, expect, it } from 'vitest'
import { scenario } from '../fixtures/scenario.ts'
import { World } from '../fixtures/virtual-world.ts'
import { ONE, TWO, DETAILS } from './state-machine.test.ts'

describe('a step is skipped', () => {
  it('by its condition, by the failure of what it needs, or by an operator, and never while it runs [SSM-12]', () => {
    const byCondition = scenario(`steps: [{ id: a, if: "input.go", run: f }]`, {
      facts: { a: { condition: false } },
    }).start()
    expect(byCondition.payload('StepSkipped', 'a')).toMatchObject({ reasonCode: 'CONDITION_FALSE' })
    const byFailure = scenario(`
policy: { onFailure: continue, retry: { maxAttempts: 1 } }
steps: [{ id: a, run: f, dependsOn: [] }, { id: b, run: f, dependsOn: [a] }]`)
      .start()
      .fails('a')
    expect(byFailure.payload('StepSkipped', 'b')).toMatchObject({ reasonCode: 'DEPENDENCY_FAILED' })
    const byOperator = scenario(TWO).start().signals('SKIP_STEP', { stepId: 'b', reason: 'not today' })
    expect(byOperator.payload('StepSkipped', 'b')).toMatchObject({
      reasonCode: 'OPERATOR_SKIP',
      reason: 'not today',
      signalId: 's1',
    })
    expect(byOperator.signals('SKIP_STEP', { stepId: 'a' }).payload('SignalRejected')).toMatchObject({
      reasonCode: 'STEP_RUNNING',
    })
    expect(byOperator.events('StepSkipped')).toEqual(['StepSkipped b#1'])
  })
})

describe('validation comes before running', () => {
  it('a plan with errors ends FAILED without any step event [SSM-17]', async () => {
    const finding = { code: 'CAPABILITY_MISSING', message: 'no such engine' }
    const run = scenario(ONE).take({
      kind: 'admit',
      policy: 'START',
      runInput: {},
      autoApprove: true,
      report: { status: 'ERRORS', errors: [finding], warnings: [] },
    })
    expect(run.events()).toEqual(['RunValidated RUN#1', 'RunFailed RUN#1'])
    expect(run.take({ kind: 'start', details: DETAILS }).status).toBe('FAILED')
    expect(run.events('StepStarted')).toEqual([])

    const world = new World()
    const key = await world
      .process('one')
      .start(
        `steps: [{ id: a, run: f, with: { n: text }, inputSchema: { type: object, properties: { n: { type: number } } } }]`,
      )
    await world.runUntil(() => world.hasEnded(key))
    expect(world.log(key, 'StepStarted', 'StepFailed', 'RunFailed')).toEqual([
      'StepStarted a#1',
      'StepFailed a#1',
      'RunFailed RUN#1',
    ])
    expect(world.calls).toEqual([])
  })
})

describe('a run that lost its process', () => {
  it('goes on after step 3 of 5 without executing steps 1 to 3 again [SSM-13]', async () => {
    const world = new World()
    const first = world.process('first', { script: { slow: 'hold' } })
    const key = await first.start(
      `steps: [{ id: s1, run: f }, { id: s2, run: f }, { id: s3, run: f }, { id: s4, run: slow }, { id: s5, run: f }]`,
    )
    await world.runUntil(() => world.called().includes('s4#1/1'))
    first.kill()
    world.process('second', { adoptOthers: true })
    await world.runUntil(() => world.hasEnded(key))
    expect(world.row(key).status).toBe('COMPLETED')
    expect(world.called()).toEqual(['s1#1/1', 's2#1/1', 's3#1/1', 's4#1/1', 's4#1/2', 's5#1/1'])
    expect(world.log(key, 'StepStarted')).toEqual(['s1', 's2', 's3', 's4', 's5'].map((id) => `StepStarted ${id}#1`))
  })
})
