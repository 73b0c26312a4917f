/**
 * `keelson plan diff`: what changed between two plan files, in words, and the runs that have not ended of that plan. A run
 * keeps the version it began with, so these are the ones a change does not reach.
 */
import { existsSync } from 'node:fs'
import { diffPlans, isEmptyDiff, type FieldChange, type PlanDiff } from '../../../core/plan/diff-plans.ts'
import type { Plan } from '../../../core/plan/plan.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { allRuns } from '../find-run.ts'
import { oneLine, plural, shortId } from '../output/format.ts'
import { actionText } from '../output/plan-picture.ts'
import { readPlanFile } from '../plan-file.ts'
import { databaseFile, storeUrl, type Place } from '../place.ts'
import { openExisting } from '../session.ts'
import type { Terminal } from '../terminal.ts'

/** A run that has not ended, and the steps it is at. */
interface Touched {
  readonly row: RunRow
  readonly version: 'old' | 'new' | 'other'
  readonly at: readonly string[]
}

export async function planDiff({ args, options, terminal }: Call): Promise<number> {
  const before = readPlanFile(args[0] ?? '').compiled
  const after = readPlanFile(args[1] ?? '').compiled
  const diff = diffPlans(before.plan, after.plan)
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
  else tellDiff(terminal, diff, before.plan, after.plan)
  tellRuns(terminal, touched)
  return EXIT.completed
}

function tellDiff(terminal: Terminal, diff: PlanDiff, before: Plan, after: Plan): void {
  const { green, red, yellow, bold, dim } = terminal.paint
  const doing = (plan: Plan, id: string): string => {
    const step = plan.steps.find(({ stepId }) => stepId === id)
    return step === undefined ? '' : dim(actionText(step))
  }
  for (const field of diff.plan) terminal.line(`${yellow('~')} ${fieldText(field)}`)
  for (const id of diff.removed) terminal.line(`${red('-')} step ${bold(id)} is gone   ${doing(before, id)}`)
  for (const id of diff.added) terminal.line(`${green('+')} step ${bold(id)} is new   ${doing(after, id)}`)
  for (const { stepId, fields } of diff.changed) {
    terminal.line(`${yellow('~')} step ${bold(stepId)}`)
    for (const field of fields) terminal.line(`    ${fieldText(field)}`)
  }
}

const VALUE_CHARS = 60
const valueText = (value: unknown): string => oneLine(JSON.stringify(value), VALUE_CHARS)

function fieldText(change: FieldChange): string {
  const { path, from, to } = change
  if (path === 'order') return `comes at place ${String(to)} of those in both, not ${String(from)}`
  if (from === undefined) return `${path}: ${valueText(to)}, which was not there`
  return to === undefined
    ? `${path} is gone; it was ${valueText(from)}`
    : `${path}: ${valueText(from)} → ${valueText(to)}`
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

/** Comparing two files needs no runs: where nothing is kept there are none. */
async function liveRuns(
  place: Place,
  planId: string,
  hashes: { readonly old: string; readonly new: string },
): Promise<readonly Touched[]> {
  if (storeUrl(place) === undefined && !existsSync(databaseFile(place))) return []
  const keelson = await openExisting(place)
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
