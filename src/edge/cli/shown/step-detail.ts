/** One step of a run for a person: what it was given and gave back, every attempt with its error and its place. */
import { greatest } from '../../../core/collections/extremes.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import { msFromIso } from '../../../core/time.ts'
import type { AttemptSnapshot, StepSnapshot } from '../../../core/view/fold/run-snapshot.ts'
import { itemsOf } from '../../../core/view/show/snapshot-of.ts'
import type { RelatedRuns } from '../../../app/views/related-runs.ts'
import type { StepDetail } from '../../../app/views/step-detail.ts'
import type { RunWatch } from '../progress/run-watch.ts'
import { errorText } from '../progress/picture.ts'
import { duration, oneLine, plural, shortId, timeOfDay } from '../terminal/format.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { nextCommand } from '../terminal/next-command.ts'

const VALUE_CHARS = 600
const ITEMS_TOLD = 20

export interface ShownStep {
  readonly slot: string
  readonly step: StepSnapshot
  readonly detail: StepDetail
  readonly children: RelatedRuns['children']
}

export function tellStep(terminal: Terminal, watch: RunWatch, { slot, step, detail, children }: ShownStep): void {
  const { bold } = terminal.paint
  const line = (name: string, text: string): void => terminal.line(`  ${name.padEnd(11)}${text}`)
  const tries = step.attempts.length === 0 ? '' : `   ${plural(step.attempts.length, 'attempt')}`
  terminal.line(`${bold(slot)}   ${step.status}${step.recovered === true ? ', its fallback did it' : ''}${tries}`)
  if (detail.title !== undefined) line('task', oneLine(detail.title, VALUE_CHARS))
  if (detail.input !== undefined) line('input', oneLine(JSON.stringify(detail.input), VALUE_CHARS))
  if (detail.inputProblem !== undefined) line('input', `cannot be shown: ${detail.inputProblem}`)
  if (detail.output !== undefined) line('output', oneLine(JSON.stringify(detail.output), VALUE_CHARS))
  if (step.reason !== undefined) line('reason', step.reason)
  for (const attempt of step.attempts) tellAttempt(terminal, attempt)
  tellItems(terminal, watch, step)
  const takeovers =
    greatest(
      step.attempts.map(({ engineAttemptId }) => engineAttemptId),
      0,
    ) - 1
  if (takeovers > 0) line('taken over', `${plural(takeovers, 'time')} by another process; it may have run before`)
  if (step.retryAt !== undefined) line('next try', timeOfDay(msFromIso(step.retryAt) ?? 0))
  if (step.compensation !== undefined) {
    const { status, attempts, error } = step.compensation
    line('undoing', `${status}, ${plural(attempts, 'attempt')}${error === undefined ? '' : `  ${errorText(error)}`}`)
  }
  for (const { slot: of, runId } of children.slice(0, ITEMS_TOLD))
    nextCommand(terminal, 'child run', `keelson show ${shortId(runId)}${of === slot ? '' : `   # ${of}`}`)
  for (const { kind, uri } of step.artifacts) line('artifact', `${kind}  ${uri}`)
  const isOpen = step.status === 'FAILED' || !isTerminalRun(watch.view.run.status)
  if (isOpen) nextCommand(terminal, 'why', `keelson why ${shortId(watch.handle.runId)} ${quoted(slot)}`)
}

/** For a shell: the slot of an item has brackets. */
function quoted(slot: string): string {
  return /^[\w.:-]+$/.test(slot) ? slot : `'${slot}'`
}

function tellAttempt(terminal: Terminal, attempt: AttemptSnapshot): void {
  const { logicalAttemptId, startedAt, durationMs, error, status, mayHaveRunTwice } = attempt
  const began = startedAt === undefined ? '' : timeOfDay(msFromIso(startedAt) ?? 0)
  const took = durationMs === undefined ? '' : duration(durationMs)
  const how = error === undefined ? status : errorText(error)
  const twice = mayHaveRunTwice === true ? 'may have run twice' : ''
  const told = [began, took, how, twice].filter((part) => part !== '').join('  ')
  terminal.line(`  ${`attempt ${logicalAttemptId}`.padEnd(11)}${told}`)
  const { dim } = terminal.paint
  for (const place of stackLines(error?.stackTrace)) terminal.line(dim(`             ${place}`))
}

const STACK_LINES = 4
/** This program's own files. */
const OURS = new URL('../../../', import.meta.url).href

/** The user's own lines first: where to look. Without them, the first ones. */
function stackLines(stack: string | undefined): readonly string[] {
  const lines = (stack ?? '').split('\n').map((line) => line.trim())
  const places = lines.filter((line) => line.startsWith('at '))
  const own = places.filter((line) => !/node:|node_modules/.test(line) && !line.includes(OURS))
  return (own.length === 0 ? places : own).slice(0, STACK_LINES)
}

/** Of a fan-out: how many are done, and which failed. */
function tellItems(terminal: Terminal, { view }: RunWatch, { stepId, items }: StepSnapshot): void {
  if (items === undefined) return
  terminal.line(
    `  items      ${items.done} of ${items.total} done${items.running === 0 ? '' : `, ${items.running} running`}`,
  )
  const failed = failedItems(view, stepId, items.total)
  for (const { itemIndex = 0, error } of failed.slice(0, ITEMS_TOLD))
    terminal.line(`  failed     ${stepId}[${itemIndex}]  ${error === undefined ? '' : errorText(error)}`)
  if (failed.length > ITEMS_TOLD) terminal.line(`             … and ${failed.length - ITEMS_TOLD} more`)
}

function failedItems(view: RunWatch['view'], stepId: string, total: number): readonly StepSnapshot[] {
  return itemsOf(view, stepId, 0, total).filter(({ status, recovered }) => status === 'FAILED' && recovered !== true)
}
