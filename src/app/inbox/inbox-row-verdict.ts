/**
 * The fate of an inbox row that an actor left for a run: the driver of the run decides on it, and the decision
 * is in the log. The sender waits a moment for that, and is told of a refusal; the row stays while nobody drives the
 * run.
 */
import { steadyNow } from '../../core/clock-jumps.ts'
import type { LogRecord } from '../../core/events/event.ts'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import { isProblemCode } from '../../core/problems/registry.ts'
import { engineTypeOf, isOutside } from '../../core/engine/engine-type.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { EngineHost } from '../../ports/engine.ts'
import type { SignalDecisionRecord } from '../../ports/decisions.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import { recordOf } from '../log/read-events.ts'
import { eventAt } from '../log/stored-events.ts'
import type { Services } from '../services.ts'

/** How long to wait for an answer, and for a driver to adopt a run that nobody drives. */
const ANSWER_MS = 2_000
const TAKE_UP_MS = 250
const LOOK_MS = 20

export interface VerdictParts {
  readonly services: Pick<Services, 'store' | 'clock' | 'timers'>
  readonly engine: Pick<EngineHost, 'drives'>
}

/** The first event of the decision that took the inbox row; undefined while none has, or when it left no event. */
export async function verdictOn(
  store: Pick<RunStore, 'findInbox' | 'readEvents'>,
  runKey: RunKey,
  inboxId: string,
): Promise<Verdict> {
  const seq = (await store.findInbox(runKey, inboxId))?.consumedSeq
  if (seq === undefined) return { kind: 'pending' }
  const stored = await eventAt(store, runKey, seq)
  const record = stored === undefined ? undefined : recordOf(stored)
  return { kind: 'taken', ...(record?.ok === true ? { record: record.value } : {}) }
}

export type Verdict = { readonly kind: 'pending' } | { readonly kind: 'taken'; readonly record?: LogRecord }

export async function awaitVerdict(
  { services, engine }: VerdictParts,
  runKey: RunKey,
  inboxId: string,
): Promise<Verdict> {
  const { store, clock, timers } = services
  const since = steadyNow(clock)
  for (;;) {
    const verdict = await verdictOn(store, runKey, inboxId)
    const waitedMs = steadyNow(clock) - since
    if (verdict.kind === 'taken' || waitedMs >= ANSWER_MS) return verdict
    if (waitedMs >= TAKE_UP_MS && !engine.drives(runKey) && !(await isLed(services, runKey))) return verdict
    await new Promise<void>((resolve) => void timers.after(LOOK_MS, resolve))
  }
}

/** A process holds the run, or an outside engine has it. An ended run is answered by the caller itself. */
async function isLed({ store, clock }: VerdictParts['services'], runKey: RunKey): Promise<boolean> {
  const row = await store.getRun(runKey)
  if (row === undefined) return false
  const isQueued = (row.status === 'PENDING' || row.status === 'APPROVED') && row.nextWakeAt === undefined
  if (isOutside(engineTypeOf(row.engineType))) return !isQueued
  return isTerminalRun(row.status) || (row.lease !== undefined && row.lease.until > clock.now())
}

/** A refusal that no driver has taken yet, as an error for the sender. */
export function refusedOnRecord({ reasonCode, reason, policyDecisionId }: SignalDecisionRecord): KeelsonError {
  const code = reasonCode ?? 'AUTHZ_DENIED'
  const details = { policyDecisionId }
  return new KeelsonError([
    problem(isProblemCode(code) ? code : 'AUTHZ_DENIED', reason ?? 'the signal was refused', { details }),
  ])
}

/** The recorded refusal, as an error for the sender. */
export function refusedBy({ payload, runSeq }: LogRecord): KeelsonError {
  const { reasonCode, reason, policyDecisionId } = payload ?? {}
  const code = String(reasonCode)
  const details = { policyDecisionId, runSeq }
  return new KeelsonError([
    problem(isProblemCode(code) ? code : 'AUTHZ_DENIED', `${String(reason)} (runSeq ${runSeq})`, { details }),
  ])
}
