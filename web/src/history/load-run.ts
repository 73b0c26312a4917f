/**
 * Brings a run into the page: what it is, its plan, its events page by page, and then those that are written, one by one, until
 * it has ended. Nothing is fetched twice, and while one page of the log is read the next ones are on their way.
 */
import type { ExecutionState } from '../../../src/client/connect.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import type { Plan } from '../../../src/core/plan/plan.ts'
import { isStale, takeArrived, takeResync } from '../../../src/core/view/project/reading-mark.ts'
import { KeelsonError } from '../../../src/core/problems/problem.ts'
import type { Session } from '../server/session.ts'
import { RunHistory } from './run-history.ts'

export interface LoadedRun {
  readonly execution: ExecutionState
  readonly history: RunHistory
  /** All events that were there when it was opened have arrived. */
  readonly isWhole: boolean
  /** No more events will come. */
  readonly hasEnded: boolean
  /** An event came before those that are numbered below it: the copy is behind until they are read (UIC-02). */
  readonly isStale: boolean
  /** Present where it was read from a file: then nothing is asked of a server. */
  readonly file?: RunFile
}

/** What a file knows of a run beside its events. */
export interface RunFile {
  /** What a step, an item or a fallback had given back by event `seq`; undefined: the file has nothing. */
  readonly outputOf: (slot: string, seq: number) => unknown
}

/** The most that the server gives at once. */
const PAGE = 1_000
/** So many pages are asked for before the first of them is here. */
const AHEAD = 3
/** While a long log is read, what has arrived is shown so often, and no more: showing it takes time from reading. */
const SHOWN_EVERY_MS = 400

interface Page {
  readonly records: readonly LogRecord[]
  /** The run had ended when it was read. */
  readonly ended: boolean
}

export async function loadRun(
  session: Session,
  executionId: string,
  signal: AbortSignal,
  told: (run: LoadedRun) => void,
): Promise<void> {
  const { client } = session
  const params = { executionId }
  const read = async (after: number): Promise<Page> => {
    const page = await client.call('listEvents', { params, query: { after, limit: PAGE }, signal })
    return { records: page.events as unknown as readonly LogRecord[], ended: page.ended }
  }
  const first = quietly(read(0))
  const execution = await client.call('getExecution', { params, query: { with: ['row'] }, signal })
  const plan = await planOf(client, execution.planSha256, signal)
  const history = new RunHistory(execution.executionId, plan, execution.engine)
  const tell = (isWhole: boolean, hasEnded: boolean, isBehind = false): void =>
    told({ execution, history, isWhole, hasEnded, isStale: isBehind })
  let shown = -Infinity
  for await (const { records, ended } of pagesOf(first, read, execution.lastEventSeq)) {
    history.add(records)
    const isWhole = records.length < PAGE
    const now = performance.now()
    if (isWhole || now - shown > SHOWN_EVERY_MS) {
      tell(isWhole, ended && isWhole)
      shown = now
    }
    if (ended && isWhole) return
  }
  let mark = { lastEventSeq: history.lastSeq, seenUpTo: history.lastSeq }
  for await (const record of client.run(execution.executionId).events(history.lastSeq, { signal })) {
    // What was erased is in events that came before: they are read anew, without it.
    if (record.eventType === 'ErasureRecorded') return loadRun(session, executionId, signal, told)
    const arrived = takeArrived(mark, [record])
    mark = arrived.mark
    history.add(arrived.records)
    tell(true, false, isStale(mark))
    while (isStale(mark)) {
      const missing = takeResync(mark, (await read(mark.lastEventSeq)).records)
      // It is late there too: the next event asks again.
      if (missing.records.length === 0) break
      mark = missing.mark
      history.add(missing.records)
      tell(true, false, isStale(mark))
    }
  }
  tell(true, true)
}

/**
 * The pages of the log in their order. Numbers only rise, so what follows event 1,000 up to 2,000 fits one page whether or not
 * the page before has arrived; what was written in the meantime is asked for one page after the other.
 */
async function* pagesOf(
  first: Promise<Page>,
  read: (after: number) => Promise<Page>,
  lastSeq: number,
): AsyncGenerator<Page, void> {
  const coming = [first]
  for (let after = 0; ;) {
    for (let at = after + coming.length * PAGE; coming.length < AHEAD && at < lastSeq; at += PAGE)
      coming.push(quietly(read(at)))
    const page = await (coming.shift() ?? read(after))
    yield page
    const last = page.records.at(-1)
    if (last === undefined || page.records.length < PAGE) return
    // Numbers are missing: what was asked for begins too early.
    if (last.runSeq !== after + PAGE) coming.length = 0
    after = last.runSeq
  }
}

/** A page that is not awaited yet may fail; whoever awaits it is told. */
function quietly<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

async function planOf(client: Session['client'], sha256: string, signal: AbortSignal): Promise<Plan | undefined> {
  try {
    return (await client.call('getPlanByHash', { params: { sha256 }, signal })).plan as unknown as Plan
  } catch (thrown) {
    // An imported run may be of a plan that nobody has here: its steps appear when events name them.
    if (thrown instanceof KeelsonError && thrown.code === 'PLAN_NOT_FOUND') return undefined
    throw thrown
  }
}
