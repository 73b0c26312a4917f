/**
 * A run as rows, one per step: its state, its duration, and in a few words what it waits for or what went wrong. Pure:
 * the same view at the same instant gives the same rows.
 */
import type { LogRecord } from '../../../core/events/event.ts'
import { childRunId } from '../../../app/log/derived-uuid.ts'
import { attemptOf } from '../terminal/attempt-text.ts'
import type { Step } from '../../../core/plan/plan.ts'
import { vectorGet } from '../../../core/collections/vector.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import { msFromIso } from '../../../core/time.ts'
import type { CompensationSnapshot, StepSnapshot } from '../../../core/view/fold/run-snapshot.ts'
import { snapshotOf, undoneItemsOf } from '../../../core/view/show/snapshot-of.ts'
import type { RunWatch } from './run-watch.ts'
import { countdown, duration, oneLine, plural, shortId, timeOfDay } from '../terminal/format.ts'

export type Mark = 'done' | 'running' | 'failed' | 'waiting' | 'skipped' | 'undone'

export interface Row {
  readonly mark: Mark
  readonly name: string
  /** A duration, or the number of items that are done. */
  readonly time: string
  readonly notes: readonly string[]
}

type Scene = Pick<RunWatch, 'graph' | 'view' | 'retries' | 'itemFailures' | 'waits' | 'grantWaits' | 'titles'>

export function rowsOf(scene: Scene, now: number): readonly Row[] {
  const snapshot = snapshotOf(scene.view)
  const byId = new Map(snapshot.steps.map((step) => [step.stepId, step]))
  const live = !isTerminalRun(snapshot.status)
  return scene.graph.steps.flatMap((step, index) => {
    const shown = byId.get(step.stepId)
    if (shown === undefined) return []
    // What a fallback did instead of its step is undone there too.
    const compensation = shown.compensation ?? shown.fallback?.compensation
    const undone = undoneItemsOf(scene.view, step.stepId) ?? {}
    const told = { ...shown, ...undone, ...(compensation === undefined ? {} : { compensation }) }
    return [rowOf(scene, step, index, told, now, live, byId)]
  })
}

/** With the number of items of a fan-out that were undone, and of those that could not be. */
type Shown = StepSnapshot & { readonly undone?: number; readonly notUndone?: number }
type Steps = ReadonlyMap<string, StepSnapshot>

function rowOf(scene: Scene, step: Step, index: number, shown: Shown, now: number, live: boolean, byId: Steps): Row {
  const mark = markOf(shown, live)
  const attempts = attemptNotes(step, shown)
  const ofItems = countNotes(scene.itemFailures.get(step.stepId) ?? new Map())
  const time = timeText(shown, now, live)
  const row = (...notes: readonly string[]): Row => ({
    mark,
    name: step.stepId,
    time,
    notes: notes.filter((note) => note !== ''),
  })
  switch (mark) {
    case 'undone':
      return row(undoneNote(shown), ...undoneItems(shown, live))
    case 'done':
      return row(
        itemsNote(shown),
        ...undoneItems(shown, live),
        ...attempts,
        ...ofItems,
        shown.recovered === true ? 'failed; its fallback did it' : '',
      )
    case 'failed':
      return row(itemsNote(shown), ...undoneItems(shown, live), ...attempts, ...ofItems, errorNote(shown, live))
    case 'skipped':
      return row(skipNote(shown))
    case 'running': {
      const notes = runningNotes(scene, step, shown, now)
      return row(...notes, ...attempts, ...(notes.length === 0 ? ofItems : []))
    }
    case 'waiting':
      return row(live ? waitingNote(scene, index, byId) : 'not started')
  }
}

