/**
 * `keelson signal`: sends a signal and waits a moment for the run's answer, which is in its log. A run without a driver
 * keeps the signal until it has one; the command says so instead of waiting.
 */
import { refuseUnexplained } from '../../../app/steer/deliver-signal.ts'
import { refusedBy } from '../../../app/inbox/inbox-row-verdict.ts'
import type { LogRecord } from '../../../core/events/event.ts'
import { viewOf } from '../../../core/events/event-views.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import { fail } from '../../../core/problems/problem.ts'
import { engineTypeOf, isOutside } from '../../../core/engine/engine-type.ts'
import { isSignalType, SIGNAL_TYPES, type SignalType } from '../../../core/run/signals/catalogue.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { LeftSignal } from '../../../library/act/leave-signal.ts'
import type { ReadableRun } from '../../../library/read/readable-runs.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Call, Options } from '../terminal/command.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { reachable, reachesTemporal } from '../open/engine-choice.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { howToDrive, isDriven } from '../drive/run-lease.ts'
import { shortId } from '../terminal/format.ts'
import { fieldsOf } from '../files/run-input.ts'
import { serverUrl } from '../files/place.ts'
import { openToSend } from '../open/reading.ts'

const ANSWER_MS = 5_000
const LOOK_MS = 50

/** As people write it: `retry-step`. */
export const wordOf = (type: string): string => type.toLowerCase().replaceAll('_', '-')

export function signalType(word: string): SignalType {
  const type = word.toUpperCase().replaceAll('-', '_')
  if (isSignalType(type)) return type
  const words = SIGNAL_TYPES.map(wordOf)
  return fail('USAGE', `'${word}' is not a signal; it is one of ${words.join(', ')}`, didYouMean(word, words))
}

/** Fields of `--set` go into the signal's own object for them; options give the rest. */
export function payloadOf(type: SignalType, options: Options): Readonly<Record<string, unknown>> {
  const step = stepOf(type, options.text('step'))
  const reason = options.text('reason')
  const from = options.text('from')
  const fields = fieldsOf(options.list('set'))
  const home = { UPDATE_PARAMS: 'params', INJECT_OVERRIDE: 'override', UPDATE_TARGET: 'newTarget' } as const
  const name = Object.hasOwn(home, type) ? home[type as keyof typeof home] : undefined
  return {
    ...(name === undefined ? fields : { [name]: fields }),
    ...(step === undefined ? {} : { stepId: step }),
    ...(reason === undefined ? {} : { reason }),
    ...(from === undefined ? {} : { from }),
    ...(options.flag('repeatIrreversible') ? { repeatIrreversible: true } : {}),
    ...(options.flag('force') ? { force: true } : {}),
    ...(options.flag('forceKill') ? { forceKill: true } : {}),
    ...(options.flag('freshKey') ? { freshKey: true } : {}),
    ...(options.flag('undo') ? { undo: true } : {}),
  }
}

/** Items are not signalled one by one: a signal applies to all failed items of their step (P-47). */
function stepOf(type: SignalType, name: string | undefined): string | undefined {
  const parent = name === undefined ? undefined : /^(.+)\[\d+\]$/.exec(name)?.[1]
  if (parent === undefined) return name
  const what = type === 'RETRY_STEP' ? `tries all failed items of ${parent} again` : `is for ${parent} as a whole`
  return fail('USAGE', `'${name ?? ''}' is an item; ${wordOf(type)} --step ${parent} ${what}`)
}

interface Sent {
  readonly type: SignalType
  readonly signalId: string
  /** As it was before. */
  readonly row: RunRow
  /** Somebody drives the run, or it has ended: an answer may be waited for. */
  readonly isAnswered: boolean
  /** The run's answer; undefined as long as there is none. */
  readonly record: LogRecord | undefined
  /** It was accepted, and the state was already what it asks for. */
  readonly isNothing: boolean
  readonly json: object
  /** The server has started the run that retry-run asks for. */
  readonly startedRunId?: string
  /** The decision that a second person has to accept; until then the run gets nothing of it. */
  readonly awaits?: string
}

/** Sends the signal of a call `<run> <signal>`; throws when the run refuses it. */
export async function sendAsked({ args, options }: Pick<Call, 'args' | 'options'>): Promise<Sent> {
  const type = signalType(args[1] ?? '')
  const [id, actorId] = [options.text('id'), options.text('as')]
  const asked = {
    signalType: type,
    payload: payloadOf(type, options),
    ...(id === undefined ? {} : { signalId: id }),
    ...(actorId === undefined ? {} : { actorId }),
  }
  const name = args[0] ?? ''
  if (serverUrl(options) !== undefined) return sendAfar(name, asked, options)
  return reachesTemporal(options) ? sendThrough(name, asked, options) : leaveInInbox(name, asked, options)
}

/** The server judges it for whoever it takes the sender for. */
async function sendAfar(name: string, asked: Asked, options: Options): Promise<Sent> {
  const { sendAfar: send } = await import('../afar/send-afar.ts')
  const { handle, signalId, startedRunId, awaits } = await send(name, asked, options)
  try {
    if (awaits !== undefined) return awaiting(handle, asked.signalType, signalId, awaits)
    return { ...(await sent(handle, asked, signalId)), ...(startedRunId === undefined ? {} : { startedRunId }) }
  } finally {
    handle[Symbol.dispose]()
  }
}

