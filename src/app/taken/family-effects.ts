/**
 * What a family of runs did and undid: a run, its forks, their forks, and the run they all come from. They share
 * results, so what one of them undid is undone for all of them, and what one did is done for all of them.
 */
import { appendAll } from '../../core/collections/append-all.ts'
import type { LogRecord } from '../../core/events/event.ts'
import { fail } from '../../core/problems/problem.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { recordOf } from '../log/read-events.ts'
import { storedEvents } from '../log/stored-events.ts'
import { compensationOf } from '../loaded/compensation-run-id.ts'
import { planStepOf, stepSlotOf } from '../../core/events/slot-of.ts'

const FORKS_PAGE = 100
const READ: ReadonlySet<string> = new Set([
  'StepCompleted',
  'StepFailed',
  'CompensationStarted',
  'CompensationCompleted',
])

/** Another run of the family that executed a step itself, or may have. */
export interface DoneElsewhere {
  readonly runId: string
  readonly inDoubt: boolean
}

export class FamilyEffects {
  /** Slots whose compensation was begun, and those whose compensation succeeded, as `owner|step` → slots. */
  readonly #begun = new Map<string, Set<string>>()
  readonly #undone = new Map<string, Set<string>>()
  readonly #done = new Map<string, DoneElsewhere>()
  /** Runs of the family that have not ended, except the one in question. */
  readonly live: readonly RunRow[]

  private constructor(live: readonly RunRow[]) {
    this.live = live
  }

  static async read(store: RunStore, row: RunRow): Promise<FamilyEffects> {
    const family = await familyOf(store, row)
    const others = family.filter(({ runId }) => runId !== row.runId)
    const effects = new FamilyEffects(others.filter(({ status }) => !isTerminalRun(status)))
    for (const member of family) {
      if (member.archivedAt !== undefined) needNoLog(member)
      else await effects.#readLog(store, member, member.runId !== row.runId)
    }
    return effects
  }

  /** The state of a step's effect: nothing was undone, every compensation succeeded, or something is still there. */
  undoingOf(ownerRunId: string, stepId: string): 'undone' | 'not-undone' | undefined {
    const key = keyOf(ownerRunId, stepId)
    const begun = this.#begun.get(key)
    if (begun === undefined) return undefined
    return [...begun].every((slot) => this.#undone.get(key)?.has(slot) === true) ? 'undone' : 'not-undone'
  }

  isUndone(ownerRunId: string, stepId: string, slot: string): boolean {
    return this.#undone.get(keyOf(ownerRunId, stepId))?.has(slot) === true
  }

  doneElsewhere(stepId: string): DoneElsewhere | undefined {
    return this.#done.get(stepId)
  }

  async #readLog(store: RunStore, { runKey, runId }: RunRow, isOther: boolean): Promise<void> {
    const owners = new Map<string, string>()
    for await (const stored of storedEvents(store, runKey)) {
      if (!READ.has(stored.eventType)) continue
      const read = recordOf(stored)
      if (!read.ok) {
        if (stored.eventType.startsWith('Step')) continue
        fail(
          'RUN_QUARANTINED',
          `event ${stored.runSeq} of run ${runId} undid something, but what it undid cannot be read`,
        )
      }
      this.#take(read.value, runId, owners, isOther)
    }
  }

  #take(record: LogRecord, runId: string, owners: Map<string, string>, isOther: boolean): void {
    const { eventType, payload } = record
    const slot = stepSlotOf(record)
    const stepId = planStepOf(record)
    if (slot === undefined || stepId === undefined) return
    const key = keyOf(owners.get(slot) ?? owners.get(stepId) ?? runId, stepId)
    if (eventType === 'CompensationStarted') addTo(this.#begun, key, slot)
    else if (eventType === 'CompensationCompleted') addTo(this.#undone, key, slot)
    else {
      const from = payload?.['reusedFrom'] as { readonly ownerRunId: string } | undefined
      const inDoubt = (payload?.['error'] as { readonly code: string } | undefined)?.code === 'INDETERMINATE'
      if (eventType === 'StepCompleted') owners.set(slot, from?.ownerRunId ?? runId)
      const isDone = eventType === 'StepCompleted' && from === undefined
      if (isOther && (isDone || inDoubt)) this.#done.set(stepId, { runId, inDoubt: !isDone })
    }
  }
}

function addTo(slots: Map<string, Set<string>>, key: string, slot: string): void {
  slots.set(key, (slots.get(key) ?? new Set<string>()).add(slot))
}

function keyOf(ownerRunId: string, stepId: string): string {
  return `${ownerRunId}|${stepId}`
}

/** A completed run undid nothing, unless it exists only to undo; for any other run its log would be needed. */
function needNoLog(row: RunRow): void {
  const { runId, status } = row
  if (status === 'COMPLETED' && compensationOf(row) === undefined) return
  fail(
    'RUN_ARCHIVED',
    `run ${runId} shares results with the run to be forked, and what it undid is only in its archive`,
  )
}

async function familyOf(store: RunStore, row: RunRow): Promise<readonly RunRow[]> {
  const family = [await rootOf(store, row)]
  // Grows during the loop: each member may have its own forks.
  for (const { tenantId, runId } of family) {
    for (let cursor: string | undefined; ;) {
      const page = await store.listRuns(
        tenantId,
        { originalRunId: runId },
        { limit: FORKS_PAGE, ...(cursor === undefined ? {} : { cursor }) },
      )
      appendAll(family, page.runs)
      cursor = page.next
      if (cursor === undefined) break
    }
  }
  return family
}

async function rootOf(store: RunStore, row: RunRow): Promise<RunRow> {
  let root = row
  while (root.originalRunId !== undefined) {
    const { tenantId, originalRunId, runId } = root
    root =
      (await store.findRun({ tenantId, runId: originalRunId })) ??
      fail('RUN_NOT_FOUND', `run ${runId} was forked from run ${originalRunId}, which is not in this store`)
  }
  return root
}
