/**
 * A slow round over the live runs of this engine. A server that lost its data, or a workflow that somebody deleted, is in no
 * list, and a run whose timer is far away would wait for ever. So the server is asked about a few runs at a time. Each round
 * continues where the last one stopped, and leaves out runs that have just moved.
 */
import type { EngineParts } from '../../../../ports/engine.ts'
import type { RunRow } from '../../../../ports/run-store.ts'
import { workflowIdOf } from './workflow-id.ts'
import type { Workflows } from './workflow-client.ts'

/** Questions to the server at once, and the time from the start of one round to that of the next. */
const ASKED_AT_ONCE = 20
const ROUND_MS = 10_000
/** Read at once; the runs of other engines among them cost no question. */
const PAGE = 200
/** A run that has just moved has a workflow, or the process that started it is about to give it one. */
const QUIET_MS = 5_000

export type RoundParts = Pick<EngineParts, 'store' | 'clock' | 'scope'> & {
  readonly workflows: Pick<Workflows, 'isOpen' | 'isOurs'>
}

export class WorkflowRound {
  readonly #parts: RoundParts
  #due = 0
  #cursor: string | undefined
  #left: readonly RunRow[] = []

  constructor(parts: RoundParts) {
    this.#parts = parts
  }

  /** The next few runs, those of them that have no open workflow. What cannot be asked now comes again in the next round. */
  async missing(): Promise<readonly RunRow[]> {
    const { workflows } = this.#parts
    const asked = await this.#next()
    const missing: RunRow[] = []
    for (const row of asked) if (!(await workflows.isOpen(workflowIdOf(row)))) missing.push(row)
    return missing
  }

  async #next(): Promise<readonly RunRow[]> {
    if (this.#left.length === 0) this.#left = await this.#page()
    const next = this.#left.slice(0, ASKED_AT_ONCE)
    this.#left = this.#left.slice(ASKED_AT_ONCE)
    return next
  }

  /** Runs that were never started are due until their workflow runs, so they are not among these. */
  async #page(): Promise<readonly RunRow[]> {
    const { store, clock, scope, workflows } = this.#parts
    const now = clock.now()
    if (this.#cursor === undefined && now < this.#due) return []
    if (this.#cursor === undefined) this.#due = now + ROUND_MS
    const at = { limit: PAGE, ...(this.#cursor === undefined ? {} : { cursor: this.#cursor }) }
    const { runs, next } = await store.listRuns(scope.tenantId, { status: ['RUNNING', 'PAUSED'] }, at)
    this.#cursor = next
    return runs.filter(
      (row) => row.quarantine === undefined && now - row.updatedAt >= QUIET_MS && workflows.isOurs(row),
    )
  }
}
