/**
 * Follows one run through its log, whichever process drives it: reads new records and folds them into the view people
 * see. It also keeps the few instants that the view leaves out, so that waits and retries can be counted down.
 */
import type { LogRecord } from '../../../core/events/event.ts'
import { KILLS_PROCESS } from '../../../core/engine/last-words.ts'
import { planWants } from '../../../app/grants/agent-pools.ts'
import { innerStepSlot } from '../../../core/events/slot.ts'
import { compileGraph, type PlanGraph } from '../../../core/plan/compile/graph.ts'
import type { Plan } from '../../../core/plan/plan.ts'
import { isForeign } from '../../../core/engine/engine-type.ts'
import { fail, KeelsonError, problem } from '../../../core/problems/problem.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import { msFromIso } from '../../../core/time.ts'
import { incrementalProject } from '../../../core/view/project/project-run.ts'
import { storedView } from '../../../app/project/stored-views.ts'
import { runMetaOf, type RunMeta } from '../../../core/view/fold/run-meta.ts'
import { emptyView, type RunView } from '../../../core/view/fold/run-view.ts'
import type { Reader } from '../../../library/reader.ts'
import type { RunReader } from '../../../library/run-reader.ts'
import { storeOf } from '../../../library/services-of.ts'
import { stepAbout } from '../../../core/events/slot-of.ts'

export interface Retry {
  readonly stepId: string
  readonly itemIndex?: number
  readonly failedAttempt: number
  readonly retryAt: number
  readonly code: string
}

export interface RunWatch<H extends RunReader = RunReader> {
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
export async function watchRun<H extends RunReader>(
  reader: Reader,
  handle: H,
  atSeq = Infinity,
  around: Around = (work) => work(),
): Promise<RunWatch<H>> {
  // A reader must not die from folding the run, as its drivers did.
  if (handle.row.quarantine === KILLS_PROCESS) throw (await handle.trouble())?.error ?? planGone(handle)
  return watchFolded(reader, handle, atSeq, around)
}

/**
 * From the stored view of the run and what follows it, for a caller that needs its view alone: instants and failures that
 * only the log tells are those of the events that follow.
 */
export async function watchFromView<H extends RunReader>(reader: Reader, handle: H): Promise<RunWatch<H>> {
  if (handle.row.quarantine === KILLS_PROCESS) throw (await handle.trouble())?.error ?? planGone(handle)
  const { runKey, nextSeq } = handle.row
  const stored = (meta: RunMeta): Promise<RunView | undefined> => storedView(storeOf(reader), runKey, meta, nextSeq - 1)
  return watchFolded(reader, handle, Infinity, (work) => work(), stored)
}

/** For a caller that folds the run in any case, even one that was set aside because folding killed its processes. */
export async function watchFolded<H extends RunReader>(
  reader: Reader,
  handle: H,
  atSeq = Infinity,
  around: Around = (work) => work(),
  stored: (meta: RunMeta) => Promise<RunView | undefined> = async () => undefined,
): Promise<RunWatch<H>> {
  if (isForeign(handle.row))
    fail('RUN_FOREIGN', `the log of run ${handle.runId} was imported: only its decider could tell more`)
  const text = await storeOf(reader).getPlan(handle.row.tenantId, handle.row.planSha256)
  if (text === undefined) throw (await handle.trouble())?.error ?? planGone(handle)
  const graph = compileGraph(JSON.parse(text) as Plan)
  const retries = new Map<string, Retry>()
  const itemFailures = new Map<string, Map<string, number>>()
  const waits = new Map<string, number>()
  const grantWaits = new Map<string, readonly string[]>()
  const titles = new Map<string, string>()
  let trouble: KeelsonError | undefined
  const meta = runMetaOf(handle.runId, graph, handle.row.engineType)
  let view = (await stored(meta)) ?? emptyView(meta)
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
        if (graph.anyWants && atSeq === Infinity) await noteGrantWaits(reader, handle, grantWaits)
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

function planGone({ runId }: RunReader): KeelsonError {
  return new KeelsonError([problem('PLAN_NOT_FOUND', `the plan of run ${runId} is not stored here`)])
}

/** New records, and why no more will come. */
async function readable(
  handle: RunReader,
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

async function noteGrantWaits(
  reader: Reader,
  { row }: RunReader,
  grantWaits: Map<string, readonly string[]>,
): Promise<void> {
  const { waits } = await storeOf(reader).readGrants(row.runKey)
  grantWaits.clear()
  for (const { slot, wants } of waits) {
    const stepId = innerStepSlot(slot)?.stepId
    if (stepId !== undefined) grantWaits.set(stepId, Object.keys(planWants(wants)))
  }
}

/** Only the log and its values give a title with `${…}`; other titles are in the plan. */
async function noteTitles(
  handle: RunReader,
  graph: PlanGraph,
  records: readonly LogRecord[],
  titles: Map<string, string>,
): Promise<void> {
  let look: Awaited<ReturnType<RunReader['look']>> | undefined
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

/** Items are many and have no row of their own; their step's row shows what went wrong with them. */
function noteItemFailure(record: LogRecord, counts: Map<string, Map<string, number>>): void {
  const { eventType, parentStepId: stepId, itemIndex, payload = {} } = record
  if (eventType !== 'StepFailed' || stepId === undefined || itemIndex === undefined) return
  if (payload['retryAt'] === undefined) return
  const { code } = payload['error'] as { readonly code: string }
  const ofStep = counts.get(stepId) ?? new Map<string, number>()
  counts.set(stepId, ofStep.set(code, (ofStep.get(code) ?? 0) + 1))
}

function instant(value: unknown): number | undefined {
  return typeof value === 'string' ? msFromIso(value) : undefined
}
