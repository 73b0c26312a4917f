/**
 * Workers, the server and the store of the Temporal engine are killed or taken away in the middle of runs: nothing is lost,
 * nothing is recorded twice, and the log says what happened (B10).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { KeelsonError, problem } from '../../src/core/problems/problem.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { expectSound } from '../fixtures/temporal-log.ts'
import { began, isHeld, startWorker, workerSteps } from '../fixtures/temporal-worker.ts'
import { eventsOf, logHas, temporalWorld, type TemporalWorld } from '../fixtures/temporal-world.ts'
import { until } from '../fixtures/until.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'
import { servicesOf } from '../../src/library/services-of.ts'

let server: TemporalServer
const folders: string[] = []

beforeAll(async () => {
  server = await startTemporal({ lasting: true })
}, 600_000)
afterAll(async () => {
  await server?.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-temporal-recovery-'))
  folders.push(folder)
  return folder
}

/** Calls that a store which is away refuses before it comes back: those of more than one try of the outcome. */
const REFUSED = 8

const open = (directory: string, stepId: string): void => writeFileSync(join(directory, `open-${stepId}`), '')

/** A process that starts runs and watches them, and has no worker. */
function client(directory: string, taskQueue: string): Promise<TemporalWorld> {
  return temporalWorld(server.address, workerSteps(directory), { taskQueue, worker: false, open: { directory } })
}

const CHAIN = `
plan: chain
version: 1.0.0
steps:
  - { id: a, run: echo, with: {} }
  - { id: b, dependsOn: [a], run: gated }
  - { id: c, dependsOn: [b], run: echo, with: {} }
`

describe('a worker that is killed in the middle of a step', () => {
  it('is replaced by another: the attempt goes on there, without a new event [P-03, P-27, TMP-09]', async () => {
    const directory = newFolder()
    const engine = { address: server.address, taskQueue: 'killed' }
    const world = await client(directory, 'killed')
    const first = await startWorker({ directory, engine })
    const run = await world.start(CHAIN)
    await until(() => began(directory).includes(`${first.pid} b#1/1`))
    const before = await eventsOf(run)
    await first.kill9()
    const second = await startWorker({ directory, engine })
    await until(() => began(directory).includes(`${second.pid} b#1/2`))
    expect(await eventsOf(run)).toEqual(before)
    open(directory, 'b')
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    await expectSound(world.keelson, run)
    const ends = (await run.records()).filter(({ eventType }) => eventType === 'StepCompleted')
    expect(ends.map(({ stepId, engineAttemptId }) => [stepId, engineAttemptId])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 1],
    ])
    expect((await world.keelson.run(run.runId)).row.epoch).toBe(1)
    await second.stop()
    await world.close()
  })
})

describe('a worker that is killed in the middle of a decision', () => {
  it('is replaced by another, which decides it: nothing was recorded before, and it is recorded once [P-38]', async () => {
    const directory = newFolder()
    const engine = { address: server.address, taskQueue: 'undecided' }
    const world = await client(directory, 'undecided')
    const first = await startWorker({ directory, engine, holds: true })
    const run = await world.start(CHAIN)
    await until(() => began(directory).includes(`${first.pid} b#1/1`))
    const before = await eventsOf(run)
    writeFileSync(join(directory, 'hold'), '')
    await run.pause('stand still')
    await until(() => isHeld(directory))
    const held = performance.now()
    const second = await startWorker({ directory, engine })
    await first.kill9()
    const killed = performance.now()
    expect(await eventsOf(run)).toEqual(before)
    // On a busy machine the first worker may have come to the second way of deciding, whose minute must run out first.
    await logHas(run, 'RunPaused', 150_000)
    const [sinceHeld, sinceKilled] = [held, killed].map((from) => Math.round(performance.now() - from))
    console.log(`decided ${sinceKilled} ms after the kill of its first worker, ${sinceHeld} ms after that one began`)
    await run.resume('go on')
    open(directory, 'b')
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const events = await expectSound(world.keelson, run)
    expect(events.filter((one) => /^Run(Paused|Resumed)$/.test(one))).toEqual(['RunPaused', 'RunResumed'])
    expect((await world.keelson.run(run.runId)).row.epoch).toBe(1)
    await second.stop()
    await world.close()
  }, 300_000)
})

