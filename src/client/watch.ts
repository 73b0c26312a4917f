/**
 * A run as a screen shows it, each time it has moved (UIC-01 … UIC-04): read by number, folded by the core, and marked as stale from a jump
 * until what was missing has been read.
 */
import { listEvents } from '../core/api/execution-log.ts'
import { getExecution } from '../core/api/executions.ts'
import { getPlanByHash } from '../core/api/plans.ts'
import type { LogRecord } from '../core/events/event.ts'
import { compileGraph } from '../core/plan/compile/graph.ts'
import type { Plan } from '../core/plan/plan.ts'
import { KeelsonError } from '../core/problems/problem.ts'
import { runMetaOf, type RunMeta } from '../core/view/fold/run-meta.ts'
import { emptyView } from '../core/view/fold/run-view.ts'
import { incrementalProject } from '../core/view/project/project-run.ts'
import { AT_THE_BEGINNING, isStale, takeArrived, takeResync, type Taken } from '../core/view/project/reading-mark.ts'
import { shownRun, type ShownRun } from '../core/view/show/shown-run.ts'
import { snapshotOf } from '../core/view/show/snapshot-of.ts'
import type { Caller } from './caller.ts'
import type { Connection } from './connection.ts'
import { followRun, type FollowOptions } from './follow.ts'

const PAGE = 1_000

export async function* watchRun(
  connection: Connection,
  call: Caller,
  executionId: string,
  options: FollowOptions = {},
): AsyncGenerator<ShownRun, void> {
  const params = { executionId }
  const signal = options.signal === undefined ? {} : { signal: options.signal }
  const execution = await call(getExecution, { params, ...signal })
  let view = emptyView(await metaOf(call, execution, signal))
  let mark = AT_THE_BEGINNING
  const take = (taken: Taken): void => {
    mark = taken.mark
    view = incrementalProject(view, taken.records).view
  }
  const shown = (): ShownRun => {
    const isAsAsked = mark.lastEventSeq === execution.lastEventSeq
    return shownRun(snapshotOf(view), isStale(mark), isAsAsked ? execution.substatus : undefined)
  }
  const read = async (): Promise<readonly LogRecord[]> => {
    const page = await call(listEvents, { params, query: { after: mark.lastEventSeq, limit: PAGE }, ...signal })
    return page.events as unknown as readonly LogRecord[]
  }
  const readOn = async (): Promise<void> => {
    for (let page = await read(); page.length > 0; page = page.length < PAGE ? [] : await read())
      take(takeResync(mark, page))
  }
  await readOn()
  yield shown()
  for await (const record of followRun(connection, executionId, mark.lastEventSeq, options)) {
    const before = mark
    take(takeArrived(mark, [record]))
    if (mark !== before) yield shown()
    if (!isStale(mark)) continue
    await readOn()
    yield shown()
  }
}

interface Described {
  readonly executionId: string
  readonly planSha256: string
  readonly engine: string
}

/** Without its plan, as of an imported run, steps appear when events name them. */
async function metaOf(
  call: Caller,
  { executionId, planSha256, engine }: Described,
  signal: Pick<FollowOptions, 'signal'>,
): Promise<RunMeta> {
  try {
    const { plan } = await call(getPlanByHash, { params: { sha256: planSha256 }, ...signal })
    return runMetaOf(executionId, compileGraph(plan as unknown as Plan), engine)
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError) || thrown.code !== 'PLAN_NOT_FOUND') throw thrown
    return { runId: executionId, stepIds: [] }
  }
}
