/** Why a step was skipped: each cause has its code. */
import { describe, expect, it } from 'vitest'
import { explain } from '../../src/core/run/explain/explain.ts'
import { scenario } from '../fixtures/scenario.ts'
import { World } from '../fixtures/virtual-world.ts'

const GRAPH = 'steps:\n  - { id: a, run: f, dependsOn: [] }\n  - { id: b, run: f, dependsOn: [a] }\n'

it('a condition that is false, a dependency that failed and an operator each give their code [EVT-21, SSM-12]', () => {
  const conditional = scenario('steps:\n  - { id: a, run: f, if: "input.go" }\n', {
    facts: { a: { condition: false } },
  }).start()
  expect(conditional.payload('StepSkipped', 'a')).toMatchObject({ reasonCode: 'CONDITION_FALSE' })

  const dependent = scenario(`policy: { onFailure: continue }\n${GRAPH}`).start().fails('a', { class: 'validation' })
  expect(dependent.payload('StepSkipped', 'b')).toMatchObject({ reasonCode: 'DEPENDENCY_FAILED' })

  const skipped = scenario(GRAPH).start().signals('SKIP_STEP', { stepId: 'b', reason: 'not today' })
  expect(skipped.payload('StepSkipped', 'b')).toMatchObject({
    reasonCode: 'OPERATOR_SKIP',
    reason: 'not today',
    signalId: 's1',
  })
})

describe('a step that is skipped before it is its turn', () => {
  const CHAIN = `steps: [{ id: a, run: slow }, { id: b, run: f }, { id: c, run: f }, { id: d, run: f }]`

  it('keeps its place: what follows it waits for what it would have waited for [GRF-02]', async () => {
    const world = new World()
    const process = world.process('p', { script: { slow: 'hold' } })
    const run = await process.start(CHAIN)
    await process.signal(run, 'SKIP_STEP', { stepId: 'b' })
    await process.signal(run, 'SKIP_STEP', { stepId: 'c' })
    expect(world.log(run, 'StepSkipped')).toEqual(['StepSkipped b#1', 'StepSkipped c#1'])
    expect(world.called()).toEqual(['a#1/1'])
    const state = (await process.advancer.current(run)).state
    expect(explain(state.graph, state, 'd', world.time.now())).toMatchObject([{ kind: 'dependency', stepId: 'a' }])
    world.calls[0]?.resolve()
    await world.runUntil(() => world.hasEnded(run))
    expect(world.called()).toEqual(['a#1/1', 'd#1/1'])
    expect(world.row(run)).toMatchObject({ status: 'COMPLETED', stepsDone: 4 })
  })

  it('keeps it over the death of its process [P-51]', async () => {
    const world = new World()
    const first = world.process('p', { script: { slow: 'hold' } })
    const run = await first.start(CHAIN)
    await first.signal(run, 'SKIP_STEP', { stepId: 'b' })
    first.kill()
    world.process('q', { adoptOthers: true, pollMs: 500 })
    await world.runUntil(() => world.hasEnded(run))
    expect(world.called()).toEqual(['a#1/1', 'a#1/2', 'c#1/1', 'd#1/1'])
  })

  it('lets nothing go when what comes before it fails [P-46]', async () => {
    const world = new World()
    const process = world.process('p', { script: { slow: 'hold' } })
    const graph = `policy: { onFailure: continue }
steps:
  - { id: a, run: slow, dependsOn: [], retry: { maxAttempts: 1 } }
  - { id: b, run: f, dependsOn: [a] }
  - { id: c, run: f, dependsOn: [b] }`
    const run = await process.start(graph)
    await process.signal(run, 'SKIP_STEP', { stepId: 'b' })
    world.calls[0]?.reject(new Error('no'))
    await world.runUntil(() => world.hasEnded(run))
    expect(world.called()).toEqual(['a#1/1'])
    expect(world.records(run).flatMap(({ payload }) => payload?.['reasonCode'] ?? [])).toEqual([
      'OPERATOR_SKIP',
      'DEPENDENCY_FAILED',
    ])
  })
})
