/**
 * `keelson signal`: sends a signal and waits a moment for the run's answer, which is in its log. A run that nobody
 * drives keeps the signal until somebody does; this says so instead of waiting.
 */
import type { ForeignRecord } from '../../../core/events/event.ts'
import { viewOf } from '../../../core/events/event-views.ts'
import { didYouMean } from '../../../core/plan/reading.ts'
import { fail, KeelsonError, problem } from '../../../core/problems/problem.ts'
import { isProblemCode } from '../../../core/problems/registry.ts'
import { engineTypeOf, isOutside } from '../../../core/run/engines.ts'
import { isSignalType, SIGNAL_TYPES, type SignalType } from '../../../core/run/signals.ts'
import { isTerminalRun } from '../../../core/run/transitions.ts'
import type { RunHandle } from '../../../main.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Call, Options } from '../command.ts'
import { reachable } from '../engine-choice.ts'
import { EXIT } from '../exit-codes.ts'
import { findRun } from '../find-run.ts'
import { forkAndDrive } from '../fork-and-drive.ts'
import { howToDrive, isDriven } from '../run-lease.ts'
import { shortId } from '../output/format.ts'
import { fieldsOf } from '../run-input.ts'
import { openExisting } from '../session.ts'

const ANSWER_MS = 5_000
const LOOK_MS = 50

const wordOf = (type: SignalType): string => type.toLowerCase().replaceAll('_', '-')

function signalType(word: string): SignalType {
  const type = word.toUpperCase().replaceAll('-', '_')
  if (isSignalType(type)) return type
  const words = SIGNAL_TYPES.map(wordOf)
  return fail('USAGE', `'${word}' is not a signal; it is one of ${words.join(', ')}`, didYouMean(word, words))
}

/** Fields of `--set` go where the signal has its own object for them; options give the rest. */
function payloadOf(type: SignalType, options: Options): Readonly<Record<string, unknown>> {
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
  }
}

/** Items are not signalled one by one: what is done, is done to all of their step that failed (P-47). */
function stepOf(type: SignalType, name: string | undefined): string | undefined {
  const parent = name === undefined ? undefined : /^(.+)\[\d+\]$/.exec(name)?.[1]
  if (parent === undefined) return name
  const what = type === 'RETRY_STEP' ? `tries all failed items of ${parent} again` : `is for ${parent} as a whole`
  return fail('USAGE', `'${name ?? ''}' is an item; ${wordOf(type)} --step ${parent} ${what}`)
}

export async function signal({ args, options, terminal }: Call): Promise<number> {
  const type = signalType(args[1] ?? '')
  const keelson = await openExisting(options, await reachable(options))
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const answered = isDriven(handle.row) || isTerminalRun(handle.row.status)
    const { signalId } = await handle.signal(type, payloadOf(type, options), options.text('id'))
    const record = await answerTo(handle, signalId, answered ? ANSWER_MS : 0)
    if (record?.eventType === 'SignalRejected') throw refusal(record)
    // The signal is on record; the new run is what it asked for.
    if (type === 'RETRY_RUN' && record !== undefined)
      return await forkAndDrive({ row: handle.row, signalId, options, terminal })
    if (options.json)
      terminal.json(record === undefined ? { signalId, runId: handle.runId, pending: true } : viewOf(record))
    else if (record !== undefined)
      terminal.line(
        `${wordOf(type)} taken by run ${shortId(handle.runId)} (runSeq ${record.runSeq})${record.payload?.['applied'] === false ? '; it changed nothing' : ''}`,
      )
    else {
      terminal.line(
        `${wordOf(type)} is in the inbox of run ${shortId(handle.runId)}; ${silenceOf(handle.row, answered)}`,
      )
      if (!answered) terminal.line(`  ${terminal.paint.cyan(howToDrive(handle.row))} goes on with the run and takes it`)
    }
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}

function silenceOf({ engineType }: RunRow, driven: boolean): string {
  if (!driven) return 'nobody drives it'
  if (!isOutside(engineTypeOf(engineType))) return 'the process that drives it has not answered yet'
  return `no worker has taken it yet (keelson worker --engine ${engineType})`
}

async function answerTo(handle: RunHandle, signalId: string, waitMs: number): Promise<ForeignRecord | undefined> {
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

function refusal(record: ForeignRecord): KeelsonError {
  const code = String(record.payload?.['reasonCode'])
  const message = `${String(record.payload?.['reason'])} (runSeq ${record.runSeq})`
  return new KeelsonError([problem(isProblemCode(code) ? code : 'AUTHZ_DENIED', message)])
}
