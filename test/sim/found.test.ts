/** What the simulator once found, told as short stories, so that it stays found whatever the seeds do. */
import { describe, expect, it } from 'vitest'
import { createMemoryDisk } from '../../src/adapters/stores/memory/connect.ts'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { RunAdvancer } from '../../src/app/advance/advance-run.ts'
import { compilePlan, type CompiledPlan } from '../../src/app/plans/compile.ts'
import type { Services } from '../../src/app/services.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { startRun } from '../../src/app/start/start-run.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { locate } from '../../src/core/run/state/units.ts'
import { projectRun } from '../../src/core/view/project/project-run.ts'
import { viewToText } from '../../src/core/view/project/stored-view.ts'
import { loadPlan, openKeelson, type Startable } from '../../src/main.ts'
import { isWhole } from '../../src/app/verify/verify-run.ts'
import { initialState } from '../../src/core/run/state/initial-state.ts'
import { packState, unpackState } from '../../src/core/run/state/checkpoint.ts'
import { scenario } from '../fixtures/scenario.ts'
import { portRandom, Rng } from './random.ts'

function planOf(text: string): CompiledPlan {
  const compiled = compilePlan(`plan: found\nversion: 1.0.0\n${text}`)
  if (!compiled.ok) throw new Error(compiled.problems.map((one) => one.message).join('\n'))
  return compiled.value
}

/** Processes over one disk, whose clocks stand still. */
function processes(): () => { readonly services: Services; readonly advancer: RunAdvancer } {
  const clock = { now: () => 1_893_456_000_000 }
  const disk = createMemoryDisk()
  let made = 0
  return () => {
    made += 1
    const services: Services = {
      store: openMemoryStore({ clock, disk }),
      clock,
      random: portRandom(new Rng(made)),
      timers: { after: () => () => undefined, defer: (callback) => setImmediate(callback) },
      handlers: { missing: () => [], call: async () => null },
    }
    return { services, advancer: new RunAdvancer(services) }
  }
}

const REQUEST = { principal: LOCAL_PRINCIPAL, engine: { engineType: 'embedded', maxInFlight: 10 } } as const
const WAITING = planOf(`steps: [{ id: look, manual: { title: look } }]`)

describe('a driver that lost its run', () => {
  it('learns of it even when it has nothing to write [P-27]', async () => {
    const boot = processes()
    const [first, second] = [boot(), boot()]
    const { row } = await startRun(first.services, first.advancer, { ...REQUEST, plan: WAITING })
    await second.advancer.advance(row.runKey, { adopt: true })
    await expect(first.advancer.advance(row.runKey)).rejects.toThrow('RUN_EPOCH_STALE')
  })

  it('may still add to a run that has ended [P-48]', async () => {
    const boot = processes()
    const [first, second] = [boot(), boot()]
    const { row } = await startRun(first.services, first.advancer, { ...REQUEST, plan: WAITING })
    const cancel = {
      kind: 'signal',
      signalId: 's1',
      signalType: 'CANCEL',
      payload: {},
      authorization: { allowed: true, policyDecisionId: 'd1' },
    } as const
    await second.advancer.advance(row.runKey, { adopt: true, inputs: [cancel] })
    const late = {
      ...cancel,
      signalId: 's2',
      signalType: 'PAUSE',
      authorization: { allowed: true, policyDecisionId: 'd2' },
    }
    const report = await first.advancer.advance(row.runKey, { inputs: [late] })
    expect(report.status).toBe('CANCELLED')
    const types = (await first.services.store.readEvents(row.runKey, {})).map((event) => event.eventType)
    expect(types.slice(-2)).toEqual(['RunCancelled', 'SignalRejected'])
  })
})

it('an adoption by the very process that creates a run is the later word [P-27]', async () => {
  const { services } = processes()()
  const plan = planOf(`steps: [{ id: a, run: f }]`)
  const adopted: Promise<unknown>[] = []
  // A sweep of this process finds the run while the answer to its creation is still on its way.
  const store: Services['store'] = {
    ...services.store,
    commit: async (batch) => {
      const results = await services.store.commit(batch)
      const [created] = results
      if (batch[0]?.create !== undefined && created?.kind === 'committed')
        adopted.push(advancer.advance(created.runKey, { adopt: true }))
      return results
    },
  }
  const advancer = new RunAdvancer({ ...services, store })
  const { row } = await startRun({ ...services, store }, advancer, { ...REQUEST, plan })
  await Promise.all(adopted)
  expect(adopted).toHaveLength(1)
  const { epoch, state } = await advancer.current(row.runKey)
  expect(epoch).toBe(2)
  expect(locate(state, 'a')?.unit.status).toBe('RUNNING')
})

