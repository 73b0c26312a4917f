/**
 * Two servers on one PostgreSQL under a load of starts, of which one is killed every few seconds and started again. Nothing is lost and
 * nothing doubled: runs, occurrences of a schedule, events of a stream. KEELSON_SEED fixes who is killed when.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { DEFAULT_LEASE_MS } from '../../src/adapters/engines/embedded/engine-options.ts'
import { testFolder } from '../fixtures/folder.ts'
import { until } from '../fixtures/until.ts'
import { folderWith, keelson } from '../e2e/command.ts'
import { extent } from '../setup/extent.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { SEED } from '../setup/seed.ts'
import { Look } from './processes/look.ts'
import { followToEnd } from './servers/reader.ts'
import { ServerPair } from './servers/pair.ts'
import { Starts } from './servers/starts.ts'

const FOR_MS = extent(20_000, 60_000)
const BETWEEN_KILLS_MS = 3_000
const CONCURRENCY = 4
const STREAMS = 6
const LONG_STEPS = extent(40, 200)

const QUICK = 'plan: quick\nversion: 1.0.0\nsteps: [{ id: work, run: work }]\n'
const TICK = 'plan: tick\nversion: 1.0.0\nsteps: [{ id: work, run: work }]\n'
/** Takes about as long as the storm, on a quiet machine. */
const LONG = `plan: long\nversion: 1.0.0\nsteps:\n${Array.from({ length: LONG_STEPS }, (_, n) => `  - { id: s${n}, run: slow }`).join('\n')}\n`
const STEPS = `import { setTimeout as pause } from 'node:timers/promises'
export const work = () => 1
export const slow = () => pause(250)
`

let postgres: PostgresServer
let store: string
let look: Look
let pair: ServerPair

function folderOfPlans(): string {
  return folderWith({ 'quick.yaml': QUICK, 'tick.yaml': TICK, 'long.yaml': LONG, 'keelson.steps.mjs': STEPS })
}

beforeAll(async () => {
  postgres = await startPostgres()
  store = await postgres.createDatabase('servers')
})
afterAll(() => postgres.stop())

