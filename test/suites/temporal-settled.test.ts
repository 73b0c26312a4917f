/** Two faults of the workflow that Keelson's documents show for Temporal, which the engine must not have. */
import { expect, it } from 'vitest'
import { onTemporal } from '../fixtures/on-temporal.ts'
import { expectSound } from '../fixtures/temporal-log.ts'
import { logHas, type TemporalWorld } from '../fixtures/temporal-world.ts'

let world: TemporalWorld
let gate = Promise.withResolvers<void>()

onTemporal(
  {
    echo: (input: unknown) => input,
    gated: () => gate.promise,
    fails: () => Promise.reject(new Error('no')),
  },
  (on) => ({ world } = on),
  () => gate.resolve(),
)

it('a step that is ready begins although another of the layer before it is still at work [X-94]', async () => {
  gate = Promise.withResolvers()
  const run = await world.start(`
plan: layers
version: 1.0.0
steps:
  - { id: slow, run: gated, dependsOn: [] }
  - { id: quick, run: echo, dependsOn: [] }
  - { id: next, run: echo, dependsOn: [quick] }
`)
  await logHas(run, 'StepCompleted next#1')
  expect((await run.snapshot()).steps.map(({ stepId, status }) => [stepId, status])).toEqual([
    ['slow', 'RUNNING'],
    ['quick', 'SUCCESS'],
    ['next', 'SUCCESS'],
  ])
  gate.resolve()
  await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
  await expectSound(world.keelson, run)
})

it('when one step fails, every other of its layer has an end on record too [X-94]', async () => {
  gate = Promise.withResolvers()
  const run = await world.start(`
plan: siblings
version: 1.0.0
policy: { retry: { maxAttempts: 1 } }
steps:
  - { id: bad, run: fails, dependsOn: [] }
  - { id: one, run: gated, dependsOn: [] }
  - { id: two, run: gated, dependsOn: [] }
`)
  await logHas(run, 'StepFailed bad#1')
  gate.resolve()
  await expect(run.result()).resolves.toMatchObject({ status: 'FAILED' })
  const events = await expectSound(world.keelson, run)
  const endOf = (step: string): readonly string[] =>
    events.filter((one) => /^Step(Completed|Failed|Skipped) /.test(one) && one.split(' ')[1]?.startsWith(`${step}#`))
  expect(['bad', 'one', 'two'].map(endOf)).toEqual([
    ['StepFailed bad#1'],
    ['StepCompleted one#1'],
    ['StepCompleted two#1'],
  ])
})
