/**
 * A signal to a run, from a program or from a person that the program has recognised. RETRY_RUN asks for a new run, so it is started
 * here, once per signal (SIG-07). Otherwise the signal would be recorded without an effect.
 */
import type { SignalRequest, SignalSender } from '../../app/signals/judge-signal.ts'
import type { SignalAnswer, SignalTaken } from '../../app/signals/signal-run.ts'
import { retryRun } from '../../app/operations/retry-run.ts'
import { deliverSignal, signalAnswered } from '../../app/steer/deliver-signal.ts'
import { needKnown } from '../../core/known-options.ts'
import { needKind, OBJECT } from '../../core/option-kinds.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { RunRow } from '../../ports/run-store.ts'
import { DrivingHere } from './driving-here.ts'
import { SIGNAL_OPTIONS } from '../option-names.ts'
import type { Parts } from '../parts.ts'
import type { SignalOptions } from '../run-options.ts'
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
  const taken = await sendFrom(parts, row, request, vouchedFor(actorId), { wait, startsRetry })
  const { startedRunId } = taken
  // For a program's own signals nobody is asked, so none of them waits for a second person.
  const kind = taken.kind === 'approval' ? 'pending' : taken.kind
  return { kind, signalId, ...(startedRunId === undefined ? {} : { startedRunId }) }
}

export type SignalSent = SignalTaken & Pick<SentSignal, 'startedRunId'>

/** The same for whoever sends it. */
export async function sendFrom(
  parts: Parts,
  row: RunRow,
  request: SignalRequest,
  sender: SignalSender,
  { wait = true, startsRetry = true }: Pick<SignalOptions, 'wait' | 'startsRetry'> = {},
): Promise<SignalSent> {
  const send = wait ? signalAnswered : deliverSignal
  if (request.signalType !== 'RETRY_RUN' || !startsRetry) return send(parts, row, request, sender)
  await needHandlers(parts, row)
  let taken = await send(parts, row, request, sender)
  // The run ended meanwhile, so no driver is left to answer: ask once more.
  if (taken.kind === 'pending' && (await hasEnded(parts, row))) taken = await send(parts, row, request, sender)
  return startRetry(parts, row, { ...request, actorId: sender.actorId }, taken)
}

/** The run that an accepted RETRY_RUN asks for; while it is not accepted, none. */
export async function startRetry(
  parts: Parts,
  row: RunRow,
  request: SignalRequest & { readonly actorId: string },
  taken: SignalTaken,
): Promise<SignalSent> {
  if (taken.kind === 'approval') return taken
  await parts.engine.connect()
  const engine = { capabilities: parts.capabilities, host: parts.engine }
  const startedRunId = await retryRun(parts, engine, row, request)
  return startedRunId === undefined ? taken : { ...taken, startedRunId }
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