async function ask(method: string, path: string, body?: unknown): Promise<ReturnType<typeof JSON.parse>> {
  const response = await fetch(`${pair.urls[0]}${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return text === '' ? undefined : JSON.parse(text)
}

/** Kills in turn, each time as early as the seed says; the other server is always there. */
async function storm(): Promise<void> {
  let chance = SEED
  const began = performance.now()
  for (let round = 0; performance.now() - began < FOR_MS; round += 1) {
    chance = (chance * 48_271) % 2_147_483_647
    await pause(BETWEEN_KILLS_MS / 2 + (chance % (BETWEEN_KILLS_MS / 2)))
    await pair.kill(round % 2)
    await pair.start(round % 2)
  }
}

/**
 * Of every long run that a server drove when it was killed: how long nothing happened to it. Where the next server was killed too before
 * anything happened, it counts from that death on: nobody can take over for a dead one.
 */
async function takeOvers(): Promise<readonly number[]> {
  const rows = await look.rows(`SELECT r.run_id AS run, e.persisted_at AS at FROM keelson.events e
    JOIN keelson.runs r USING (run_key) WHERE r.plan_id = 'long' ORDER BY r.run_id, e.seq`)
  const times = Map.groupBy(rows, ({ run }) => String(run))
  const quiet = [...times.values()].flatMap((events) => {
    const at = events.map((event) => Number(event['at']))
    return at.slice(1).map((next, index) => ({ from: at[index] ?? 0, ms: next - (at[index] ?? 0) }))
  })
  return quiet
    .flatMap(({ from, ms }) => {
      const last = pair.kills.findLast(({ at }) => at >= from && at <= from + ms)
      return ms > 1_000 && last !== undefined ? [from + ms - last.at] : []
    })
    .sort((a, b) => a - b)
}

it(
  'two servers of which one is killed every few seconds lose no run, double none, and tick once each time [IDC-06, STO-08]',
  { timeout: 600_000 },
  async () => {
    const folder = folderOfPlans()
    pair = await ServerPair.open({ folder, store, keysDir: testFolder() })
    look = await Look.open(store)
    onTestFinished(async () => {
      await pair.stop()
      await look.close()
    })
    await ask('POST', '/v1/schedules', {
      scheduleId: 'tick',
      planId: 'tick',
      every: '1s',
      overlap: 'allow',
      catchUp: 'all',
    })
    const long = await Promise.all(
      Array.from(
        { length: STREAMS },
        async () => (await ask('POST', '/v1/executions', { planId: 'long' })).executionId,
      ),
    )
    const followed = Promise.all(long.map((id: string, index) => followToEnd(pair.urls, id, index)))
    const starts = new Starts(pair.urls)
    const load = starts.run(CONCURRENCY)
    await storm()
    starts.end()
    await load
    const streams = await followed
    await ask('POST', '/v1/schedules/tick/pause', {})
    await until(async () => {
      const [row] = await look.rows(
        `SELECT count(*) AS open FROM keelson.runs WHERE status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')`,
      )
      return Number(row?.['open']) === 0
    })

    expect(starts.wrong).toEqual([])
    const runsOf = async (planId: string): Promise<readonly string[]> =>
      (await look.rows('SELECT run_id, status FROM keelson.runs WHERE plan_id = $1 ORDER BY run_id', [planId])).map(
        ({ run_id: id, status }) => `${String(id)} ${String(status)}`,
      )
    const ids = starts.started.map(({ executionIds }) => [...new Set(executionIds)])
    expect(ids.filter((each) => each.length !== 1)).toEqual([])
    expect(await runsOf('quick')).toEqual(
      ids
        .flat()
        .map((id) => `${id} COMPLETED`)
        .sort(),
    )
    const repeated = starts.started.filter((_, index) => index % 10 === 0)
    const again = await Promise.all(repeated.map((one) => starts.again(one)))
    expect(again).toEqual(repeated.map(({ executionIds }) => executionIds[0]))

    const ticks = (await runsOf('tick')).map((line) => line.split(' '))
    expect(new Set(ticks.map(([, status]) => status))).toEqual(new Set(['COMPLETED']))
    const seconds = ticks.map(([id = '']) => secondOf(id))
    const first = Math.min(...seconds)
    expect(seconds).toEqual(seconds.map((_, index) => first + index))
    // How many there are by now, the machine decides; none is left out and none came twice.
    expect(seconds.length).toBeGreaterThan(2)

    for (const { seqs, end } of streams) {
      expect(seqs).toEqual(seqs.map((_, index) => index + 1))
      expect(end).toMatchObject({ status: 'COMPLETED', lastEventSeq: seqs.length })
    }
    expect(streams.some(({ connections }) => connections > 1)).toBe(true)

    const quiet = await takeOvers()
    console.log(
      [
        `servers: KEELSON_SEED=${SEED}: ${pair.kills.length} kills in ${FOR_MS} ms, ${ids.length} starts with ${starts.repeats} repeats, ${ticks.length} ticks`,
        `  ${streams.length} streams over ${streams.reduce((sum, { connections }) => sum + connections, 0)} connections`,
        `  ${quiet.length} take-overs: least ${quiet[0] ?? 0} ms, p50 ${quiet[Math.floor(quiet.length / 2)] ?? 0} ms, max ${quiet.at(-1) ?? 0} ms`,
      ].join('\n'),
    )
    // A server that died on this machine is known to be dead: nobody waits for its lease, or not even the quickest of them would
    // be below half of it. How long the others take, the machine decides.
    expect(quiet[0] ?? 0).toBeLessThan(DEFAULT_LEASE_MS / 2)
    expect(await pair.stop()).toEqual([0, 0])
    const proof = await keelson(['verify', '--store', '--json'], folder, undefined, { KEELSON_STORE: store })
    expect([proof.code, proof.stderr]).toEqual([0, ''])
  },
)

/** `tick-20260601T003000000Z`: the occurrence is in the id of its run. */
function secondOf(runId: string): number {
  const [, y, mo, d, h, mi, s, ms] = /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/.exec(runId) ?? []
  return Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}.${ms}Z`) / 1_000
}
