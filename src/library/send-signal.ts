/**
 * A program's signal to a run. RETRY_RUN asks for a new run, so it is started here, once per signal (SIG-07). Otherwise the signal
 * would be recorded without an effect.
 */
import type { SignalAnswer, SignalRequest } from '../app/inbox/signal-run.ts'
import { retryRun } from '../app/operations/retry-run.ts'
import { deliverSignal, signalAnswered } from '../app/steer/deliver-signal.ts'
import { needKnown } from '../core/known-options.ts'
import { needKind, OBJECT } from '../core/option-kinds.ts'
import { isTerminalRun } from '../core/run/state/transitions.ts'
import type { RunRow } from '../ports/run-store.ts'
import { DrivingHere } from './driving-here.ts'
import { SIGNAL_OPTIONS } from './option-names.ts'
import type { Parts } from './parts.ts'
import type { SignalOptions } from './run-options.ts'
import { vouchedFor } from './leave-signal.ts'

export type SentSignal = SignalAnswer & {
  /** For RETRY_RUN: the run that the signal started, now or when it was first sent. */
  readonly startedRunId?: string
}

export async function sendSignal(
  parts: Parts,
  row: RunRow,
  { signalType, payload }: Pick<SignalRequest, 'signalType' | 'payload'>,
  options: SignalOptions,
): Promise<SentSignal> {
  needKnown('signal', options, SIGNAL_OPTIONS)
  needKind('signal: the payload', payload, OBJECT)
  const { signalId = parts.services.random.uuid(), actorId, wait = true, startsRetry = true } = options
  const request = { signalId, signalType, payload }
  const sender = vouchedFor(actorId)
  const send = wait ? signalAnswered : deliverSignal
  if (signalType !== 'RETRY_RUN' || !startsRetry) return send(parts, row, request, sender)
  await needHandlers(parts, row)
  let answer = await send(parts, row, request, sender)
  // The run ended meanwhile, so no driver is left to answer: ask once more.
  if (answer.kind === 'pending' && (await hasEnded(parts, row))) answer = await send(parts, row, request, sender)
  await parts.engine.connect()
  const engine = { capabilities: parts.capabilities, host: parts.engine }
  const startedRunId = await retryRun(parts, engine, row, { ...request, actorId: sender.actorId })
  return startedRunId === undefined ? answer : { ...answer, startedRunId }
}

async function hasEnded({ services }: Parts, { runKey }: RunRow): Promise<boolean> {
  const now = await services.store.getRun(runKey)
  return now !== undefined && isTerminalRun(now.status)
}

/** Checked before anything is recorded. The signal itself reports a run that is unusable or still active. */
async function needHandlers(parts: Parts, { runKey }: RunRow): Promise<void> {
  const now = await parts.services.store.getRun(runKey)
  if (now === undefined || !isTerminalRun(now.status)) return
  if (now.archivedAt === undefined && now.quarantine === undefined) await new DrivingHere(parts).needHandlersOf(now)
}
