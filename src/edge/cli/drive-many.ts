/** Shows several runs that this process drives: plain lines that name their run, and one line for each end. */
import { isTerminalRun } from '../../core/run/transitions.ts'
import type { Adopted } from './adopt-when-free.ts'
import type { Options } from './command.ts'
import { EXIT, exitOfProblem, exitOfStatus } from './exit-codes.ts'
import { follow, type Doorbell } from './follow.ts'
import { header } from './drive-one.ts'
import { jsonProgress } from './output/json-progress.ts'
import { lineProgress } from './output/line-progress.ts'
import { tellProblems } from './output/problems.ts'
import { tellEnd, tellLeft } from './output/summary.ts'
import { watchRun, type RunWatch } from './run-watch.ts'
import { forgetSource } from './sources.ts'
import { standsStill } from './standstill.ts'
import type { Terminal } from './terminal.ts'

export interface ManyRuns {
  readonly runs: readonly Adopted[]
  readonly doorbell: Doorbell
  readonly options: Options
  readonly terminal: Terminal
}

export async function driveMany({ runs, doorbell, options, terminal }: ManyRuns): Promise<number> {
  const watches = await Promise.all(runs.map(({ keelson, handle }) => watchRun(keelson, handle)))
  const progress = options.json ? jsonProgress(terminal) : lineProgress(terminal, true)
  try {
    for (const watch of watches) progress.begin(watch, header(terminal, watch.handle, options))
    await follow({ watches, progress, doorbell, interrupt: 'leave', standsStill })
  } finally {
    progress.end()
  }
  const left = watches.filter((watch) => !watch.ended && watch.trouble === undefined)
  for (const watch of watches) await tellOne(watch, options, terminal)
  if (left.length > 0 && !options.json) tellLeft(terminal, left)
  return worstOf(watches)
}

async function tellOne(watch: RunWatch, options: Options, terminal: Terminal): Promise<void> {
  const { status } = watch.view.run
  if (watch.trouble !== undefined) return tellProblems(terminal, watch.trouble, options)
  if (!isTerminalRun(status)) {
    if (options.json) terminal.json({ result: { runId: watch.handle.runId, status, detached: true } })
    return
  }
  forgetSource(options.dir, watch.handle.runId)
  const result = await watch.handle.result()
  if (options.json) {
    terminal.json({ result })
    return
  }
  terminal.line(`\n${header(terminal, watch.handle, options)}`)
  await tellEnd(terminal, watch, result)
}

/** A run that was set aside says more than a failure, that more than a cancellation, and that more than a run left for later. */
function worstOf(watches: readonly RunWatch[]): number {
  const codes = new Set(watches.map(exitOf))
  return (
    [EXIT.environment, EXIT.failed, EXIT.cancelled, EXIT.detached].find((code) => codes.has(code)) ?? EXIT.completed
  )
}

function exitOf({ trouble, view }: RunWatch): number {
  return trouble === undefined ? exitOfStatus(view.run.status) : exitOfProblem(trouble.code)
}
