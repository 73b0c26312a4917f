/**
 * `keelson plan diff`: what changed between two plans, files or published ones, in words, and the live runs of that plan. A run keeps
 * the version it began with, so the change does not affect these runs.
 */
import { existsSync } from 'node:fs'
import type { Plan } from '../../../core/plan/plan.ts'
import { diffPlans, isEmptyDiff } from '../../../core/plan/write/diff-plans.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { allRuns } from '../open/find-run.ts'
import { plural, shortId } from '../terminal/format.ts'
import { tellDiff } from '../plans/plan-changes.ts'
import { comparedPlan } from '../plans/compared-plan.ts'
import { databaseFile, serverUrl, storeUrl, type Place } from '../files/place.ts'
import { openToRead } from '../open/reading.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** A live run, and its current steps. */
interface Touched {
  readonly row: RunRow
  readonly version: 'old' | 'new' | 'other'
  readonly at: readonly string[]
}

export async function planDiff({ args, options, terminal }: Call): Promise<number> {
  const before = await comparedPlan(args[0] ?? '', options)
  const after = await comparedPlan(args[1] ?? '', options)
  const blockOf = (sha256: string): Plan | undefined => before.blocks.get(sha256) ?? after.blocks.get(sha256)
  const diff = diffPlans(before.plan, after.plan, { blockOf })
  const touched = await liveRuns(options, before.plan.metadata.planId, { old: before.sha256, new: after.sha256 })
  if (options.json) {
    const runs = touched.map(({ row, version, at }) => ({
      runId: row.runId,
      status: row.status,
      planVersion: row.planVersion,
      version,
      stepsDone: row.stepsDone,
      stepsTotal: row.stepsTotal,
      at,
    }))
    terminal.json({ from: before.sha256, to: after.sha256, ...diff, runs })
    return EXIT.completed
  }
  if (isEmptyDiff(diff)) terminal.line('the plans are the same')
  else tellDiff(terminal, diff, { before: before.plan, after: after.plan })
  tellRuns(terminal, touched)
  return EXIT.completed
}

const RUNS_TOLD = 10

function tellRuns(terminal: Terminal, touched: readonly Touched[]): void {
  const stay = touched.filter(({ version }) => version !== 'new')
  if (stay.length === 0) return
  const { bold, dim } = terminal.paint
  terminal.line()
  terminal.line(
    `${bold(plural(stay.length, 'run'))} of an older version ${stay.length === 1 ? 'goes' : 'go'} on with the plan ${stay.length === 1 ? 'it' : 'they'} began with:`,
  )
  for (const { row, at } of stay.slice(0, RUNS_TOLD)) {
    const place = at.length === 0 ? '' : `at ${at.join(', ')}`
    terminal.line(
      `  ${shortId(row.runId)}  ${row.planVersion}  ${row.status}  ${row.stepsDone}/${row.stepsTotal}  ${dim(place)}`.trimEnd(),
    )
  }
  if (stay.length > RUNS_TOLD) terminal.line(dim(`  … and ${stay.length - RUNS_TOLD} more`))
}

const LIVE = ['PENDING', 'APPROVED', 'RUNNING', 'PAUSED'] as const

/** Comparing two files needs no runs: without a store there are none. */
async function liveRuns(
  place: Place,
  planId: string,
  hashes: { readonly old: string; readonly new: string },
): Promise<readonly Touched[]> {
  const isNowhere = storeUrl(place) === undefined && !existsSync(databaseFile(place))
  if (isNowhere && serverUrl(place) === undefined) return []
  const keelson = await openToRead(place)
  try {
    const found: Touched[] = []
    for await (const row of allRuns(keelson, { planId, status: LIVE })) {
      const { steps } = await (await keelson.run(row.runId)).snapshot()
      const version = row.planSha256 === hashes.old ? 'old' : row.planSha256 === hashes.new ? 'new' : 'other'
      const at = steps.filter(({ status, role }) => status === 'RUNNING' && role === undefined)
      found.push({ row, version, at: at.map(({ stepId }) => stepId) })
    }
    return found
  } finally {
    await keelson.close()
  }
}
