/**
 * Follows one run through its log, whichever process drives it: reads new records and folds them into the view people
 * see. It also keeps the few instants that the view leaves out, so that waits and retries can be counted down.
 */
import type { LogRecord } from '../../../core/events/event.ts'
import { KILLS_PROCESS } from '../../../core/engine/last-words.ts'
import { innerStepSlot } from '../../../core/events/slot.ts'
import { compileGraph, type PlanGraph } from '../../../core/plan/compile/graph.ts'
import { isForeign } from '../../../core/engine/engine-type.ts'
import { fail, KeelsonError, problem } from '../../../core/problems/problem.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import { msFromIso } from '../../../core/time.ts'
import { incrementalProject } from '../../../core/view/project/project-run.ts'
import { storedView } from '../../../app/project/stored-views.ts'
import { anyWaits, retriesOf, type Retry } from '../../../core/view/show/due-retries.ts'
import { runMetaOf, type RunMeta } from '../../../core/view/fold/run-meta.ts'
import { emptyView, type RunView } from '../../../core/view/fold/run-view.ts'
import { vectorGet } from '../../../core/collections/vector.ts'
import type { ReadableRun, ReadableRuns } from '../../../library/read/readable-runs.ts'
import { Reader } from '../../../library/read/reader.ts'
import { storeOf } from '../../../library/services-of.ts'
import { stepAbout } from '../../../core/events/slot-of.ts'

export interface RunWatch<H extends ReadableRun = ReadableRun> {
  readonly handle: H
  readonly graph: PlanGraph
  readonly view: RunView
  /** By slot: failed attempts that will be repeated. */
  readonly retries: ReadonlyMap<string, Retry>
  /** By step: failed attempts of its items that were repeated, counted by code. */
  readonly itemFailures: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** By slot: the end of a wait. */
  readonly waits: ReadonlyMap<string, number>
  /** By step: the pools it waits for. */
  readonly grantWaits: ReadonlyMap<string, readonly string[]>
  /** By slot: the title of an open manual task, with its values. */
  readonly titles: ReadonlyMap<string, string>
  readonly ended: boolean
  /** The run was set aside, or archived: nobody will end it. The picture shows its sound part. */
  readonly trouble: KeelsonError | undefined
  /** New records since the last call. */
  pump(): Promise<readonly LogRecord[]>
}

type Around = <T>(work: () => Promise<T>) => Promise<T>

/** With `atSeq`, the run as it was after that event. */
export async function watchRun<H extends ReadableRun>(
  handle: H,
  atSeq = Infinity,
  around: Around = (work) => work(),
): Promise<RunWatch<H>> {
  // A reader must not die from folding the run, as its drivers did.
  if (handle.row.quarantine === KILLS_PROCESS) throw (await handle.trouble())?.error ?? planGone(handle)
  return watchFolded(handle, atSeq, around)
}

/**
 * From the stored view of the run and what follows it. For a `picture` of a live run it is used only where nothing waited when it
 * was stored: only the log tells until when, and for what.
 */
export async function watchFromView<H extends ReadableRun>(
  reader: ReadableRuns,
  handle: H,
  purpose: 'picture' | 'view' = 'view',
): Promise<RunWatch<H>> {
  if (handle.row.quarantine === KILLS_PROCESS) throw (await handle.trouble())?.error ?? planGone(handle)
  // Of a run on a server the log is folded: its view is as far away.
  if (!(reader instanceof Reader)) return watchFolded(handle)
  const { runKey, nextSeq, status } = handle.row
  const isPicture = purpose === 'picture' && !isTerminalRun(status)
  const stored = async (meta: RunMeta): Promise<RunView | undefined> => {
    const found = await storedView(storeOf(reader), runKey, meta, nextSeq - 1)
    return found !== undefined && isPicture && anyWaits(found) ? undefined : found
  }
  return watchFolded(handle, Infinity, (work) => work(), stored)
}

/** For a caller that folds the run in any case, even one that was set aside because folding killed its processes. */
export async function watchFolded<H extends ReadableRun>(
  handle: H,
  atSeq = Infinity,
  around: Around = (work) => work(),
  stored: (meta: RunMeta) => Promise<RunView | undefined> = async () => undefined,
): Promise<RunWatch<H>> {
  if (isForeign(handle.row))
    fail('RUN_FOREIGN', `the log of run ${handle.runId} was imported: only its decider could tell more`)
  const plan = await handle.plan()
  if (plan === undefined) throw (await handle.trouble())?.error ?? planGone(handle)
  const graph = compileGraph(plan)
  const waits = new Map<string, number>()
  const grantWaits = new Map<string, readonly string[]>()
  const titles = new Map<string, string>()
  let trouble: KeelsonError | undefined
  const meta = runMetaOf(handle.runId, graph, handle.row.engineType)
  let view = (await stored(meta)) ?? emptyView(meta)
  const retries = retriesOf(view)
  const itemFailures = itemFailuresOf(view)
  return {
    handle,
    graph,
    retries,
    itemFailures,
    waits,
    grantWaits,
    titles,
    get view() {
      return view
    },
    get ended() {
      return isTerminalRun(view.run.status)
    },
    get trouble() {
      return trouble
    },
    pump: () =>
      around(async () => {
        const [records, found] = await readable(handle, view.lastEventSeq, atSeq)
        trouble = found
        if (graph.anyWants && atSeq === Infinity) await noteGrantWaits(handle, grantWaits)
        view = incrementalProject(view, records).view
        for (const record of records) {
          noteInstants(record, retries, waits)
          noteItemFailure(record, itemFailures)
        }
        if (found === undefined && atSeq === Infinity) await noteTitles(handle, graph, records, titles)
        return records
      }),
  }
}

