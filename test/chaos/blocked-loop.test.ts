/**
 * A step that computes for much longer than a lease keeps its process's event loop all the while. Another process that looks
 * for runs without a driver leaves it alone: the thread beside the loop renews the lease.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { EmbeddedEngine } from '../../src/adapters/engines/embedded/engine.ts'
import { functionHandlers } from '../../src/adapters/handlers/functions.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import { systemTimers } from '../../src/adapters/system/timers.ts'
import { RunAdvancer } from '../../src/app/advance/advance-run.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { createRunDriver } from '../../src/app/engines/run-driver.ts'
import type { Services } from '../../src/app/services.ts'
import { STORE_FILE } from '../../src/core/state-folder.ts'
import type { RunRow, RunStore } from '../../src/ports/run-store.ts'
import type { BusyOrder } from '../fixtures/busy-program.ts'
import { until } from '../fixtures/until.ts'
import { startPostgres } from '../setup/postgres.ts'
import { startChild } from '../fixtures/child.ts'
import { testFolder } from '../fixtures/folder.ts'

/** On a busy machine a thread may have to wait for its turn for seconds. */
const LEASE_MS = 6_000
const BUSY_MS = 15_000
const PROGRAM = join(import.meta.dirname, '..', 'fixtures', 'busy-program.ts')
const RUN_ID = '0b0cf3de-6a7c-4d8e-b7a5-7f7d7a3a2f10'

let folder = ''
beforeEach(() => {
  folder = testFolder()
})

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function program(order: Omit<BusyOrder, 'directory' | 'journal' | 'runId'>): { readonly ended: Promise<Ended> } {
  const whole: BusyOrder = { ...order, directory: folder, journal: join(folder, 'journal'), runId: RUN_ID }
  const child = startChild(process.execPath, [PROGRAM, JSON.stringify(whole)])
  const told = { out: '', err: '' }
  child.stdout.on('data', (chunk) => (told.out += String(chunk)))
  child.stderr.on('data', (chunk) => (told.err += String(chunk)))
  return { ended: once(child, 'close').then(([code]) => ({ ...told, code: code as number | null })) }
}

const journal = (): string => {
  try {
    return readFileSync(join(folder, 'journal'), 'utf8')
  } catch {
    return ''
  }
}

/** Looks for runs without a driver, and knows of leases alone: not which processes of this machine live. */
function heir(store: RunStore, done: (name: string) => void): EmbeddedEngine {
  const handlers = functionHandlers({ crunch: async () => done('somebody else') })
  const services: Services = { store, clock: systemClock, random: systemRandom, timers: systemTimers, handlers }
  const driver = createRunDriver(services, new RunAdvancer(services))
  return new EmbeddedEngine({ ...services, driver, owner: 'heir', adoptOthers: true, leaseMs: LEASE_MS, pollMs: 100 })
}

async function watched(order: Pick<BusyOrder, 'postgres'>, open: () => Promise<RunStore>): Promise<RunRow | undefined> {
  const taken: string[] = []
  const { ended } = program({ ...order, busyMs: BUSY_MS, leaseMs: LEASE_MS })
  await until(() => journal().includes('begin'))
  const store = await open()
  const engine = heir(store, (name) => taken.push(name))
  const { code, out, err } = await ended
  await engine.stop()
  const row = await store.findRun({ tenantId: LOCAL_PRINCIPAL.tenantId, runId: RUN_ID })
  await store.close()
  expect(taken).toEqual([])
  expect(journal()).toBe('begin\nend\n')
  expect(err).toContain('LOOP_BLOCKED')
  expect(err).toContain(`step 'crunch' of run ${RUN_ID}`)
  expect(out).toContain('COMPLETED')
  expect(code).toBe(0)
  return row
}

describe('a step that keeps the loop for longer than two leases', () => {
  it('is carried out once, in one log, and is named while it blocks, on SQLite [ATT-08, P-30]', async () => {
    const open = (): Promise<RunStore> => openSqliteStore({ path: join(folder, STORE_FILE), clock: systemClock })
    expect(await watched({}, open)).toMatchObject({ status: 'COMPLETED', epoch: 1 })
  })

  it('is carried out once, in one log, and is named while it blocks, on PostgreSQL [ATT-08, P-30]', async () => {
    const server = await startPostgres()
    try {
      const url = await server.createDatabase('blocked')
      const open = (): Promise<RunStore> => openPostgresStore({ connectionString: url })
      expect(await watched({ postgres: url }, open)).toMatchObject({ status: 'COMPLETED', epoch: 1 })
    } finally {
      await server.stop()
    }
  }, 180_000)
})
