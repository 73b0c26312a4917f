/** Runs of a later version: not driven, not failed, not held, while everything else goes on. */
import { expect, it } from 'vitest'
import { functionHandlers } from '../../adapters/handlers/functions.ts'
import { RULES_VERSION } from '../../core/run/state/state.ts'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import type { RunKey } from '../../ports/run-store.ts'
import { reseal } from '../../../test/fixtures/reseal.ts'
import { World, type Process } from '../../../test/fixtures/virtual-world.ts'
import { EmbeddedEngine } from '../../adapters/engines/embedded/engine.ts'
import { LeftAlone } from './left-alone.ts'
import { createRunDriver } from './run-driver.ts'

const PLAN = 'steps: [{ id: w, wait: { forMs: 1000 } }, { id: b, run: f }]'

/** An engine wired as in the library, over a process that does not drive by itself. */
function engineOf(process: Process): { engine: EmbeddedEngine; lost: string[] } {
  const { services, advancer, store, world, name } = process
  const lost: string[] = []
  const leftAlone = new LeftAlone({
    store,
    plans: advancer.plans,
    handlers: functionHandlers({ f: () => 1 }),
    owner: name,
  })
  const engine = new EmbeddedEngine({
    store,
    driver: createRunDriver(services, advancer, {}),
    clock: world.time,
    timers: services.timers,
    owner: name,
    adoptOthers: true,
    canDrive: (row, hold) => leftAlone.mayDrive(row, hold),
    onLost: (runKey, thrown) => {
      lost.push(thrown instanceof KeelsonError ? thrown.code : 'UNKNOWN')
      void leftAlone.lost(runKey, thrown)
    },
  })
  return { engine, lost }
}

async function abandoned(world: World): Promise<RunKey> {
  const answer = await world.process('first').create(PLAN, { lease: { owner: 'first', until: 0 } })
  return answer.row.runKey
}

/** Adds an event to the run's log that only a later version writes, sealed as that version would. */
function addFuture(world: World, key: RunKey): void {
  const run = world.disk.runs[key - 1]
  if (run === undefined) throw new Error('no run')
  const events = reseal(world.records(key), (records) => {
    const last = records.at(-1)
    if (last === undefined) return records
    const runSeq = last.runSeq + 1
    const { stepId: _stepId, ...rest } = last
    return [
      ...records,
      { ...rest, runSeq, eventType: 'RunDreamt', payload: {}, decision: { firstSeq: runSeq, cause: 'dream' } },
    ]
  })
  run.events.splice(0, run.events.length, ...events)
  run.row = { ...run.row, nextSeq: events.length + 1, headHash: events.at(-1)?.chainHash ?? run.row.headHash }
}

it('leaves a run alone that wants rules of a later version, and drives the others', async () => {
  const world = new World()
  const newer = await abandoned(world)
  const known = await abandoned(world)
  const run = world.disk.runs[newer - 1]
  if (run !== undefined) run.row = { ...run.row, minRulesVersion: RULES_VERSION + 1 }
  const before = structuredClone(world.row(newer))
  const { lost } = engineOf(world.process('second'))
  await world.runUntil(() => world.hasEnded(known))
  await world.advanceBy(60_000)
  expect(world.row(newer)).toEqual(before)
  expect(world.row(known).status).toBe('COMPLETED')
  expect(lost).toEqual([])
})

it('gives a run back at once and for good whose log holds an event it does not know', async () => {
  const world = new World()
  const newer = await abandoned(world)
  const known = await abandoned(world)
  addFuture(world, newer)
  const events = world.disk.runs[newer - 1]?.events.length
  const { lost } = engineOf(world.process('second'))
  await world.runUntil(() => world.hasEnded(known))
  await world.advanceBy(60_000)
  const row = world.row(newer)
  expect(lost).toEqual(['RULES_VERSION_UNKNOWN'])
  expect(row).toMatchObject({ status: 'RUNNING', epoch: 1 })
  expect(row.quarantine).toBeUndefined()
  expect(row.lease).toBeUndefined()
  expect(world.disk.runs[newer - 1]?.events.length).toBe(events)
})

it('never throws: a run whose plan cannot be read is left to whoever sets it aside', async () => {
  const world = new World()
  const process = world.process('only')
  const { store } = process
  const plans = {
    known: () => undefined,
    get: () => Promise.reject(new KeelsonError([problem('PLAN_INTEGRITY_VALIDATION_FAILED', 'changed')])),
  }
  const left = new LeftAlone({ store, plans, handlers: functionHandlers({}), owner: 'only' })
  const row = world.row(await abandoned(world))
  expect(await left.mayDrive(row, async () => row)).toBe(true)
})