describe('a server that is killed in the middle of a run', () => {
  it('is started again on its data, and every run goes on to its end, recorded once [P-38]', async () => {
    const directory = newFolder()
    const world = await temporalWorld(server.address, workerSteps(directory), {
      taskQueue: 'restarted',
      open: { directory },
    })
    const waiting = await world.start(CHAIN)
    await until(() => began(directory).some((one) => one.endsWith(' b#1/1')))
    const runs = [waiting]
    for (let count = 0; count < 5; count++) runs.push(await world.start(CHAIN))
    await server.kill9()
    // A step that ends while there is no server: its outcome is recorded, and told to the workflow later.
    open(directory, 'b')
    await logHas(waiting, 'StepCompleted b#1')
    await server.restart()
    for (const run of runs) {
      await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
      const events = await expectSound(world.keelson, run)
      expect(events.filter((one) => one.startsWith('Step'))).toHaveLength(6)
    }
    await world.close()
  }, 180_000)
})

describe('a store that is away when a step ends', () => {
  it('gets the outcome when it is back, once, and the step is not carried out again [P-38]', async () => {
    const directory = newFolder()
    const inner = await openSqliteStore({ path: join(directory, 'other.db'), clock: systemClock })
    const away = { is: false, refused: 0 }
    const store = unlessAway(inner, away)
    const world = await temporalWorld(server.address, workerSteps(directory), {
      taskQueue: 'away',
      open: { directory, store, keysDirectory: join(directory, 'keys') },
    })
    const run = await world.start(CHAIN)
    await until(() => began(directory).some((one) => one.endsWith('b#1/1')))
    away.is = true
    open(directory, 'b')
    await until(() => away.refused >= REFUSED)
    away.is = false
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    expect((await eventsOf(run)).filter((one) => one.includes(' b#1'))).toEqual([
      'StepStarted b#1',
      'StepCompleted b#1',
    ])
    expect(began(directory).filter((one) => one.includes(' b#'))).toHaveLength(1)
    await world.close()
  })
})

/** Every call of it fails for as long as the store is away, as that of a database that cannot be reached. */
function unlessAway(inner: RunStore, away: { readonly is: boolean; refused: number }): RunStore {
  return new Proxy(inner, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...args: readonly unknown[]): unknown => {
        if (!away.is) return Reflect.apply(member, target, args)
        away.refused += 1
        return Promise.reject(new KeelsonError([problem('STORE_UNAVAILABLE', 'the store is away')]))
      }
    },
  })
}

describe('two workers on one store and one queue', () => {
  it('share the steps of a run, and who loses the commit leaves its outcome as an inbox row [P-12]', async () => {
    const directory = newFolder()
    const engine = { address: server.address, taskQueue: 'shared', maxSteps: 20 }
    const world = await client(directory, 'shared')
    const workers = await Promise.all([startWorker({ directory, engine }), startWorker({ directory, engine })])
    const plan = `
plan: shared
version: 1.0.0
policy: { concurrency: 100 }
steps:
  - { id: each, forEach: input.list, run: echo, with: { n: '\${item}' } }
  - { id: again, dependsOn: [each], forEach: input.list, run: echo, with: { n: '\${item}' } }
`
    const slots = ['each', 'again'].flatMap((id) => Array.from({ length: 60 }, (_, n) => `${id}[${n}]`))
    const { store } = servicesOf(world.keelson)
    let inboxRows = 0
    // Who loses is a matter of milliseconds, and sometimes nobody does.
    for (let runs = 1; inboxRows === 0 && runs <= 20; runs += 1) {
      const run = await world.start(plan, { list: Array.from({ length: 60 }, (_, n) => n) })
      await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
      const events = await expectSound(world.keelson, run)
      expect(events.filter((one) => /^StepCompleted .*\[/.test(one))).toHaveLength(120)
      const found = slots.map((slot) => store.findInbox(run.row.runKey, `outcome:ExecuteStep:${slot}:1:1`))
      inboxRows = (await Promise.all(found)).filter((one) => one !== undefined).length
      const lines = began(directory)
      expect(lines).toHaveLength(120 * runs)
      for (const { pid } of workers) expect(lines.filter((one) => one.startsWith(`${pid} `)).length).toBeGreaterThan(5)
    }
    expect(inboxRows).toBeGreaterThan(0)
    for (const worker of workers) await worker.stop()
    await world.close()
  })
})
