/** Waits and manual tasks whose fields are mapped: for a step, and for each item of a fan-out by itself. */
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { describe, expect, it } from 'vitest'
import { completeTask, listTasks, openTasksFor, type OpenTask } from '../../src/app/steer/manual-tasks.ts'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import type { SigningKeys } from '../../src/ports/signing-keys.ts'
import { World, type Process } from '../fixtures/virtual-world.ts'

const KEY = { keyId: 'k1', secret: new Uint8Array(32).fill(9) }
const KEYS: SigningKeys = { current: async () => KEY, find: async (keyId) => (keyId === KEY.keyId ? KEY : undefined) }

interface Started {
  readonly world: World
  readonly process: Process
  readonly key: RunKey
}

async function started(yaml: string, input: unknown): Promise<Started> {
  const world = new World()
  const process = world.process('only')
  const key = await process.start(yaml, { input, principal: { ...LOCAL_PRINCIPAL, actorId: 'maker' } })
  await world.advanceBy(0)
  return { world, process, key }
}

async function differences({ world, process, key }: Started): Promise<readonly unknown[]> {
  const { plan } = await process.advancer.current(key)
  return verifyDecisions(world.records(key), plan).differences
}

const payloads = ({ world, key }: Started, eventType: string, field: string): readonly unknown[] =>
  world
    .records(key)
    .filter((one) => one.eventType === eventType && one.itemIndex !== undefined)
    .map((one) => one.payload?.[field])

const tasksOf = async ({ process, key }: Started): Promise<readonly OpenTask[]> =>
  listTasks(process.services.store, KEYS, await process.advancer.current(key))

const seenBy = ({ process, world, key }: Started, actorId: string): Promise<readonly OpenTask[]> =>
  openTasksFor(process.services, process.advancer, KEYS, world.row(key).runId, {
    tenantId: 'local',
    actorId,
    allowed: true,
  })

async function complete({ process, world, key }: Started, task: OpenTask | undefined, who: string): Promise<string> {
  const completion = { completionToken: task?.token ?? '', outcome: 'Succeeded', actorUserId: who } as const
  try {
    const answer = await completeTask(process.services, process.advancer, KEYS, world.row(key), completion)
    process.engine.wake(key)
    await world.time.quiet()
    return answer.kind
  } catch (thrown) {
    return thrown instanceof KeelsonError ? thrown.code : String(thrown)
  }
}

