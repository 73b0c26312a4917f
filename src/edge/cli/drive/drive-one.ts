/** Shows one run that this process drives (or only watches) to its end, and reports how it ended. */
import type { Keelson, RunHandle } from '../../../main.ts'
import type { Options } from '../terminal/command.ts'
import { EXIT, exitOfStatus } from '../terminal/exit-codes.ts'
import type { EarlySignals } from '../progress/early-signals.ts'
import { follow, type Doorbell } from '../progress/follow.ts'
import { jsonProgress } from '../progress/json-progress.ts'
import { lineProgress } from '../progress/line-progress.ts'
import type { Progress } from '../progress/progress.ts'
import { headerLines } from '../files/header-lines.ts'
import { tellEnd, tellLeft } from '../output/summary.ts'
import { treeProgress } from '../progress/tree-progress.ts'
import { forgetSource } from '../files/sources.ts'
import { watchDriven } from '../progress/watch-driven.ts'
import { standsStill } from './standstill.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface OneRun {
  readonly keelson: Keelson
  readonly handle: RunHandle
  readonly doorbell: Doorbell
  /** Leaves the run when only a person can move it: whoever started it waits for them. */
  readonly leavesStill: boolean
  readonly early?: EarlySignals
  /** Other processes execute it: reported when there are none. */
  readonly isElsewhere?: boolean
  readonly options: Options
  readonly terminal: Terminal
}

export async function driveOne(one: OneRun): Promise<number> {
  const { keelson, handle, doorbell, leavesStill, options, terminal } = one
  const watch = await watchDriven(keelson, handle)
  const progress = progressFor(terminal, options)
  let followed: Awaited<ReturnType<typeof follow>>
  let listen: NodeJS.Timeout | undefined
  try {
    progress.begin(watch, headerLines(terminal, handle, options))
    if (one.isElsewhere === true) listen = setTimeout(() => void noteDeserted(keelson, progress), LISTEN_MS)
    followed = await follow({
      watches: [watch],
      progress,
      doorbell,
      second: 'cancel',
      ...(one.early === undefined ? {} : { early: one.early }),
      ...(leavesStill ? { standsStill } : {}),
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
  forgetSource(options.dir, handle.row)
  const result = await handle.result()
  if (options.json) terminal.json({ result })
  else await tellEnd(terminal, watch, result)
  return exitOfStatus(result.status)
}

/** Not at once: a worker that was just started may not be ready yet. */
const LISTEN_MS = 3_000

/** A server that cannot be asked now says nothing about its workers. */
async function noteDeserted(keelson: Keelson, progress: Progress): Promise<void> {
  const queue = await keelson.queueWithoutWorker().catch(() => undefined)
  if (queue !== undefined)
    progress.note(`no worker listens on ${queue}: start one with \`keelson worker --engine temporal\``)
}

function progressFor(terminal: Terminal, options: Options): Progress {
  if (options.json) return jsonProgress(terminal)
  return terminal.isTty ? treeProgress(terminal, HINT) : lineProgress(terminal)
}

const HINT = 'Ctrl-C leaves it for later, twice cancels (5 s grace)'
