/** Shows a run while it moves, whoever drives it, then how it ended; the exit code is that of its end. */
import { headerLines } from '../files/header-lines.ts'
import { tellEnd, tellLeft } from '../output/summary.ts'
import { follow, type Following } from '../progress/follow.ts'
import { jsonProgress } from '../progress/json-progress.ts'
import { lineProgress } from '../progress/line-progress.ts'
import type { Progress } from '../progress/progress.ts'
import { treeProgress } from '../progress/tree-progress.ts'
import type { DrivenWatch } from '../progress/watch-driven.ts'
import type { Options } from '../terminal/command.ts'
import { EXIT, exitOfStatus } from '../terminal/exit-codes.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface Shown extends Pick<Following, 'doorbell' | 'early' | 'standsStill' | 'isServed'> {
  readonly watch: DrivenWatch
  /** Below the picture: what Ctrl-C does. */
  readonly hint: string
  /** Called when the picture has begun, and when the run has ended. */
  readonly begun?: (progress: Progress) => void
  readonly ended?: () => void
  readonly options: Options
  readonly terminal: Terminal
}

export async function showToEnd(shown: Shown): Promise<number> {
  const { watch, doorbell, early, standsStill, isServed, hint, options, terminal } = shown
  const { handle } = watch
  const progress = progressFor(terminal, options, hint)
  let followed: Awaited<ReturnType<typeof follow>>
  try {
    progress.begin(watch, headerLines(terminal, handle, options))
    shown.begun?.(progress)
    followed = await follow({
      watches: [watch],
      progress,
      doorbell,
      second: 'cancel',
      ...(isServed === undefined ? {} : { isServed }),
      ...(early === undefined ? {} : { early }),
      ...(standsStill === undefined ? {} : { standsStill }),
    })
  } finally {
    progress.end()
  }
  if (watch.trouble !== undefined) throw watch.trouble
  if (followed !== 'ended') {
    if (options.json) terminal.json({ result: { runId: handle.runId, status: watch.view.run.status, detached: true } })
    else tellLeft(terminal, [watch])
    return EXIT.detached
  }
  shown.ended?.()
  const result = await handle.result()
  if (options.json) terminal.json({ result })
  else await tellEnd(terminal, watch, result)
  return exitOfStatus(result.status)
}

function progressFor(terminal: Terminal, options: Options, hint: string): Progress {
  if (options.json) return jsonProgress(terminal)
  return terminal.isTty ? treeProgress(terminal, hint) : lineProgress(terminal)
}
