/** The runs of a tenant behind a server, read as those of a store are read. */
import { alertsOf } from '../../../app/project/run-alerts.ts'
import type { Client } from '../../../client/connect.ts'
import type { RunStatus } from '../../../core/run/state/transitions.ts'
import { KILLS_PROCESS } from '../../../core/engine/last-words.ts'
import { compileGraph } from '../../../core/plan/compile/graph.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import { runMetaOf } from '../../../core/view/fold/run-meta.ts'
import type { ViewAlert } from '../../../core/view/fold/view-alert.ts'
import type { ReadableRuns } from '../../../library/read/readable-runs.ts'
import type { AlertFilter } from '../../../library/run-options.ts'
import type { Decided, RunQueue } from '../../../library/act/run-queue.ts'
import type { ListFilter, ListPage, RunRow } from '../../../ports/run-store.ts'
import type { Place } from '../files/place.ts'
import { recordPages } from './record-pages.ts'
import { rowOf } from './remote-row.ts'
import { RemoteRun, rowOfRun } from './remote-run.ts'
import { serverClient } from './server-client.ts'

const PAGE = 500
const MOST = 1_000
const SHOWN = 50

/** For a place that is known to be a server. */
export async function openRemote(place: Place): Promise<RemoteRuns> {
  return new RemoteRuns((await serverClient(place)) ?? fail('USAGE', 'no server is named'))
}

export class RemoteRuns implements ReadableRuns {
  readonly client: Client

  constructor(client: Client) {
    this.client = client
  }

  async run(runId: string): Promise<RemoteRun> {
    return new RemoteRun(this.client, await rowOfRun(this.client, runId))
  }

  async list(
    filter: ListFilter = {},
    page: { readonly limit: number; readonly cursor?: string } = { limit: SHOWN },
  ): Promise<ListPage> {
    const query = { ...queryOf(filter), ...page, limit: Math.min(page.limit, MOST), with: ['row'] as const }
    const { executions, next } = await this.client.call('listExecutions', { query })
    return { runs: executions.map(rowOf), ...(next === undefined ? {} : { next }) }
  }

  async counts(): Promise<ReadonlyMap<RunStatus, number>> {
    return new Map(Object.entries(await this.client.call('countExecutions'))) as ReadonlyMap<RunStatus, number>
  }

  async *runs(filter: ListFilter = {}): AsyncGenerator<RunRow, void> {
    for (let cursor: string | undefined; ;) {
      const page = await this.list(filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
      yield* page.runs
      if (page.next === undefined) return
      cursor = page.next
    }
  }

  /** Made of the logs, as they are where the runs are. */
  async *alerts({ runId, since = -Infinity }: AlertFilter = {}): AsyncGenerator<ViewAlert, void> {
    for await (const row of runId === undefined ? this.runs() : [await rowOfRun(this.client, runId)]) {
      const isLeftOut = row.archivedAt !== undefined || row.quarantine === KILLS_PROCESS
      if (isLeftOut || row.updatedAt < Number(since)) continue
      const plan = await new RemoteRun(this.client, row).plan()
      const meta =
        plan === undefined
          ? { runId: row.runId, stepIds: [], engineType: row.engineType }
          : runMetaOf(row.runId, compileGraph(plan), row.engineType)
      yield* alertsOf(row, meta, recordPages(this.client, row.runId), Number(since))
    }
  }

  readonly queue: Pick<RunQueue, 'approve' | 'reject'> = {
    approve: async (runId) => decided(await this.client.call('approveExecution', { params: { executionId: runId } })),
    reject: async (runId, { reason } = {}) => {
      const body = reason === undefined ? {} : { reason }
      return decided(await this.client.call('rejectExecution', { params: { executionId: runId }, body }))
    },
  }

  /** Whether `--as` may name somebody else: elsewhere the key or the login says who asks. */
  async takesActors(): Promise<boolean> {
    return (await this.client.me()).dev === true
  }

  async close(): Promise<void> {
    // Nothing is held open between requests.
  }
}

function decided({ executionId, status }: { readonly executionId: string; readonly status: string }): Decided {
  return { runId: executionId, status: status as RunStatus }
}

function queryOf(filter: ListFilter): object {
  const { status, planId, createdFrom, createdTo, originalRunId, errorCode, triggeredBy, labels } = filter
  return {
    ...(status === undefined ? {} : { status }),
    ...(planId === undefined ? {} : { planId }),
    ...(createdFrom === undefined ? {} : { createdFrom: isoFromMs(createdFrom) }),
    ...(createdTo === undefined ? {} : { createdTo: isoFromMs(createdTo) }),
    ...(originalRunId === undefined ? {} : { originalExecutionId: originalRunId }),
    ...(errorCode === undefined ? {} : { errorCode }),
    ...(triggeredBy === undefined ? {} : { triggeredBy }),
    ...(labels === undefined ? {} : { label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) }),
  }
}