function markOf(shown: Shown, live: boolean): Mark {
  const { compensation, undone = 0, notUndone = 0 } = shown
  if (compensation !== undefined) return isNotUndone(compensation, live) ? 'failed' : 'undone'
  if (notUndone > 0) return 'failed'
  if (undone > 0 && shown.status === 'SUCCESS') return 'undone'
  if (shown.recovered === true) return 'done'
  switch (shown.status) {
    case 'SUCCESS':
      return 'done'
    case 'FAILED':
      return 'failed'
    case 'SKIPPED':
      return 'skipped'
    case 'RUNNING':
      return live ? 'running' : 'failed'
    case 'PENDING':
      return 'waiting'
  }
}

/** From the first attempt's start to the last one's end: what a person waited, retries included. */
function timeText(shown: StepSnapshot, now: number, live: boolean): string {
  if (shown.items !== undefined && shown.status === 'RUNNING') return `${shown.items.done}/${shown.items.total}`
  const began = shown.attempts[0]?.startedAt
  const from = began === undefined ? undefined : msFromIso(began)
  if (from === undefined || shown.status === 'SKIPPED') return ''
  const ended = shown.completedAt === undefined ? undefined : msFromIso(shown.completedAt)
  if (ended !== undefined) return duration(ended - from)
  return live ? duration(Math.floor(Math.max(0, now - from) / 100) * 100) : ''
}

function attemptNotes(step: Step, shown: StepSnapshot): readonly string[] {
  const attempt = shown.logicalAttemptId
  if (attempt <= 1) return []
  const failures = new Map<string, number>()
  for (const { error } of shown.attempts.slice(0, -1)) {
    if (error !== undefined) failures.set(error.code, (failures.get(error.code) ?? 0) + 1)
  }
  // The error itself stands beside it.
  if (shown.status === 'FAILED' && shown.error !== undefined) failures.delete(shown.error.code)
  return [attemptOf(attempt, step.retry.maxAttempts), ...countNotes(failures)]
}

function countNotes(failures: ReadonlyMap<string, number>): readonly string[] {
  return [...failures].map(([code, times]) => `${times} × ${code}`)
}

function itemsNote({ items }: Pick<StepSnapshot, 'items'>): string {
  if (items === undefined) return ''
  return items.done === items.total ? plural(items.total, 'item') : `${items.done} of ${plural(items.total, 'item')}`
}

const MESSAGE_CHARS = 80

export interface ToldError {
  readonly code: string
  readonly message?: string
  readonly statusCode?: number
}

export function errorText(error: ToldError): string {
  const message = error.message === undefined ? '' : oneLine(error.message, MESSAGE_CHARS)
  return message === '' ? codeText(error) : `${codeText(error)}  "${message}"`
}

/** The status of an error is shown beside its code, unless the code contains it: `HTTP_404`. */
function codeText({ code, statusCode }: ToldError): string {
  return statusCode === undefined || code.endsWith(String(statusCode)) ? code : `${code} (status ${statusCode})`
}

/** Given up, or interrupted by the end of the run: the step's effect still exists. */
export function isNotUndone({ status, retryAt }: CompensationSnapshot, live: boolean): boolean {
  return live ? status === 'FAILED' && retryAt === undefined : status !== 'DONE'
}

function errorNote(shown: StepSnapshot, live: boolean): string {
  const { compensation } = shown
  if (compensation !== undefined && isNotUndone(compensation, live)) {
    const { error, status } = compensation
    if (status !== 'FAILED') return 'not undone: the run was stopped before that'
    return `could not be undone${error === undefined ? '' : `: ${errorText(error)}`}`
  }
  return shown.error === undefined ? '' : errorText(shown.error)
}

function undoneNote({ compensation, items }: StepSnapshot): string {
  if (compensation === undefined) return items === undefined || items.done === items.total ? '' : itemsNote({ items })
  if (compensation.status === 'DONE') return 'undone'
  if (compensation.status === 'FAILED')
    return `undoing it failed (attempt ${compensation.attempts}), and is tried again`
  return compensation.status === 'RUNNING' ? `being undone (attempt ${compensation.attempts})` : 'to be undone'
}

