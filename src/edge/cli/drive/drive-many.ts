/** Shows several runs that this process drives: plain lines with the name of their run, and one line for each end. */
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { Adopted } from '../open/adopt-when-free.ts'
import type { Options } from '../terminal/command.ts'
import { EXIT, exitOfProblem, exitOfStatus } from '../terminal/exit-codes.ts'
import { follow, type Doorbell } from '../progress/follow.ts'
import { headerLines } from '../files/header-lines.ts'
import { jsonProgress } from '../progress/json-progress.ts'
import { lineProgress } from '../progress/line-progress.ts'
import { tellProblems } from '../output/problems.ts'
import { tellEnd, tellLeft } from '../output/summary.ts'
import type { RunWatch } from '../progress/run-watch.ts'
import { watchDriven } from '../progress/watch-driven.ts'
import { forgetSource } from '../files/sources.ts'
import { standsStill } from './standstill.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { driveOne } from './drive-one.ts'

export interface ManyRuns {
  readonly runs: readonly Adopted[]
  readonly doorbell: Doorbell
  readonly options: Options
  readonly terminal: Terminal
}

async function driveMany({ runs, doorbell, options, terminal }: ManyRuns): Promise<number> {
  const watches = await Promise.all(runs.map(({ keelson, handle }) => watchDriven(keelson, handle)))
  const progress = options.json ? jsonProgress(terminal) : lineProgress(terminal, true)
  try {
    for (const watch of watches) progress.begin(watch, headerLines(terminal, watch.handle, options))
    await follow({ watches, progress, doorbell, second: 'leave', standsStill })
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
  forgetSource(options.dir, watch.handle.row)
  const result = await watch.handle.result()
  if (options.json) {
    terminal.json({ result })
    return
  }
  terminal.line()
  for (const line of headerLines(terminal, watch.handle, options)) terminal.line(line)
  await tellEnd(terminal, watch, result)
}

/**
 * A run that was set aside counts more than a failure, that more than a cancellation, and that more than a run left for
 * later.
 */
function worstOf(watches: readonly RunWatch[]): number {
  const codes = new Set(watches.map(exitOf))
  return (
    [EXIT.environment, EXIT.failed, EXIT.cancelled, EXIT.detached].find((code) => codes.has(code)) ?? EXIT.completed
  )
}

function exitOf({ trouble, view }: RunWatch): number {
  return trouble === undefined ? exitOfStatus(view.run.status) : exitOfProblem(trouble.code)
}

/** Runs that were adopted or started from the queue: one as a picture, several as lines. */
export function driveRuns(many: ManyRuns): Promise<number> {
  const [only, second] = many.runs
  if (only === undefined || second !== undefined) return driveMany(many)
  return driveOne({ ...many, ...only, leavesStill: true })
}
