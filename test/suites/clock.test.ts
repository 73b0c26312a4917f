/**
 * The machine's clock is set by an hour, forward and back, in the middle of runs on every engine: `Date.now` is replaced, as the
 * real one would answer, while elapsed time goes on. No test here may take anywhere near the hour.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { temporal } from '../../src/adapters/engines/temporal/engine.ts'
import { SimulatedTime } from '../../src/adapters/engines/mock/simulated-time.ts'
import { loadPlan, openKeelson, type ClockJump, type Keelson, type OpenOptions } from '../../src/main.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'
import { until } from '../fixtures/until.ts'
import { testFolder } from '../fixtures/folder.ts'

const HOUR = 3_600_000
const realNow = Date.now

let folder = ''
let server: TemporalServer
let calls: string[] = []
let jumps: ClockJump[] = []
/** Sets the clock of the world at hand. */
let setClock: (byMs: number) => void = () => undefined
let byMs = 0
let end: () => void = () => undefined

const steps = {
  /** Fails once, and the clock is set before the second try. */
  flaky: (): string => {
    calls.push('flaky')
    if (calls.length > 1) return 'done'
    setClock(byMs)
    throw new Error('again')
  },
  slow: async (): Promise<string> => {
    calls.push('slow')
    await new Promise<void>((resolve) => (end = resolve))
    return 'done'
  },
}

const FLAKY = `
plan: flaky
version: 1.0.0
policy: { retry: { maxAttempts: 3, initialBackoffMs: 300 } }
steps: [{ id: a, run: flaky }, { id: b, wait: { forMs: 200 }, dependsOn: [a] }]
`
const SLOW = `
plan: slow
version: 1.0.0
policy: { retry: { maxAttempts: 3, initialBackoffMs: 100 } }
steps: [{ id: a, run: slow, timeoutMs: 120000 }]
`

beforeAll(async () => {
  server = await startTemporal()
}, 600_000)
afterAll(async () => server?.stop())
beforeEach(() => {
  folder = testFolder()
  calls = []
  jumps = []
})
afterEach(() => {
  Date.now = realNow
})

function open(options: OpenOptions): Promise<Keelson> {
  return openKeelson({ directory: folder, steps, pollMs: 200, onClockJump: (jump) => jumps.push(jump), ...options })
}

function machineClock(ms: number): void {
  Date.now = () => realNow() + ms
}

const engines: Readonly<Record<string, () => Promise<Keelson>>> = {
  embedded: () => {
    setClock = machineClock
    return open({})
  },
  mock: () => {
    const time = new SimulatedTime(realNow())
    setClock = (ms) => time.jump(ms)
    return open({ engine: time })
  },
  temporal: () => {
    setClock = machineClock
    return open({ engine: temporal({ address: server.address }) })
  },
}

for (const [name, openEngine] of Object.entries(engines))
  for (const [way, ms] of [
    ['forward', HOUR],
    ['back', -HOUR],
  ] as const)
    describe(`on ${name} the clock is set ${way} by an hour`, () => {
      it('a backoff of 300 ms and a wait of 200 ms take that long [RTY-02, P-25]', async () => {
        byMs = ms
        const keelson = await openEngine()
        const run = await keelson.start(loadPlan(FLAKY))
        await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
        expect(calls).toEqual(['flaky', 'flaky'])
        const { decisions } = await keelson.maintenance.verify((await keelson.run(run.runId)).row)
        expect(decisions).toMatchObject({ differences: [], notDerivable: [] })
        await keelson.close()
      })

      it('a healthy attempt goes on alone, and the jump is told [RTY-06, P-26]', async () => {
        const keelson = await openEngine()
        const run = await keelson.start(loadPlan(SLOW))
        await until(() => calls.length === 1)
        setClock(ms)
        await until(() => jumps.length === 1)
        end()
        await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
        expect(calls).toEqual(['slow'])
        expect(Math.round((jumps[0]?.byMs ?? 0) / 1000)).toBe(ms / 1000)
        await keelson.close()
      })
    })
