/**
 * Four worker processes on one PostgreSQL, a fifth that keeps them busy, and at least fifty faults: workers killed, stopped
 * past their lease and continued, cut off from the database for a moment or past their lease, connections ended by the server.
 * Afterwards a judge that reads only what was written down outside the product and the tables finds nothing wrong.
 * KEELSON_SEED fixes which faults come when, KEELSON_FAULTS how many.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { startToxiproxy, type Toxiproxy } from '../setup/toxiproxy.ts'
import { Fleet } from './processes/fleet.ts'
import { judge, type Verdict } from './processes/judge.ts'
import { Look } from './processes/look.ts'
import { Poller } from './processes/poller.ts'
import { Storm } from './processes/storm.ts'
import { SEED } from '../setup/seed.ts'

const FAULTS = Number(process.env['KEELSON_FAULTS'] ?? 52)
const WORKERS = 4
const LEASE_MS = 2_000
const POLL_MS = 250
/** After the last fault: a lease runs out, somebody takes over, waits end, runs finish. */
const REST_MS = 120_000
const PER_FAULT_MS = 3_000
const UNFINISHED = `SELECT run_id FROM keelson.runs
  WHERE quarantine IS NULL AND status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED') LIMIT 1`

let server: PostgresServer
let toxiproxy: Toxiproxy | undefined
let fleet: Fleet
let look: Look
let reader: Look
beforeAll(async () => {
  server = await startPostgres()
  toxiproxy = await startToxiproxy()
  const url = await server.createDatabase('fleet')
  fleet = new Fleet({ url, toxiproxy, leaseMs: LEASE_MS, pollMs: POLL_MS })
  look = await Look.open(url)
  reader = await Look.open(url)
})
afterAll(async () => {
  await fleet.scrap()
  await Promise.all([look.close(), reader.close()])
  await toxiproxy?.stop()
  await server.stop()
})

/** Without its proxy a member cannot be cut off; the other faults take the place of those. */
function kinds() {
  return { kill: 3, stop: 2, terminate: 3, ...(toxiproxy === undefined ? {} : { cut: 6, partition: 2 }) }
}

function tell({ runs, events, signals, commits, effects, takeOvers }: Verdict, storm: Storm, restMs: number): void {
  const fired = Map.groupBy(storm.faults, ({ kind }) => kind)
  const counts = [...fired].map(([kind, all]) => `${all.length} ${kind}`).join(', ')
  const middle = takeOvers[Math.floor(takeOvers.length / 2)] ?? 0
  console.log(
    [
      `fleet: KEELSON_SEED=${SEED} KEELSON_FAULTS=${FAULTS}: ${storm.faults.length} faults (${counts})`,
      `  ${runs} runs, ${events} events, ${signals} signals acknowledged; all at rest ${restMs} ms after the last fault`,
      `  ${commits.acknowledged} commits acknowledged, ${commits.doubtful} in doubt of which ${commits.lostAnswers} were made; ${commits.refusedStale} writes under an old epoch refused`,
      `  ${effects.executions} executions of ${effects.attempts} attempts: ${effects.repeated} repeated after a take-over, ${effects.excused} late after a stop`,
      `  ${takeOvers.length} take-overs: p50 ${middle} ms, max ${takeOvers.at(-1) ?? 0} ms; lease + 2 s is ${LEASE_MS + 2_000} ms`,
    ].join('\n'),
  )
}

/** Faults that nothing felt prove nothing: the kinds that came must have left their marks. */
function expectFelt({ commits, effects, takeOvers }: Verdict, storm: Storm): void {
  if (FAULTS < 50) return
  const kindsSeen = new Set(storm.faults.map(({ kind }) => kind))
  expect([...kindsSeen].sort()).toEqual(Object.keys(kinds()).sort())
  expect(commits.refusedStale).toBeGreaterThan(0)
  expect(effects.repeated).toBeGreaterThan(0)
  if (toxiproxy !== undefined) expect(commits.lostAnswers).toBeGreaterThan(0)
  expect(takeOvers[Math.floor(takeOvers.length / 2)]).toBeLessThanOrEqual(LEASE_MS + 2_000)
}

it(
  'a fleet under kills, stops, cuts and lost connections loses nothing, doubles nothing and comes to rest [P-10, STO-02, STO-08, SSM-13]',
  { timeout: 90_000 + FAULTS * PER_FAULT_MS },
  async () => {
    for (let number = 1; number <= WORKERS; number++) await fleet.addWorker(`worker-${number}`)
    const driver = await fleet.addDriver({ seed: SEED, paceMs: 60, most: 24 })
    await fleet.areUp(...fleet.members)
    const poller = new Poller(reader)
    poller.start()
    const storm = new Storm({ fleet, look, seed: SEED, faults: FAULTS, leaseMs: LEASE_MS, kinds: kinds() })
    await storm.rage()
    const calm = Date.now()
    await driver.end('SIGTERM')
    const isQuiet = async () => ((await look.rows(UNFINISHED)).length === 0 ? true : undefined)
    const quiet = await look.until('rest', REST_MS, isQuiet).catch(() => false)
    const restMs = Date.now() - calm
    await poller.stop()
    const died = fleet.members.filter((member) => member !== driver && !member.isAlive)
    const verdict = await judge({ look, folder: fleet.folder, faults: storm.faults, orphans: storm.orphans, poller })
    tell(verdict, storm, restMs)
    expect(verdict.violations).toEqual([])
    expect(died.map(({ name, told }) => `${name}: ${told}`)).toEqual([])
    expect(quiet).toBe(true)
    expect(storm.faults.length).toBe(FAULTS)
    expectFelt(verdict, storm)
  },
)
