/**
 * A Temporal server that keeps its data in a file is killed with SIGKILL at random moments while several runs are in flight,
 * and started again: every run goes on and comes to its end, and its log is sound (B10). KEELSON_SERVER_KILLS sets how often
 * (20 for the full suite), KEELSON_SEED repeats the choices of a run.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isTerminalRun } from '../../src/core/run/state/transitions.ts'
import type { RunHandle, StepContext } from '../../src/main.ts'
import { expectSound } from '../fixtures/temporal-log.ts'
import { temporalWorld, type TemporalWorld } from '../fixtures/temporal-world.ts'
import { until } from '../fixtures/until.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'
import { Rng } from '../sim/random.ts'
import { SEED } from '../setup/seed.ts'
import { servicesOf } from '../../src/library/services-of.ts'

const KILLS = Number(process.env['KEELSON_SERVER_KILLS'] ?? 1)
const IN_FLIGHT = 6
/** From the last start of a run to the kill, and from the kill to the server's return, at most. */
const BEFORE_MS = 2_000
const AWAY_MS = 2_000

const rng = new Rng(SEED)
/** Apart from the other, since steps come to it in any order. */
const pace = new Rng(SEED + 1)
const steps = {
  work: async (_input: unknown, { signal }: StepContext) =>
    void (await pause(pace.int(20, 200), undefined, { signal })),
  flaky: (_input: unknown, { attempt }: StepContext) => {
    if (attempt < 3) throw new Error('not yet')
  },
}

const RETRY = 'retry: { maxAttempts: 5, initialBackoffMs: 200, backoffMultiplier: 1 }'
const PLANS = [
  `plan: chain
version: 1.0.0
steps:
${Array.from({ length: 30 }, (_, n) => `  - { id: s${n}, run: work }`).join('\n')}
`,
  `plan: fan
version: 1.0.0
policy: { concurrency: 5 }
steps:
  - { id: each, forEach: input.list, run: work }
  - { id: last, dependsOn: [each], run: work }
`,
  `plan: mixed
version: 1.0.0
policy: { concurrency: 4 }
steps:
  - { id: a, run: work, dependsOn: [] }
  - { id: try, run: flaky, dependsOn: [a], ${RETRY} }
  - { id: nap, wait: { forMs: 1500 }, dependsOn: [a] }
  - { id: z, run: work, dependsOn: [try, nap] }
`,
]

let server: TemporalServer
let world: TemporalWorld

beforeAll(async () => {
  server = await startTemporal({ lasting: true })
  world = await temporalWorld(server.address, steps)
}, 600_000)
afterAll(async () => {
  await world?.close()
  await server?.stop()
})

const rowOf = async (run: RunHandle) => (await world.keelson.run(run.runId)).row
const input = { list: Array.from({ length: 80 }, (_, n) => n) }

async function inFlight(runs: readonly RunHandle[]): Promise<readonly RunHandle[]> {
  const rows = await Promise.all(runs.map(rowOf))
  return runs.filter((_, at) => !isTerminalRun(rows[at]?.status ?? 'COMPLETED'))
}

/** Until every run that was in flight when the server came back has moved since, or ended. */
async function recovered(runs: readonly RunHandle[]): Promise<number> {
  const back = performance.now()
  const before = await Promise.all(runs.map(rowOf))
  for (const { runKey, nextSeq } of before)
    await until(async () => {
      const row = await servicesOf(world.keelson).store.getRun(runKey)
      return row !== undefined && (row.nextSeq > nextSeq || isTerminalRun(row.status))
    })
  return Math.round(performance.now() - back)
}

it(
  'every run in flight outlives the deaths of its server, and is recorded once [P-38]',
  async () => {
    console.log(`temporal-server-kills: KEELSON_SEED=${SEED} KEELSON_SERVER_KILLS=${KILLS}`)
    const runs: RunHandle[] = []
    const times: number[] = []
    for (let kill = 1; kill <= KILLS; kill += 1) {
      for (let missing = IN_FLIGHT - (await inFlight(runs)).length; missing > 0; missing -= 1)
        runs.push(await world.start(rng.pick(PLANS), input))
      await pause(rng.int(0, BEFORE_MS))
      await server.kill9()
      const hit = await inFlight(runs)
      await pause(rng.int(0, AWAY_MS))
      await server.restart()
      times.push(await recovered(hit))
      console.log(`kill ${kill}: ${hit.length} runs in flight, all moved again ${times.at(-1)} ms after its return`)
    }
    const ends = await Promise.all(runs.map((run) => run.result()))
    expect(ends.map(({ status }) => status)).toEqual(runs.map(() => 'COMPLETED'))
    for (const run of runs) await expectSound(world.keelson, run)
    const sorted = times.toSorted((a, b) => a - b)
    console.log(
      `${KILLS} kills, ${runs.length} runs: back within ${sorted[Math.floor(KILLS / 2)]} ms (median), ${sorted.at(-1)} ms (longest)`,
    )
  },
  120_000 + KILLS * 60_000,
)
