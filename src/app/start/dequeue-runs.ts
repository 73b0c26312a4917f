/**
 * Starting runs that were admitted with QUEUE. It keeps no state of its own: the holder of a run's lease starts it and all others
 * leave it, so any number of callers may work on one store at the same time (BPQ-05, BPQ-08).
 */
import { isForeign } from '../../core/engine/engine-type.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import { isStartable } from '../../core/run/state/is-startable.ts'
import { isTerminalRun, type RunStatus } from '../../core/run/state/transitions.ts'
import type { TurnResult } from '../../ports/engine.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import type { Services } from '../services.ts'
import { recordedReport } from '../advance/due-timers.ts'
import { startOfRow } from '../advance/start-input.ts'

export interface Dequeued {
  readonly runId: string
  /** SKIPPED: not approved yet, not due yet, without room, or somebody else has it. FAILED: it could not be started and stays queued. */
  readonly status: 'STARTED' | 'FAILED' | 'SKIPPED'
  readonly error?: string
  /** For a run that is skipped because it ended in the queue, for example by a cancel. */
  readonly ended?: RunStatus
}

export interface DequeueOptions {
  readonly tenantId: string
  /** Lease under which a run is started and then driven; each of several at work has an owner of its own. */
  readonly lease: () => { readonly owner: string; readonly until: number }
  /** The run has started under that lease: somebody must drive it. */
  readonly onStarted: (row: RunRow, report: TurnResult) => void
  /** Throws when this process may not start the run, for example because a handler is missing: then the run stays queued. */
  readonly check?: (row: RunRow) => Promise<void>
  /** Only runs of this engine: another one starts its own. */
  readonly engineType?: string
  /** Only these; default all. */
  readonly runIds?: ReadonlySet<string>
  /** The most runs in one call. Default 1,000. */
  readonly limit?: number
}

const PAGE = 200
const DEFAULT_LIMIT = 1_000
const WAITING: ReadonlySet<RunStatus> = new Set(['PENDING', 'APPROVED'])

export async function dequeueAndStart(
  services: Services,
  advancer: RunAdvancer,
  options: DequeueOptions,
): Promise<readonly Dequeued[]> {
  const answers: Dequeued[] = []
  for (const row of await queuedRuns(services, options))
    answers.push(await startQueued(services, advancer, options, row))
  return answers
}

/** Oldest first. Those that are named are looked up; however long the queue is, no more of it is read than may start. */
async function queuedRuns({ store }: Services, options: DequeueOptions): Promise<readonly RunRow[]> {
  const { tenantId, runIds, limit = DEFAULT_LIMIT } = options
  const found = runIds === undefined ? oldestFirst(store, tenantId) : named(store, tenantId, runIds)
  const rows: RunRow[] = []
  for await (const row of found) {
    if (rows.length >= limit) break
    if (mayStartHere(row, options)) rows.push(row)
  }
  return rows
}

async function* oldestFirst(store: RunStore, tenantId: string): AsyncGenerator<RunRow, void> {
  for (let cursor: string | undefined; ;) {
    const at = { limit: PAGE, oldestFirst: true, ...(cursor === undefined ? {} : { cursor }) }
    const { runs, next } = await store.listRuns(tenantId, { status: [...WAITING] }, at)
    yield* runs
    if (next === undefined) return
    cursor = next
  }
}

async function* named(store: RunStore, tenantId: string, runIds: ReadonlySet<string>): AsyncGenerator<RunRow, void> {
  const rows: RunRow[] = []
  for (const runId of runIds) {
    const row = await store.findRun({ tenantId, runId })
    if (row !== undefined && isWaiting(row.status)) rows.push(row)
  }
  yield* rows.toSorted((a, b) => a.createdAt - b.createdAt || a.runKey - b.runKey)
}

function mayStartHere(row: RunRow, { engineType }: DequeueOptions): boolean {
  if (row.quarantine !== undefined || isForeign(row)) return false
  return engineType === undefined || row.engineType === engineType
}

async function startQueued(
  services: Services,
  advancer: RunAdvancer,
  options: DequeueOptions,
  row: RunRow,
): Promise<Dequeued> {
  const { runKey, runId } = row
  const { store, clock } = services
  try {
    await options.check?.(row)
  } catch (thrown) {
    return failed(runId, thrown)
  }
  const { owner, until } = options.lease()
  const held = await store.acquireLease(runKey, owner, clock.now(), until)
  if (held === undefined) return { runId, status: 'SKIPPED' }
  try {
    advancer.forget(runKey)
    // One that has started meanwhile is driven under this lease, or is adopted when the lease is over.
    const { status } = (await advancer.current(runKey)).state
    if (!isWaiting(status)) return skipped(runId, status)
    const report = await startUnderLease(services, advancer, runKey)
    if (report === undefined) {
      const now = (await advancer.current(runKey)).state.status
      await store.releaseLease(runKey, owner)
      return skipped(runId, now)
    }
    options.onStarted(held, report)
    return { runId, status: 'STARTED' }
  } catch (thrown) {
    await store.releaseLease(runKey, owner)
    return failed(runId, thrown)
  }
}

/** Undefined: it does not start, because it is not approved, not due, without room, or was cancelled in the queue. */
async function startUnderLease(
  services: Services,
  advancer: RunAdvancer,
  runKey: RunRow['runKey'],
): Promise<TurnResult | undefined> {
  // Inbox rows first: a run that was cancelled while it waited starts no step. One whose time has come starts by itself.
  const inboxRows = await advancer.advance(runKey)
  if (!isWaiting(inboxRows.status)) return inboxRows.terminal ? undefined : inboxRows
  const run = await advancer.current(runKey)
  if (!isStartable(run.state) || run.state.notBefore > services.clock.now()) return undefined
  const report = await recordedReport(services.store, run)
  const how = { intentLate: services.failOpen !== undefined, ...(report === undefined ? {} : { report }) }
  const started = await advancer.advance(runKey, { inputs: [startOfRow(run, how)] })
  return isWaiting(started.status) ? undefined : started
}

const isWaiting = (status: RunRow['status']): boolean => WAITING.has(status)

function skipped(runId: string, status: RunStatus): Dequeued {
  return { runId, status: 'SKIPPED', ...(isTerminalRun(status) ? { ended: status } : {}) }
}

function failed(runId: string, thrown: unknown): Dequeued {
  return { runId, status: 'FAILED', error: thrown instanceof KeelsonError ? thrown.code : String(thrown) }
}
