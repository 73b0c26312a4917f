/** Shows one run that this process drives (or only watches) to its end, and tells how it ended. */
import type { Keelson, RunHandle } from '../../main.ts'
import type { Options } from './command.ts'
import { EXIT, exitOfStatus } from './exit-codes.ts'
import { follow, type Doorbell } from './follow.ts'
import { shortId } from './output/format.ts'
import { jsonProgress } from './output/json-progress.ts'
import { lineProgress } from './output/line-progress.ts'
import type { Progress } from './output/progress.ts'
import { placeName, type Place } from './place.ts'
import { tellEnd, tellLeft } from './output/summary.ts'
import { treeProgress } from './output/tree-progress.ts'
import { forgetSource } from './sources.ts'
import { watchRun } from './run-watch.ts'
import { standsStill } from './standstill.ts'
import type { Terminal } from './terminal.ts'

export interface OneRun {
  readonly keelson: Keelson
  readonly handle: RunHandle
  readonly doorbell: Doorbell
  readonly interrupt: 'cancel' | 'leave'
  /** Other processes carry it out: it is said when there are none. */
  readonly isElsewhere?: boolean
  readonly options: Options
  readonly terminal: Terminal
}

export async function driveOne(one: OneRun): Promise<number> {
  const { keelson, handle, doorbell, interrupt, options, terminal } = one
  const watch = await watchRun(keelson, handle)
  const progress = progressFor(terminal, options, interrupt)
  let followed: Awaited<ReturnType<typeof follow>>
  let listen: NodeJS.Timeout | undefined
  try {
    progress.begin(watch, header(terminal, handle, options))
    if (one.isElsewhere === true) listen = setTimeout(() => void noteDeserted(keelson, progress), LISTEN_MS)
    // Who starts a run waits for its people too; who resumes it does not.
    followed = await follow({
      watches: [watch],
      progress,
      doorbell,
      interrupt,
      ...(interrupt === 'leave' ? { standsStill } : {}),
    })
  } finally {
    clearTimeout(listen)
    progress.end()
  }
  if (watch.trouble !== undefined) throw watch.trouble
  if (followed !== 'ended') {
    if (options.json) terminal.json({ result: { runId: handle.runId, status: watch.view.run.status, detached: true } })
    else tellLeft(terminal, [watch])
    return EXIT.detached
  }
  forgetSource(options.dir, handle.runId)
  const result = await handle.result()
  if (options.json) terminal.json({ result })
  else await tellEnd(terminal, watch, result)
  return exitOfStatus(result.status)
}

/** Not at once: a worker that was just started may still be on its way. */
const LISTEN_MS = 3_000

/** A server that cannot be asked now says nothing about its workers. */
async function noteDeserted(keelson: Keelson, progress: Progress): Promise<void> {
  const queue = await keelson.deserted().catch(() => undefined)
  if (queue !== undefined)
    progress.note(`no worker listens on ${queue}: start one with \`keelson worker --engine temporal\``)
}

function progressFor(terminal: Terminal, options: Options, interrupt: 'cancel' | 'leave'): Progress {
  if (options.json) return jsonProgress(terminal)
  if (!terminal.isTty) return lineProgress(terminal)
  return treeProgress(
    terminal,
    interrupt === 'cancel' ? 'Ctrl-C cancels (5 s grace), twice leaves it for later' : 'Ctrl-C leaves it for later',
  )
}

export function header(terminal: Terminal, { row }: RunHandle, place: Place): string {
  const { bold, dim } = terminal.paint
  return `${bold(row.planId)} ${row.planVersion}   run ${bold(shortId(row.runId))}   ${dim(`${row.engineType}, ${placeName(place)}`)}`
}
