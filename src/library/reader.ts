/** What only reads runs: finds and lists them, and closes. `Keelson` does the same, and moves them. */
import { archivedError } from '../app/loaded/run-trouble.ts'
import { mustFitNames } from '../app/log/fitting.ts'
import { needKnown } from '../core/known-options.ts'
import { needText } from '../core/option-kinds.ts'
import { fail } from '../core/problems/problem.ts'
import type { ListFilter, ListPage, RunRow } from '../ports/run-store.ts'
import { LIST_FILTER, PAGE_OPTIONS } from './option-names.ts'
import type { ReadingParts } from './parts.ts'
import { RunReader } from './run-reader.ts'
import { keepStore } from './services-of.ts'

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

  /** A page of runs, newest first. */
  async list(
    filter: ListFilter = {},
    page: { readonly limit: number; readonly cursor?: string } = { limit: SHOWN },
  ): Promise<ListPage> {
    needKnown('list', filter, LIST_FILTER)
    needKnown('list', page, PAGE_OPTIONS)
    return this.#parts.services.store.listRuns(this.#parts.principal.tenantId, filter, page)
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
