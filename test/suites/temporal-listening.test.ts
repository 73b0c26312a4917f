/** A process that was opened with a worker listens by itself, before anybody starts anything in it; also to a server that comes later. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporalWorld, type TemporalWorld } from '../fixtures/temporal-world.ts'
import { until } from '../fixtures/until.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'

let server: TemporalServer
let directory: string

beforeAll(async () => {
  server = await startTemporal()
  directory = mkdtempSync(join(tmpdir(), 'keelson-temporal-listening-'))
}, 600_000)
afterAll(async () => {
  await server?.stop()
  rmSync(directory, { recursive: true, force: true })
})

const PLAN = 'plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: ok }]\n'
const isAway = (message: string): boolean => message.startsWith('no answer from the Temporal server')
const steps = { ok: () => 'done' }
const client = (): Promise<TemporalWorld> =>
  temporalWorld(server.address, steps, { worker: false, open: { directory } })
const worker = (): Promise<TemporalWorld> =>
  temporalWorld(server.address, steps, { connectTimeoutMs: 500, open: { directory } })

it('carries out the steps of others without being asked for anything itself', async () => {
  const [here, there] = [await client(), await worker()]
  const run = await here.start(PLAN)
  await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
  await there.close()
  await here.close()
})

it('says once that the server is away, and listens when it has come', async () => {
  await server.kill9()
  const told: string[] = []
  const note = (warning: Error): void => void told.push(warning.message)
  process.on('warning', note)
  const there = await worker()
  await until(() => told.some(isAway))
  await server.restart()
  const here = await client()
  const run = await here.start(PLAN)
  await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
  process.removeListener('warning', note)
  expect(told.filter(isAway)).toHaveLength(1)
  await there.close()
  await here.close()
})

it('is closed while it still looks for its server', async () => {
  await server.kill9()
  const there = await worker()
  // Its first look begins in the next turn of the loop.
  await new Promise((resolve) => setImmediate(resolve))
  await expect(there.close()).resolves.toBeUndefined()
})
