/**
 * Live runs that change engines on a real Temporal server: there and back, with work under way, by two processes, and with
 * one of them gone at the worst moment. What counts is the log, which `verify` proves whole at the end of each.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { temporal } from '../../src/adapters/engines/temporal/engine.ts'
import type { TemporalOptions } from '../../src/adapters/engines/temporal/client/options.ts'
import { RunAdvancer } from '../../src/app/advance/advance-run.ts'
import { isWhole } from '../../src/app/verify/verify-run.ts'
import { loadPlan, openKeelson, type Keelson, type OpenOptions, type RunHandle } from '../../src/main.ts'
import { eventsOf, logHas } from '../fixtures/temporal-world.ts'
import { until } from '../fixtures/until.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'
import { servicesOf } from '../../src/library/services-of.ts'

let server: TemporalServer
const open = new Set<Keelson>()
const folders: string[] = []
/** Held calls of `hold`, by the name in their input, in the order they came. */
const held = new Map<string, ((output: unknown) => void)[]>()

const steps = {
  hold: ({ name }: { readonly name: string }) =>
    new Promise((resolve) => held.set(name, [...(held.get(name) ?? []), resolve])),
  echo: (input: unknown) => input,
}

beforeAll(async () => {
  server = await startTemporal()
}, 600_000)
afterEach(async () => {
  for (const calls of held.values()) for (const resolve of calls) resolve(null)
  held.clear()
  await Promise.all([...open].map((one) => one.close()))
  open.clear()
})
afterAll(async () => {
  await server?.stop()
  for (const made of folders) rmSync(made, { recursive: true, force: true })
})

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'keelson-migrate-'))
  folders.push(made)
  return made
}

async function opened(directory: string, options: OpenOptions): Promise<Keelson> {
  const keelson = await openKeelson({ directory, steps, ...options })
  open.add(keelson)
  return keelson
}

function engine(options: TemporalOptions = {}): ReturnType<typeof temporal> {
  return temporal({ address: server.address, shutdownGraceMs: 1_000, ...options })
}

async function callsOf(name: string, count: number): Promise<readonly ((output: unknown) => void)[]> {
  await until(() => (held.get(name) ?? []).length >= count)
  return held.get(name) ?? []
}

async function finish(name: string, output: unknown = name): Promise<void> {
  const calls = await callsOf(name, 1)
  calls.at(-1)?.(output)
}

/** Lets the step end once the run is paused, and gives the answer of the migration. */
async function drained<T>(run: RunHandle, name: string, migration: Promise<T>): Promise<T> {
  await until(async () => (await run.snapshot()).status === 'PAUSED')
  await finish(name)
  return migration
}

function chain(...names: readonly string[]): ReturnType<typeof loadPlan> {
  const lines = names.map((name) => `  - { id: ${name}, run: hold, with: { name: ${name} } }`)
  return loadPlan(`plan: chain\nversion: 1.0.0\nsteps:\n${lines.join('\n')}\n`)
}

async function expectProven(keelson: Keelson, run: RunHandle): Promise<void> {
  const proof = await keelson.maintenance.verify((await keelson.run(run.runId)).row)
  expect(isWhole(proof)).toBe(true)
  expect(proof.decisions).toMatchObject({ differences: [], notDerivable: [] })
}

describe('a run', () => {
  it('goes there and back again, and again, and its log stays whole [P-20]', async () => {
    const keelson = await opened(folder(), { engines: [engine()] })
    const run = await keelson.start(chain('a', 'b', 'c', 'd', 'e'))
    for (const [name, to] of [
      ['a', 'temporal'],
      ['b', 'embedded'],
      ['c', 'temporal'],
      ['d', 'embedded'],
    ] as const) {
      await callsOf(name, 1)
      expect(await drained(run, name, keelson.migrate(run.runId, { to }))).toMatchObject({
        to,
        forced: false,
        again: [],
      })
    }
    await finish('e')
    expect(await run.result()).toMatchObject({ status: 'COMPLETED' })
    const handoffs = (await run.records()).filter(({ eventType }) => eventType === 'EngineHandoff')
    expect(
      handoffs.map(({ payload }) => [payload?.['toEngine'], payload?.['maxInFlight'], payload?.['epoch']]),
    ).toEqual([
      ['temporal', 500, 2],
      ['embedded', 10_000, 3],
      ['temporal', 500, 4],
      ['embedded', 10_000, 5],
    ])
    expect((await eventsOf(run)).filter((event) => event.startsWith('StepStarted'))).toHaveLength(5)
    await expectProven(keelson, run)
    await until(() => !server.command('workflow', 'list', '-q', `WorkflowId='${run.runId}'`).includes('Running'))
  })

  it('that is forced off Temporal is carried on here, and what its activity still brings is on record as late [P-27]', async () => {
    const keelson = await opened(folder(), { engine: engine(), engines: ['embedded'] })
    const run = await keelson.start(chain('x', 'y'))
    await callsOf('x', 1)
    const moved = await keelson.migrate(run.runId, { to: 'embedded', drainMs: 200, force: true })
    expect(moved).toMatchObject({ from: 'temporal', forced: true, again: ['x'] })
    const [old, fresh] = await callsOf('x', 2)
    old?.('old')
    await logHas(run, 'LateOutcomeRecorded x#1')
    fresh?.('fresh')
    await finish('y')
    expect(await run.result()).toMatchObject({ status: 'COMPLETED' })
    const completed = (await run.records()).find((one) => one.eventType === 'StepCompleted' && one.stepId === 'x')
    expect(completed).toMatchObject({ engineAttemptId: 2, data: { result: 'fresh' } })
    await expectProven(keelson, run)
  })

  it('that is forced onto Temporal is carried on there, and the old driver is refused [P-27]', async () => {
    const keelson = await opened(folder(), { engines: [engine()] })
    const run = await keelson.start(chain('x', 'y'))
    await callsOf('x', 1)
    await keelson.migrate(run.runId, { to: 'temporal', drainMs: 200, force: true })
    const [old, fresh] = await callsOf('x', 2)
    old?.('old')
    await logHas(run, 'LateOutcomeRecorded x#1')
    fresh?.('fresh')
    await finish('y')
    expect(await run.result()).toMatchObject({ status: 'COMPLETED' })
    await expectProven(keelson, run)
  })

  it('takes an open task and a child run along: both are answered after the move', async () => {
    const directory = folder()
    const keelson = await opened(directory, { engines: [engine()] })
    await keelson.publish(chain('k'))
    const run = await keelson.start(
      loadPlan(`
plan: waits
version: 1.0.0
steps:
  - { id: ask, dependsOn: [], manual: { title: well? } }
  - { id: kid, dependsOn: [], plan: { planId: chain } }
`),
    )
    await callsOf('k', 1)
    await until(async () => (await run.tasks()).length === 1)
    expect(await keelson.migrate(run.runId, { to: 'temporal' })).toMatchObject({ forced: false, again: [] })
    const [task] = await run.tasks()
    await run.completeTask({ completionToken: task?.token ?? '', outcome: 'Succeeded', actorUserId: 'ana' })
    await finish('k')
    expect(await run.result()).toMatchObject({ status: 'COMPLETED' })
    const kid = (await keelson.list({ planId: 'chain' })).runs[0]
    expect(kid).toMatchObject({ engineType: 'embedded', status: 'COMPLETED' })
    await expectProven(keelson, run)
  })
})

