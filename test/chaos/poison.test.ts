/**
 * Bad rows, one run each, planted behind the store's back; then an engine starts as a server would. Exactly the damaged
 * runs are set aside (or failed, or mended where the row was only a cache), and every other run finishes (C7).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EmbeddedEngine } from '../../src/adapters/engines/embedded/engine.ts'
import { functionHandlers } from '../../src/adapters/handlers/functions.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import { systemTimers } from '../../src/adapters/system/timers.ts'
import { RunAdvancer } from '../../src/app/advance/advance-run.ts'
import { LeftAlone } from '../../src/app/engines/left-alone.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { createRunDriver } from '../../src/app/engines/run-driver.ts'
import type { Services } from '../../src/app/services.ts'
import { startRun } from '../../src/app/start/start-run.ts'
import type { RunKey, RunRow, RunStore, StoredEvent } from '../../src/ports/run-store.ts'
import { planOf } from '../fixtures/virtual-world.ts'
import { POISONS, type Fate } from './poison-cases.ts'
import { memoryPlanter, postgresPlanter, sqlitePlanter, type Planter } from './poison-planters.ts'

const HEALTHY = 5
const OWNER = 'poison-test'

const STEPS = `steps:
  - { id: a, run: f, capture: [{ destination: seen }] }
  - { id: w, wait: { forMs: 1 } }
  - { id: b, run: g, retry: { maxAttempts: 1 }, with: { seen: '\${context.seen}' } }`

interface Made {
  readonly row: RunRow
  readonly events: readonly StoredEvent[]
}

function servicesOn(store: RunStore): Services {
  const handlers = functionHandlers({ f: () => 'seen it', g: () => 'done' })
  return { store, clock: systemClock, random: systemRandom, timers: systemTimers, handlers }
}

/** A run that waits and that nobody drives. Each has a plan of its own, so that damage to one is damage to one run. */
async function makeRun(services: Services, advancer: RunAdvancer, index: number): Promise<Made> {
  const { store } = services
  const plan = planOf(`plan: poison-${index}\nversion: 1.0.0\ncontext: { seen: null }\n${STEPS}`)
  const engine = { engineType: 'embedded', maxInFlight: 100 } as const
  const { row } = await startRun(services, advancer, { plan, input: { index }, principal: LOCAL_PRINCIPAL, engine })
  const result = { kind: 'completed', output: `seen ${index}`, artifactRefs: [], durationMs: 1 } as const
  await advancer.advance(row.runKey, { reports: [{ slot: 'a', attempt: 1, engineAttempt: 1, result }] })
  const now = (await store.getRun(row.runKey)) ?? row
  return { row: now, events: await store.readEvents(row.runKey, {}) }
}

interface Outcome {
  readonly rows: ReadonlyMap<RunKey, RunRow>
  readonly eventsLeft: ReadonlyMap<RunKey, number>
  readonly poisoned: readonly Made[]
  readonly healthy: readonly Made[]
}

/** Fills the store, damages it, starts an engine on it, and looks at what it left when every run it may drive is settled. */
async function plantAndStart(planter: Planter): Promise<Outcome> {
  const filling = await planter.open()
  const services = servicesOn(filling)
  const advancer = new RunAdvancer(services)
  const numbers = Array.from({ length: POISONS.length + HEALTHY }, (_, index) => index)
  const made = await Promise.all(numbers.map((index) => makeRun(services, advancer, index)))
  // Healthy runs lie between the damaged ones.
  const healthy = made.filter((_, index) => index % Math.floor(made.length / HEALTHY) === 0).slice(0, HEALTHY)
  const poisoned = made.filter((run) => !healthy.includes(run))
  const other = healthy[0] as Made
  for (const [index, poison] of POISONS.entries())
    await poison.plant({ ...(poisoned[index] as Made), store: filling, planter, other })
  await filling.close()
  const left = new Set(poisoned.filter((_, index) => POISONS[index]?.fate === 'left').map(({ row }) => row.runKey))
  const keys = made.map(({ row }) => row.runKey)
  const store = await planter.open()
  await drive(store, new Set(keys.filter((key) => !left.has(key))))
  const rows = new Map<RunKey, RunRow>()
  const eventsLeft = new Map<RunKey, number>()
  for (const key of keys) {
    const row = await store.getRun(key)
    if (row !== undefined) rows.set(key, row)
    eventsLeft.set(key, (await store.readEvents(key, {})).length)
  }
  await store.close()
  return { rows, eventsLeft, poisoned, healthy }
}