function planGone({ runId }: ReadableRun): KeelsonError {
  return new KeelsonError([problem('PLAN_NOT_FOUND', `the plan of run ${runId} is not stored here`)])
}

/** New records, and why no more will come. */
async function readable(
  handle: ReadableRun,
  afterSeq: number,
  upToSeq: number,
): Promise<readonly [readonly LogRecord[], KeelsonError | undefined]> {
  try {
    return [await handle.records(afterSeq, upToSeq), undefined]
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    const soundSeq = thrown.problems[0].details?.['soundSeq']
    if (typeof soundSeq !== 'number') throw thrown
    return [await handle.records(afterSeq, Math.min(soundSeq, upToSeq)), thrown]
  }
}

async function noteGrantWaits(handle: ReadableRun, grantWaits: Map<string, readonly string[]>): Promise<void> {
  const waits = await handle.grantWaits()
  grantWaits.clear()
  for (const { slot, pools } of waits) {
    const stepId = innerStepSlot(slot)?.stepId
    if (stepId !== undefined) grantWaits.set(stepId, pools)
  }
}

/** Only the log and its values give a title with `${…}`; other titles are in the plan. */
async function noteTitles(
  handle: ReadableRun,
  graph: PlanGraph,
  records: readonly LogRecord[],
  titles: Map<string, string>,
): Promise<void> {
  let look: Awaited<ReturnType<ReadableRun['look']>> | undefined
  for (const record of records) {
    const { stepId, itemIndex } = (record.eventType === 'ManualTaskOpened' && stepAbout(record)) || {}
    if (stepId === undefined || itemIndex !== undefined) continue
    const step = graph.steps[graph.indexOf.get(stepId) ?? -1]
    if (step === undefined || !('manual' in step) || !step.manual.title.includes('${')) continue
    look ??= await handle.look()
    const { title } = await look.stepDetail(stepId)
    if (title !== undefined) titles.set(stepId, title)
  }
}

function noteInstants(record: LogRecord, retries: Map<string, Retry>, waits: Map<string, number>): void {
  const { stepId: slot, payload = {} } = record
  if (slot === undefined) return
  retries.delete(slot)
  waits.delete(slot)
  if (record.eventType === 'StepStarted') {
    const until = instant(payload['waitUntil'])
    const forMs = payload['waitForMs']
    const began = instant(payload['startedAt'])
    if (until !== undefined) waits.set(slot, until)
    else if (typeof forMs === 'number' && began !== undefined) waits.set(slot, began + forMs)
  }
  const retryAt = instant(payload['retryAt'])
  if (record.eventType !== 'StepFailed' || retryAt === undefined) return
  const { code } = payload['error'] as { readonly code: string }
  const { parentStepId: stepId = slot, itemIndex, logicalAttemptId: failedAttempt } = record
  retries.set(slot, { stepId, failedAttempt, retryAt, code, ...(itemIndex === undefined ? {} : { itemIndex }) })
}

function instant(value: unknown): number | undefined {
  return typeof value === 'string' ? msFromIso(value) : undefined
}

/** Items are many and have no row of their own; their step's row shows what went wrong with them. */
type ItemFailures = Map<string, Map<string, number>>

function itemFailuresOf(view: RunView): ItemFailures {
  const counts: ItemFailures = new Map()
  view.meta.stepIds.forEach((stepId, step) => {
    const fan = vectorGet(view.steps, step)?.fan
    for (let item = 0; item < (fan?.total ?? 0); item += 1) {
      const attempts = (fan === undefined ? undefined : vectorGet(fan.items, item))?.own.attempts ?? []
      for (const { retryAt, error } of attempts)
        if (retryAt !== undefined && error?.code !== undefined) count(counts, stepId, error.code)
    }
  })
  return counts
}

function noteItemFailure({ eventType, parentStepId, itemIndex, payload = {} }: LogRecord, counts: ItemFailures): void {
  if (eventType !== 'StepFailed' || parentStepId === undefined || itemIndex === undefined) return
  if (payload['retryAt'] === undefined) return
  const { code } = payload['error'] as { readonly code: string }
  count(counts, parentStepId, code)
}

function count(counts: ItemFailures, stepId: string, code: string): void {
  const ofStep = counts.get(stepId) ?? new Map<string, number>()
  counts.set(stepId, ofStep.set(code, (ofStep.get(code) ?? 0) + 1))
}