describe('two processes', () => {
  it('move a run between them: a worker that had it takes it again under the new epoch [P-27]', async () => {
    const directory = folder()
    const worker = await opened(directory, { engine: engine() })
    const here = await opened(directory, { engines: [engine({ worker: false })], adopt: false })
    const run = await worker.start(chain('a', 'b', 'c'))
    await callsOf('a', 1)
    const seen = await here.run(run.runId)
    await drained(seen, 'a', here.migrate(run.runId, { to: 'embedded' }))
    await callsOf('b', 1)
    await drained(seen, 'b', here.migrate(run.runId, { to: 'temporal' }))
    await finish('c')
    expect(await run.result()).toMatchObject({ status: 'COMPLETED' })
    const started = (await run.records()).filter(({ eventType }) => eventType === 'StepStarted')
    const [first, second, third] = started.map(({ payload }) => Number(payload?.['epoch']))
    expect([first, second]).toEqual([1, 2])
    // A caretaker may have taken it over once more.
    expect(third).toBeGreaterThanOrEqual(3)
    await expectProven(worker, run)
  })

  it('of which one lacks the functions: it refuses to drive the run, and may still hand it over', async () => {
    const directory = folder()
    const worker = await opened(directory, { engine: engine() })
    const bare = await opened(directory, { steps: {}, adopt: false })
    const run = await worker.start(chain('a', 'b'))
    await callsOf('a', 1)
    await expect(bare.migrate(run.runId, { to: 'embedded' })).rejects.toMatchObject({ code: 'NO_HANDLER' })
    expect(await eventsOf(run)).not.toContain('RunPaused')
    const moved = await drained(run, 'a', bare.migrate(run.runId, { to: 'embedded', detach: true }))
    expect(moved).toMatchObject({ to: 'embedded', forced: false })
    const other = await opened(directory, {})
    await finish('b')
    expect(await (await other.run(run.runId)).result()).toMatchObject({ status: 'COMPLETED' })
    await expectProven(other, run)
  })

  it('do not lose a run whose mover died between the hand-off and the start: the caretaker starts it [P-38]', async () => {
    const directory = folder()
    const mover = await opened(directory, { adopt: false })
    const run = await mover.start(chain('a', 'b'))
    await callsOf('a', 1)
    const { runKey } = run.row
    // The hand-off is all that the dead mover did.
    await new RunAdvancer(servicesOf(mover)).advance(runKey, {
      handoff: {
        toEngine: 'temporal',
        engineRunRef: 'temporal://x',
        maxInFlight: 500,
        lease: { owner: 'mover', until: 0 },
      },
    })
    held.clear()
    const worker = await opened(directory, { engine: engine() })
    await worker.start(loadPlan('plan: other\nversion: 1.0.0\nsteps: [{ id: o, run: echo, with: {} }]'))
    await finish('a')
    await finish('b')
    const seen = await worker.run(run.runId)
    expect(await seen.result()).toMatchObject({ status: 'COMPLETED' })
    await expectProven(worker, seen)
  })
})

it('a server that is not there is found out before anything is changed', async () => {
  const nowhere = temporal({ address: '127.0.0.1:1', connectTimeoutMs: 500, worker: false })
  const keelson = await opened(folder(), { engines: [nowhere] })
  const run = await keelson.start(chain('a'))
  await callsOf('a', 1)
  const refused = keelson.migrate(run.runId, { to: 'temporal' })
  await expect(refused).rejects.toMatchObject({ code: 'TEMPORAL_CLIENT_NOT_CONNECTED' })
  expect(await eventsOf(run)).toEqual(['RunApproved', 'RunStarted', 'StepStarted a#1'])
})
