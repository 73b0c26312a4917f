/**
 * One worker process of the fleet: the embedded engine on a PostgreSQL store, tied together as `main.ts` does it, adopting
 * whatever has no driver. It writes down every commit it sends and what came of it. It ends on SIGTERM.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { EmbeddedEngine } from '../../../src/adapters/engines/embedded/engine.ts'
import { functionHandlers } from '../../../src/adapters/handlers/functions.ts'
import { openPostgresStore, type PostgresStore } from '../../../src/adapters/stores/postgres/store.ts'
import { systemClock } from '../../../src/adapters/system/clock.ts'
import { systemRandom } from '../../../src/adapters/system/random.ts'
import { systemTimers } from '../../../src/adapters/system/timers.ts'
import { RunAdvancer } from '../../../src/app/advance/advance-run.ts'
import { missingHandlers } from '../../../src/app/plans/missing-handlers.ts'
import { createRunDriver } from '../../../src/app/engines/run-driver.ts'
import type { Services } from '../../../src/app/services.ts'
import { KeelsonError } from '../../../src/core/problems/problem.ts'
import type { RunCommit, RunStore } from '../../../src/ports/run-store.ts'
import { fleetHandlers } from './handlers.ts'
import { openJournal, type CommitLine, type LifeLine } from './journal.ts'

export interface WorkerOptions {
  readonly name: string
  readonly url: string
  readonly folder: string
  readonly leaseMs: number
  readonly pollMs: number
  /** Listens for wake-ups beside polling. */
  readonly listen: boolean
}

const REOPEN_MS = 200

/** While it starts its way to the database may be cut: it asks again, as a service manager would start it again. */
async function openPatiently(url: string): Promise<PostgresStore> {
  for (;;) {
    try {
      return await openPostgresStore({ connectionString: url })
    } catch (error) {
      if (!(error instanceof KeelsonError && error.problems.every(({ retryable }) => retryable))) throw error
    }
    await pause(REOPEN_MS)
  }
}

/** The same store, with a line in the journal before each commit leaves and after its answer came. */
function journaled<S extends RunStore>(store: S, folder: string, worker: string): S {
  const write = openJournal<CommitLine>(folder, 'commits')
  let sent = 0
  const lineOf = ({ runKey, expected, newEpoch, events }: RunCommit, id: string) => ({
    worker,
    id,
    runKey,
    epoch: expected.epoch,
    ...(newEpoch === undefined ? {} : { newEpoch }),
    firstSeq: expected.nextSeq,
    hashes: events.map(({ chainHash }) => Buffer.from(chainHash).toString('hex')),
  })
  return {
    ...store,
    commit: async (batch) => {
      const lines = batch.map((one) => lineOf(one, `${worker}/${process.pid}/${++sent}`))
      for (const line of lines) write({ at: Date.now(), phase: 'sent', ...line })
      try {
        const results = await store.commit(batch)
        for (const [index, line] of lines.entries()) {
          const result = results[index]
          const key = result?.kind === 'committed' ? { runKey: result.runKey } : {}
          write({ at: Date.now(), phase: 'answered', ...line, ...key, answer: result?.kind ?? 'nothing' })
        }
        return results
      } catch (error) {
        for (const line of lines) write({ at: Date.now(), phase: 'in doubt', ...line, answer: String(error) })
        throw error
      }
    },
  }
}

async function work(options: WorkerOptions): Promise<void> {
  const { name, url, folder, leaseMs, pollMs } = options
  const tell = openJournal<LifeLine>(folder, 'lives')
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error: unknown) => {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
      tell({ at: Date.now(), worker: name, kind: 'unexpected', detail })
      process.exit(1)
    })
  const opened = await openPatiently(url)
  const store = journaled(opened, folder, name)
  const handlers = functionHandlers(fleetHandlers(folder, name))
  const services: Services = { store, clock: systemClock, random: systemRandom, timers: systemTimers, handlers }
  const advancer = new RunAdvancer(services)
  const driver = createRunDriver(services, advancer, {
    lease: () => engine.lease(),
    onChild: (row, report) => {
      if (report !== undefined) engine.drive(row.runKey, report)
      else void engine.want(row.runKey)
    },
  })
  const engine: EmbeddedEngine = new EmbeddedEngine({
    store,
    driver,
    clock: systemClock,
    timers: systemTimers,
    // No `isOwnerGone`: as if each were on a machine of its own, only the lease tells that a worker is gone.
    owner: `${name}/${process.pid}`,
    adoptOthers: true,
    leaseMs,
    pollMs,
    ...(options.listen ? { onWake: (listener: () => void) => opened.onWake(listener) } : {}),
    canDrive: async ({ tenantId, planSha256 }) =>
      missingHandlers((await advancer.plans.get(tenantId, planSha256)).plan, handlers).length === 0,
    onLost: (runKey, problem) => {
      const detail = `${runKey} ${problem instanceof KeelsonError ? problem.code : String(problem)}`
      tell({ at: Date.now(), worker: name, kind: 'lost', detail })
    },
  })
  tell({ at: Date.now(), worker: name, kind: 'up', detail: `${name}/${process.pid}` })
  process.once('SIGTERM', () => {
    void engine
      .stop()
      .then(() => store.close())
      .finally(() => process.exit(0))
  })
}

await work(JSON.parse(process.argv[2] ?? '') as WorkerOptions)