/** It has not reached the run, so no answer of the run is waited for. */
export function awaiting({ row, runId }: ReadableRun, type: SignalType, signalId: string, awaits: string): Sent {
  const json = { signalId, runId, pending: true, approvalRequired: true, signalDecisionId: awaits }
  return { type, signalId, row, isAnswered: false, record: undefined, isNothing: false, json, awaits }
}

type Asked = LeftSignal & { readonly signalType: SignalType }

/** Without an engine: whoever drives the run reads its inbox. */
async function leaveInInbox(name: string, asked: Asked, options: Options): Promise<Sent> {
  const { reader, leave } = await openToSend(options)
  try {
    const handle = await findRun(reader, name)
    const left = isTerminalRun(handle.row.status) ? undefined : await leave(handle.row, asked)
    if (left?.hasEnded === false) return await sent(handle, asked, left.signalId)
    const again = left === undefined ? asked : { ...asked, signalId: left.signalId }
    return await sendThrough(handle.runId, again, options)
  } finally {
    await reader.close()
  }
}

/** With engines: nobody drives an ended run, so its answer is written here; an outside engine is woken at once. */
async function sendThrough(name: string, asked: Asked, options: Options): Promise<Sent> {
  const { openExisting } = await import('../open/session.ts')
  const keelson = await openExisting(options, await reachable(options))
  try {
    const handle = await findRun(keelson, name)
    const { signalType: type, payload, ...given } = asked
    // A run that it asks for is started where its functions are at hand.
    const { signalId } = await handle.signal(type, payload, { ...given, wait: false, startsRetry: false })
    return await sent(handle, asked, signalId)
  } finally {
    await keelson.close()
  }
}

async function sent(handle: ReadableRun, { signalType: type, payload }: Asked, signalId: string): Promise<Sent> {
  const { row, runId } = handle
  const isAnswered = isDriven(row) || isTerminalRun(row.status)
  const record = await answerTo(handle, signalId, isAnswered ? ANSWER_MS : 0)
  if (record?.eventType === 'SignalRejected') throw refusedBy(record)
  if (record === undefined) refuseUnexplained({ signalType: type, payload })
  const isNothing = record?.payload?.['applied'] === false
  const json = record === undefined ? { signalId, runId, pending: true } : viewOf(record)
  return { type, signalId, row, isAnswered, record, isNothing, json }
}

export async function signal({ args, options, terminal }: Call): Promise<number> {
  const told = await sendAsked({ args, options })
  if (told.awaits !== undefined) return tellAwaiting(told, options, terminal)
  const { type, signalId, row, isAnswered, record, isNothing, json, startedRunId } = told
  const id = shortId(row.runId)
  if (startedRunId !== undefined) {
    const { showAfar } = await import('../afar/run-afar.ts')
    return showAfar(startedRunId, options, terminal)
  }
  // The signal is recorded; it asked for the new run.
  if (type === 'RETRY_RUN' && record !== undefined) {
    const { forkAndDrive } = await import('../drive/fork-and-drive.ts')
    return forkAndDrive({ row, signalId, options, terminal })
  }
  if (options.json) terminal.json(json)
  else if (record !== undefined)
    terminal.line(
      `${wordOf(type)} taken by run ${id} (runSeq ${record.runSeq})${isNothing ? '; it changed nothing' : ''}`,
    )
  else {
    terminal.line(`${wordOf(type)} is in the inbox of run ${id}; ${silenceOf(row, isAnswered)}`)
    if (!isAnswered) terminal.line(`  ${terminal.paint.cyan(howToDrive(row))} goes on with the run and takes it`)
  }
  return EXIT.completed
}

/** For a signal that a second person has to accept first. */
export function tellAwaiting(
  { type, row, json, awaits = '' }: Pick<Sent, 'type' | 'row' | 'json' | 'awaits'>,
  { json: isJson }: Options,
  terminal: Terminal,
): number {
  if (isJson) terminal.json(json)
  else {
    terminal.line(`${wordOf(type)} of run ${shortId(row.runId)} waits for a second person; nothing is done before`)
    terminal.line(`  ${terminal.paint.cyan(`keelson decisions accept ${awaits}`)}`)
  }
  return EXIT.completed
}

function silenceOf({ engineType }: RunRow, driven: boolean): string {
  if (!driven) return 'nobody drives it'
  if (!isOutside(engineTypeOf(engineType))) return 'the process that drives it has not answered yet'
  return `no worker has taken it yet (keelson worker --engine ${engineType})`
}

async function answerTo(handle: ReadableRun, signalId: string, waitMs: number): Promise<LogRecord | undefined> {
  const deadline = performance.now() + waitMs
  let after = 0
  for (;;) {
    const records = await handle.records(after)
    const found = records.find((one) => one.eventType.startsWith('Signal') && one.payload?.['signalId'] === signalId)
    after = records.at(-1)?.runSeq ?? after
    if (found !== undefined || performance.now() >= deadline) return found
    await new Promise<void>((resolve) => void setTimeout(resolve, LOOK_MS))
  }
}