async function drive(store: RunStore, open: Set<RunKey>): Promise<void> {
  const services = servicesOn(store)
  const advancer = new RunAdvancer(services)
  const { handlers } = services
  const leftAlone = new LeftAlone({ store, plans: advancer.plans, handlers, owner: OWNER })
  const settled = Promise.withResolvers<void>()
  const settle = (runKey: RunKey): void => {
    open.delete(runKey)
    if (open.size === 0) settled.resolve()
  }
  const engine = new EmbeddedEngine({
    store,
    driver: createRunDriver(services, advancer, {}),
    clock: systemClock,
    timers: systemTimers,
    owner: OWNER,
    pollMs: 20,
    adoptOthers: true,
    canDrive: (row, hold) => leftAlone.mayDrive(row, hold),
    onProgress: (runKey, report) => {
      if (report.terminal) settle(runKey)
    },
    onLost: (runKey, problem) => {
      settle(runKey)
      void leftAlone.lost(runKey, problem)
    },
  })
  const tooLong = systemTimers.after(40_000, () =>
    settled.reject(new Error(`never settled: runs ${[...open].join(', ')}`)),
  )
  try {
    await settled.promise
  } finally {
    tooLong()
    await engine.stop()
  }
}

const FATES: { readonly [fate in Fate]: object } = {
  'set aside': { quarantine: expect.any(String) as unknown },
  well: { status: 'COMPLETED' },
  failed: { status: 'FAILED' },
  left: { status: 'RUNNING', epoch: 1 },
}

describe.each([
  ['memory', memoryPlanter],
  ['SQLite', sqlitePlanter],
  ['PostgreSQL', postgresPlanter],
] as const)('a %s store with bad rows in it', (name, makePlanter) => {
  let planter: Planter
  let outcome: Outcome
  beforeAll(async () => {
    planter = await makePlanter()
    outcome = await plantAndStart(planter)
  })
  afterAll(() => planter.close())

  // On SQLite an event is filed under nothing that is read: its type and its key are those that its record says.
  const fateOf = (poison: (typeof POISONS)[number]): Fate =>
    name === 'SQLite' && poison.name.includes('is filed under') ? 'well' : poison.fate

  it.each(POISONS.map((poison, index) => [poison.name, fateOf(poison), index] as const))(
    '%s: the run is %s',
    (_poison, fate, index) => {
      const { row } = outcome.poisoned[index] as Made
      const found = outcome.rows.get(row.runKey)
      expect(found).toMatchObject(FATES[fate])
      if (fate !== 'set aside') expect(found?.quarantine).toBeUndefined()
      // What is set aside or left alone is not written to.
      if (fate === 'set aside' || fate === 'left') expect(outcome.eventsLeft.get(row.runKey)).toBeLessThanOrEqual(5)
    },
  )

  it('finishes every other run, and sets none of them aside (C7)', () => {
    const rows = outcome.healthy.map(({ row }) => outcome.rows.get(row.runKey))
    expect(rows.map((row) => [row?.status, row?.quarantine])).toEqual(rows.map(() => ['COMPLETED', undefined]))
  })
})

it('plants at least sixty kinds of damage (C7)', () => {
  expect(new Set(POISONS.map(({ name }) => name)).size).toBe(POISONS.length)
  expect(POISONS.length).toBeGreaterThanOrEqual(60)
})
