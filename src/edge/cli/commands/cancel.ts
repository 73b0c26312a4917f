/**
 * `keelson cancel`: gives a run up, waits for its end, and says what was done and stays. With --undo, what was done is
 * undone first. A run that nobody drives is driven to its end here.
 */
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Call, Options } from '../terminal/command.ts'
import { isDriven } from '../drive/run-lease.ts'
import { serverUrl } from '../files/place.ts'
import { tellCancelled } from '../output/cancelled.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { asItIsWritten, openToRead } from '../open/reading.ts'
import { shortId } from '../terminal/format.ts'
import { watchRun } from '../progress/run-watch.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { sendAsked, tellAwaiting } from './signal.ts'

/** After the grace of its steps the end is written at once. */
const END_MS = LIMITS.cancelGraceMs + 3_000
const LOOK_MS = 50

export async function cancel(call: Call): Promise<number> {
  const { options, terminal } = call
  const row = await rowOf(options, call.args[0] ?? '')
  const args = [row.runId]
  const told = await sendAsked({ ...call, args: [row.runId, 'cancel'] })
  if (told.awaits !== undefined) return tellAwaiting(told, options, terminal)
  // A server takes it up by itself.
  if (!isTerminalRun(row.status) && !isDriven(row) && serverUrl(options) === undefined) {
    if (!options.json) terminal.line(`nobody drives run ${shortId(row.runId)}: it is brought to its end here`)
    const { takeOver } = await import('./resume.ts')
    const code = await takeOver({ ...call, args }, false)
    return code === EXIT.cancelled ? EXIT.completed : code
  }
  if (options.json) {
    terminal.json(told.json)
    return EXIT.completed
  }
  if (told.isNothing) terminal.line(`run ${shortId(row.runId)} is already ending; this changed nothing`)
  return tellHow(row.runId, options, terminal)
}

async function rowOf(options: Options, name: string): Promise<RunRow> {
  const keelson = await openToRead(options)
  try {
    return (await findRun(keelson, name)).row
  } finally {
    await keelson.close()
  }
}

async function tellHow(runId: string, options: Options, terminal: Terminal): Promise<number> {
  const keelson = await openToRead(options)
  let handle: Awaited<ReturnType<typeof asItIsWritten>> | undefined
  try {
    handle = await asItIsWritten(await keelson.run(runId), options)
    const watch = await watchRun(handle)
    const deadline = performance.now() + END_MS
    for (;;) {
      await watch.pump()
      if (watch.ended || performance.now() >= deadline) break
      await new Promise<void>((resolve) => void setTimeout(resolve, LOOK_MS))
    }
    if (watch.ended) await tellCancelled(terminal, watch)
    else {
      const what = watch.view.run.compensating ? 'is being undone' : 'has not ended yet'
      terminal.line(`run ${shortId(runId)} is being cancelled and ${what}`)
      terminal.line(`  look at    ${terminal.paint.cyan(`keelson show ${shortId(runId)}`)}`)
    }
    return EXIT.completed
  } finally {
    handle?.[Symbol.dispose]?.()
    await keelson.close()
  }
}
