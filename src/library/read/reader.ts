/** What only reads runs: finds and lists them, and closes. `Keelson` does the same, and moves them. */
import { archivedError } from '../../app/loaded/run-trouble.ts'
import { runAlerts } from '../../app/project/run-alerts.ts'
import { mustFitNames } from '../../app/log/fitting.ts'
import { KILLS_PROCESS } from '../../core/engine/last-words.ts'
import { needKnown } from '../../core/known-options.ts'
import { needText } from '../../core/option-kinds.ts'
import { fail } from '../../core/problems/problem.ts'
import type { RunSnapshot } from '../../core/view/fold/run-snapshot.ts'
import type { ViewAlert } from '../../core/view/fold/view-alert.ts'
import type { ListedPage, ListFilter, ListPage, RunRow, RunStatus } from '../../ports/run-store.ts'
import { ALERT_FILTER, LIST_FILTER, PAGE_OPTIONS } from '../option-names.ts'
import type { ReadingParts } from '../parts.ts'
import type { AlertFilter } from '../run-options.ts'
import { RunReader } from './run-reader.ts'
import { keepStore } from '../services-of.ts'

const PAGE = 500
const SHOWN = 50

export class Reader {
  readonly #parts: ReadingParts

  constructor(parts: ReadingParts) {
    this.#parts = parts
    keepStore(this, parts.services.store, parts.isOwnerGone)
  }

  /** A run by its id. What its output is like, only its plan knows: say it, and it is believed. */
  async run<O = unknown>(runId: string): Promise<RunReader<O>> {
    return new RunReader(this.#parts, await this.rowOf(runId))
  }

  /** A page of runs, newest first unless the oldest are asked for. */
  async list(filter: ListFilter = {}, page: ListedPage = { limit: SHOWN }): Promise<ListPage> {
    needKnown('list', filter, LIST_FILTER)
    needKnown('list', page, PAGE_OPTIONS)
    return this.#parts.services.store.listRuns(this.#parts.principal.tenantId, filter, page)
  }

  /** How many runs there are in each status; a status without runs may be absent. */
  async counts(): Promise<ReadonlyMap<RunStatus, number>> {
    return this.#parts.services.store.countRuns(this.#parts.principal.tenantId)
  }

  /** All runs that fit, page by page. */
  async *runs(filter: ListFilter = {}): AsyncGenerator<RunRow, void> {
    for (let cursor: string | undefined; ;) {
      const page = await this.list(filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
      yield* page.runs
      if (page.next === undefined) return
      cursor = page.next
    }
  }

  /** A run as people see it: its stored view, and what its log says after it. Null where there is no such run (STO-10). */
  async getSnapshot(runId: string): Promise<RunSnapshot | null> {
    return (await this.#readerOf(runId))?.snapshot() ?? null
  }

  /** The same, projected anew from the whole log. */
  async projectSnapshot(runId: string): Promise<RunSnapshot | null> {
    return (await this.#readerOf(runId))?.projectSnapshot() ?? null
  }

  /**
   * Alerts about runs of this tenant, made of their logs: newest runs first, in the order of each log. Archived runs are left
   * out, and runs that killed their processes.
   */
  async *alerts(filter: AlertFilter = {}): AsyncGenerator<ViewAlert, void> {
    needKnown('alerts', filter, ALERT_FILTER)
    const { runId, since = Number.NEGATIVE_INFINITY } = filter
    const { services, advancer } = this.#parts
    for await (const row of runId === undefined ? this.runs() : [await this.rowOf(runId)]) {
      const isLeftOut = row.archivedAt !== undefined || row.quarantine === KILLS_PROCESS
      // The row is changed with each append: nothing is newer in its log.
      if (!isLeftOut && row.updatedAt >= Number(since))
        yield* runAlerts(services.store, advancer.plans, row, Number(since))
    }
  }

  async #readerOf(runId: string): Promise<RunReader | undefined> {
    mustFitNames({ runId: needText('the id of a run', runId) })
    const { services, principal } = this.#parts
    const row = await services.store.findRun({ tenantId: principal.tenantId, runId })
    return row === undefined ? undefined : new RunReader(this.#parts, row)
  }

  async close(): Promise<void> {
    this.#parts.moves.close()
    await this.#parts.services.store.close()
  }

  protected async rowOf(runId: string): Promise<RunRow> {
    mustFitNames({ runId: needText('the id of a run', runId) })
    const { services, principal } = this.#parts
    const row = await services.store.findRun({ tenantId: principal.tenantId, runId })
    if (row === undefined) return fail('RUN_NOT_FOUND', `no run ${runId}`)
    if (row.archivedAt !== undefined) throw archivedError(row)
    return row
  }
}
