/**
 * How many signals a run, a person and a tenant may send in a minute (SIG-10, TMP-05). Those to a run are counted in its log and inbox,
 * so that limit holds over all processes and after a crash; a repeat does not count. Persons and tenants are counted by each process.
 * A program's own signals are limited only where the engine of the run says so.
 */
import { steadyNow } from '../../core/clock-jumps.ts'
import { ADAPTERS } from '../../core/engine/capabilities.ts'
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import { engineTypeOf } from '../../core/engine/engine-type.ts'
import type { RunRow, RunStore, StoredEvent } from '../../ports/run-store.ts'
import { BoundedCache } from '../schemas/bounded-cache.ts'
import type { Services } from '../services.ts'
import type { SignalSender } from './judge-signal.ts'

const WINDOW_MS = 60_000
const KEPT = 10_000

export async function refuseFlood(
  services: Pick<Services, 'store' | 'clock'>,
  row: RunRow,
  signalId: string,
  sender: SignalSender,
): Promise<void> {
  const isAuthenticated = sender.ask !== undefined
  const own = ADAPTERS[engineTypeOf(row.engineType)].limits?.['signalsPerMinute']
  const most = own ?? (isAuthenticated ? LIMITS.signalsPerMinute : undefined)
  const isRepeat = async (): Promise<boolean> =>
    (await services.store.findInbox(row.runKey, `signal:${signalId}`)) !== undefined
  if (most !== undefined && (await isFull(services, row, most)) && !(await isRepeat()))
    exceeded(`run ${row.runId} was sent ${most} signals within a minute`)
  if (isAuthenticated && sender.isOfFleet !== true) await countSender(services, row.tenantId, sender.actorId, isRepeat)
}

async function isFull(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  { runKey }: RunRow,
  most: number,
): Promise<boolean> {
  const row = await store.getRun(runKey)
  if (row === undefined) return false
  const waiting = (await store.readInbox(runKey)).filter(({ kind }) => kind === 'signal').length
  return waiting + (await recorded(store, row, clock.now() - WINDOW_MS, most)) >= most
}

/** From the end of the log backwards, within the window. */
async function recorded(
  store: Services['store'],
  { runKey, nextSeq }: RunRow,
  since: number,
  most: number,
): Promise<number> {
  let count = 0
  for (let end = nextSeq - 1; end > 0 && count < most; end -= LIMITS.appendEvents) {
    const afterSeq = Math.max(0, end - LIMITS.appendEvents)
    const page = await store.readEvents(runKey, { afterSeq, limit: end - afterSeq })
    const recent = page.filter(({ persistedAt }) => persistedAt >= since)
    count += recent.filter(isSignal).length
    if (recent.length < page.length) break
  }
  return count
}

function isSignal({ eventType }: StoredEvent): boolean {
  return eventType === 'SignalAccepted' || eventType === 'SignalRejected'
}

interface Window {
  readonly since: number
  readonly count: number
}

/** By store, because a process may have several open. */
const windows = new WeakMap<RunStore, BoundedCache<string, Window>>()

async function countSender(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  tenantId: string,
  actorId: string,
  isRepeat: () => Promise<boolean>,
): Promise<void> {
  const known = windows.get(store) ?? new BoundedCache<string, Window>(KEPT)
  windows.set(store, known)
  const limits = [
    [JSON.stringify([tenantId, actorId]), LIMITS.signalsPerActorMinute, `${actorId} has sent`],
    [JSON.stringify([tenantId]), LIMITS.signalsPerTenantMinute, 'the tenant has sent'],
  ] as const
  const now = steadyNow(clock)
  const open = limits.map(([key]) => {
    const before = known.get(key)
    return before === undefined || now - before.since >= WINDOW_MS ? { since: now, count: 0 } : before
  })
  const full = limits.find(([, most], at) => (open[at]?.count ?? 0) >= most)
  if (full !== undefined) {
    if (await isRepeat()) return
    exceeded(`${full[2]} ${full[1]} signals within a minute`)
  }
  for (const [at, [key]] of limits.entries()) {
    const { since, count } = open[at] ?? { since: now, count: 0 }
    known.set(key, { since, count: count + 1 })
  }
}

function exceeded(message: string): never {
  return fail('SIGNAL_RATE_EXCEEDED', message, { details: { retryAfterSeconds: WINDOW_MS / 1_000 } })
}