describe('the items of a fan-out', () => {
  it('wait each for its own time, and the decisions can be made again from the log [P-05, P-47]', async () => {
    const run = await started(
      `steps: [{ id: w, forEach: 'input.times', wait: { forMs: "\${item}" }, dependsOn: [] }, { id: b, run: f, dependsOn: [w] }]`,
      { times: [3000, 1000, 2000] },
    )
    expect(payloads(run, 'StepStarted', 'waitForMs')).toEqual([3000, 1000, 2000])
    await run.world.advanceBy(2999)
    expect(run.world.row(run.key).status).toBe('RUNNING')
    await run.world.advanceBy(1)
    expect(run.world.row(run.key).status).toBe('COMPLETED')
    const ended = run.world.records(run.key).filter((one) => one.eventType === 'StepCompleted')
    expect(ended.map((one) => one.itemIndex)).toEqual([1, 2, 0, undefined, undefined])
    expect(await differences(run)).toEqual([])
  })

  it('wait each for its own instant [P-05, P-47]', async () => {
    const run = await started(`steps: [{ id: w, forEach: 'input.at', wait: { until: "\${item.due}" } }]`, {
      at: [{ due: '2030-01-01T00:00:05Z' }, { due: '2030-01-01T00:00:02Z' }],
    })
    expect(payloads(run, 'StepStarted', 'waitUntil')).toEqual(['2030-01-01T00:00:05.000Z', '2030-01-01T00:00:02.000Z'])
    await run.world.advanceBy(5000)
    expect(run.world.row(run.key).status).toBe('COMPLETED')
    expect(await differences(run)).toEqual([])
  })

  it('that cannot tell its time fails alone, and the fan-out by it [P-47, P-44]', async () => {
    const run = await started(
      `policy: { onFailure: continue }\nsteps: [{ id: w, forEach: 'input.times', wait: { forMs: "\${item}" } }]`,
      { times: [1000, 'soon', 2000] },
    )
    await run.world.advanceBy(2000)
    expect(run.world.row(run.key).status).toBe('FAILED')
    const failed = run.world.records(run.key).filter((one) => one.eventType === 'StepFailed')
    expect(failed).toMatchObject([
      { itemIndex: 1, payload: { error: { code: 'INPUT_INVALID' } } },
      { payload: { error: { code: 'ITEMS_FAILED' }, failedItem: 1 } },
    ])
    expect(await differences(run)).toEqual([])
  })

  it('are waited for also where they are more than one append holds [P-11, P-47]', async () => {
    const times = Array.from({ length: 1_200 }, (_, index) => 1 + (index % 7))
    const run = await started(`steps: [{ id: w, forEach: 'input.times', wait: { forMs: "\${item}" } }]`, { times })
    await run.world.advanceBy(10)
    expect(run.world.row(run.key).status).toBe('COMPLETED')
    expect(payloads(run, 'StepStarted', 'waitForMs')).toEqual(times)
    expect(await differences(run)).toEqual([])
  })

  it('ask each its own people, with their own words [MAN-02, P-47]', async () => {
    const run = await started(
      `steps: [{ id: sign, forEach: 'input.forms', manual: { title: "Sign form \${item.no}", assignees: ["\${item.who}"] } }]`,
      {
        forms: [
          { no: 7, who: 'ana' },
          { no: 8, who: 'bo' },
        ],
      },
    )
    const [first, second] = await tasksOf(run)
    expect([first?.title, second?.title]).toEqual(['Sign form 7', 'Sign form 8'])
    expect((await seenBy(run, 'bo')).map((task) => task.slot)).toEqual(['sign[1]'])
    expect(await complete(run, first, 'bo')).toBe('AUTHZ_DENIED')
    expect(await complete(run, first, 'ana')).toBe('accepted')
    expect(await complete(run, second, 'bo')).toBe('accepted')
    expect(run.world.row(run.key).status).toBe('COMPLETED')
    expect(await differences(run)).toEqual([])
  })
})

describe('a manual task', () => {
  const PLAN = `
steps:
  - { id: a, run: f, capture: [{ destination: region, transform: "'north'" }] }
  - id: sign
    manual:
      title: "Release order \${input.order} in \${context.region}"
      instructions: "Call \${input.phone}"
      assignees: ["\${input.approvers}", "lead-\${context.region}"]
      rule: MakerChecker`

  it('is told with its texts mapped over the context, and is only theirs whom the mapping names [MAN-02, MAN-07]', async () => {
    const run = await started(PLAN, { order: 'o-1', phone: 555, approvers: ['ana', 'maker'] })
    const [task] = await tasksOf(run)
    expect(task).toMatchObject({
      title: 'Release order o-1 in north',
      instructions: 'Call 555',
      assignees: ['ana', 'maker', 'lead-north'],
    })
    expect(await seenBy(run, 'ana')).toHaveLength(1)
    expect(await seenBy(run, '${input.approvers}')).toEqual([])
    expect(await complete(run, task, 'eve')).toBe('AUTHZ_DENIED')
    // Named by the mapping, but the one who started the run.
    expect(await complete(run, task, 'maker')).toBe('AUTHZ_DENIED')
    expect(await complete(run, task, 'lead-north')).toBe('accepted')
    expect(run.world.row(run.key).status).toBe('COMPLETED')
    expect(await differences(run)).toEqual([])
  })

  it.each([
    ['nobody', []],
    ['no value', undefined],
    ['something else', [7]],
    ['an empty name', ['']],
  ])('whose assignees give %s fails instead of being open to anybody [MAN-07, P-44]', async (_, approvers) => {
    const run = await started(
      `steps: [{ id: sign, manual: { title: Sign, assignees: ["\${input.approvers}"] } }]`,
      approvers === undefined ? {} : { approvers },
    )
    expect(run.world.row(run.key).status).toBe('FAILED')
    const failed = run.world.records(run.key).find((one) => one.eventType === 'StepFailed')
    expect(failed?.payload?.['error']).toMatchObject({ code: 'INPUT_INVALID' })
    expect(run.world.log(run.key, 'ManualTaskOpened')).toEqual([])
    expect(await differences(run)).toEqual([])
  })
})
