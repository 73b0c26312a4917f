/**
 * Brings a run into the page: what it is, its plan, its events page by page, and then those that are written, one by one, until
 * it has ended. Nothing is fetched twice.
 */
import type { ExecutionState } from '../../../src/client/connect.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import type { Plan } from '../../../src/core/plan/plan.ts'
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
}

/** The most that the server gives at once. */
const PAGE = 1_000

export async function loadRun(
  session: Session,
  executionId: string,
  signal: AbortSignal,
  told: (run: LoadedRun) => void,
): Promise<void> {
  const { client } = session
  const params = { executionId }
  const execution = await client.call('getExecution', { params, query: { with: ['row'] }, signal })
  const plan = await planOf(client, execution.planSha256, signal)
  const history = new RunHistory(execution.executionId, plan, execution.engine)
  const tell = (isWhole: boolean, hasEnded: boolean): void => told({ execution, history, isWhole, hasEnded })
  for (let hasMore = true; hasMore;) {
    const query = { after: history.lastSeq, limit: PAGE }
    const page = await client.call('listEvents', { params, query, signal })
    history.add(page.events as unknown as readonly LogRecord[])
    hasMore = page.events.length === PAGE
    tell(!hasMore, page.ended && !hasMore)
    if (page.ended && !hasMore) return
  }
  for await (const record of client.run(execution.executionId).events(history.lastSeq, { signal })) {
    // What was erased is in events that came before: they are read anew, without it.
    if (record.eventType === 'ErasureRecorded') return loadRun(session, executionId, signal, told)
    history.add([record])
    tell(true, false)
  }
  tell(true, true)
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