it('a fan-out closed by a failure elsewhere starts again only when it is asked to, and then with every item [P-47]', () => {
  const told = scenario(
    `
policy: { concurrency: 3, retry: { maxAttempts: 1 } }
steps:
  - { id: bad, dependsOn: [], run: f }
  - { id: pay, dependsOn: [], run: f, effect: irreversible }
  - { id: each, dependsOn: [], run: f, forEach: input.list }
`,
    { facts: { each: { items: 3 } } },
  ).start()
  expect(told.dispatched()).toEqual(['bad#1', 'pay#1', 'each[0]#1'])
  told.adopted([{ slot: 'pay', attempt: 1 }])
  told.fails('bad', { class: 'permanent' }).completes('each[0]', 1, { engineAttempt: 2 })
  told.completes('each[1]', 1)
  expect(told.events('StepFailed')).toContain('StepFailed each#1')
  const started = told.events('StepStarted').length
  told.signals('SKIP_STEP', { stepId: 'bad' })
  expect(told.events('StepStarted')).toHaveLength(started)
  told.signals('RETRY_STEP', { stepId: 'each' })
  expect(told.events('StepStarted').slice(started)).toContain('StepStarted each#2')
  expect(told.events('StepStarted')).toContain('StepStarted each[2]#1')
})

it('a view outlives an expansion of a size that no expansion can have [PRJ-08]', () => {
  const record = {
    eventId: '9b2f0c1e-3a47-4b5e-8c11-6f0a2d4e7b90',
    eventType: 'FanOutExpanded',
    stepId: 'a',
    runSeq: 1,
    emittedAt: '2030-01-01T00:00:00.000Z',
    persistedAt: '2030-01-01T00:00:00.000Z',
    logicalAttemptId: 1,
    engineAttemptId: 1,
    payload: { count: 1e308, sha256: '0'.repeat(64), ref: 'blob:0' },
  } as unknown as LogRecord
  const { view } = projectRun({ runId: 'r', stepIds: ['a'] }, [record])
  expect(view.lastEventSeq).toBe(1)
  expect(viewToText(view).length).toBeLessThan(2_000)
})

it('a state read back before its first event has its fields where a fresh one has them [P-51]', () => {
  const graph = compileGraph(planOf(`steps: [{ id: a, run: f }]`).plan)
  const fresh = initialState(graph)
  const read = unpackState(graph, JSON.parse(JSON.stringify(packState(fresh))) as Parameters<typeof unpackState>[1])
  expect(Object.keys(read)).toEqual(Object.keys(fresh))
})

it('a step that is stopped by the decision that started it did not fail by its own facts: the decision is made again alike [P-05]', async () => {
  const store = openMemoryStore({ clock: { now: () => Date.now() } })
  const keelson = await openKeelson({ store, steps: { f: () => ({ ms: 5000, list: 'none' }) }, pollMs: 20 })
  const handle = await keelson.start(
    loadPlan(`plan: found
version: 1.0.0
steps:
  - { id: a, run: f, dependsOn: [] }
  - { id: nap, dependsOn: [a], wait: { forMs: '\${steps.a.output.ms}' } }
  - { id: each, dependsOn: [a], run: f, forEach: steps.a.output.list }`),
  )
  expect((await handle.result()).status).toBe('FAILED')
  const failed = (await handle.records()).filter(({ eventType }) => eventType === 'StepFailed')
  expect(failed.map(({ stepId }) => stepId).sort()).toEqual(['each', 'nap'])
  const { decisions } = await keelson.maintenance.verify((await keelson.run(handle.runId)).row)
  expect(decisions).toMatchObject({ differences: [], notDerivable: [] })
  await keelson.close()
})

it('a run that undoes a child has every value that its log names, also where a list had no items [P-43]', async () => {
  const store = openMemoryStore({ clock: { now: () => Date.now() } })
  const steps = { f: () => ({ none: [] }), g: () => Promise.reject(new Error('no')) }
  const keelson = await openKeelson({ store, steps, pollMs: 20 })
  const plan = (id: string, list: string): Startable =>
    loadPlan(`plan: ${id}\nversion: 1.0.0\npolicy: { retry: { maxAttempts: 1 } }\nsteps: ${list}`)
  const compensation = 'effect: compensatable, compensate: { run: f }'
  await keelson.publish(
    plan(
      'child',
      `[{ id: a, run: f, ${compensation} }, { id: b, run: f, forEach: steps.a.output.none, ${compensation} }]`,
    ),
  )
  const parent = plan('parent', '[{ id: call, plan: { planId: child }, effect: compensatable }, { id: bad, run: g }]')
  const handle = await keelson.start(parent)
  expect((await handle.result()).status).toBe('FAILED')
  const proofs = []
  for await (const run of keelson.runs()) proofs.push([run.planId, isWhole(await keelson.maintenance.verify(run))])
  expect(proofs.sort()).toEqual([
    ['child', true],
    ['child', true],
    ['parent', true],
  ])
  await keelson.close()
})