/** Items have no row of their own: their step's row shows how many were undone, and counts while they are. */
function undoneItems({ items, undone = 0, notUndone = 0 }: Shown, live: boolean): readonly string[] {
  const done = items?.done ?? 0
  const isUnderWay = live && undone > 0 && undone + notUndone < done
  return [
    undone === 0
      ? ''
      : isUnderWay
        ? `undoing ${undone} of ${done}`
        : undone === done
          ? `undone (${undone})`
          : `${undone} of ${done} undone`,
    notUndone === 0 ? '' : `${notUndone} could not be undone`,
  ]
}

function skipNote({ reasonCode, reason = '' }: StepSnapshot): string {
  if (reasonCode === 'CONDITION_FALSE') return 'skipped: its condition is false'
  if (reasonCode === 'DEPENDENCY_SKIPPED') return 'skipped: a step it needs was skipped'
  return reasonCode === 'DEPENDENCY_FAILED'
    ? 'skipped: a step it needs failed'
    : `skipped: ${oneLine(reason, MESSAGE_CHARS)}`
}

function runningNotes(scene: Scene, step: Step, shown: StepSnapshot, now: number): readonly string[] {
  const notes: string[] = []
  if (shown.waitingForManualCompletion === true)
    notes.push(`waits for a person: ${scene.titles.get(step.stepId) ?? ('manual' in step ? step.manual.title : '')}`)
  if ('plan' in step && shown.items === undefined) {
    const child = childRunId(scene.view.meta.runId, step.stepId, shown.logicalAttemptId)
    notes.push(`child run ${shortId(child)} of ${step.plan.planId}`)
  }
  const pools = scene.grantWaits.get(step.stepId)
  if (pools !== undefined) notes.push(`waits for ${pools.join(', ')}`)
  const wait = scene.waits.get(step.stepId)
  if (wait !== undefined) notes.push(`waits until ${timeOfDay(wait, now)} (${countdown(wait - now)})`)
  for (const retry of scene.retries.values()) {
    if (retry.stepId !== step.stepId || notes.length > 2) continue
    const what = retry.itemIndex === undefined ? 'retries' : `${step.stepId}[${retry.itemIndex}] retries`
    const next = attemptOf(retry.failedAttempt + 1, step.retry.maxAttempts)
    const when = scene.view.run.status === 'PAUSED' ? 'after the pause' : `in ${countdown(retry.retryAt - now)}`
    notes.push(`${what} ${when} (${next}), ${retry.code}`)
  }
  return notes
}

function waitingNote({ graph, view, grantWaits }: Scene, index: number, byId: Steps): string {
  const open = (graph.dependencies[index] ?? []).flatMap((dependency) => {
    const { stepId } = graph.steps[dependency] ?? { stepId: '' }
    const other = byId.get(stepId)
    const settled = other?.status === 'SUCCESS' || other?.status === 'SKIPPED' || other?.recovered === true
    return settled ? [] : [stepId]
  })
  const [first] = open
  if (first !== undefined)
    return open.length === 1 ? `waits for ${first}` : `waits for ${first} and ${open.length - 1} more`
  const { status } = view.run
  if (status === 'PENDING' || status === 'APPROVED') return 'starts next'
  if (status === 'PAUSED') return 'waits: the run is paused'
  const pools = grantWaits.get(graph.stepIds[index] ?? '')
  if (pools !== undefined) return `waits for ${pools.join(', ')}`
  return vectorGet(view.steps, index) === undefined ? 'waits for a free place' : ''
}

/** The code of a failure, its HTTP status and its text, as far as recorded. */
export function failureAt(records: readonly LogRecord[], runSeq: number, code: string): string {
  const record = records.find((one) => one.runSeq === runSeq)
  const error = record?.payload?.['error'] as ToldError | undefined
  const text = record?.data?.['errorText'] as { readonly message: string } | undefined
  return `${codeText({ ...error, code })}${text === undefined ? '' : ` "${oneLine(text.message, 200)}"`}`
}
