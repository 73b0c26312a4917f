/**
 * What has happened to a task since it was opened: changes of the run with their authors, and completions that wait for
 * a driver. An approver must not see an outdated task (MAN-02).
 */
import type { Payload } from '../../core/events/event.ts'
import { completionRefusal } from '../../core/run/people/judge-person.ts'
import type { RunChange, SentWord, TaskNews } from '../../core/run/explain/explain.ts'
import { isChange } from '../../core/run/signals/catalogue.ts'
import type { RunState } from '../../core/run/state/state.ts'
import type { Unit } from '../../core/run/state/unit.ts'
import { slotOfUnit } from '../../core/run/state/units.ts'
import { msFromIso } from '../../core/time.ts'
import type { InboxRow, RunKey, RunStore } from '../../ports/run-store.ts'
import { rolesOfSender, senderOf, wordOf, type SentCompletion } from '../inbox/task-completion.ts'
import { inboxInput } from '../inbox/input.ts'
import { recordOf } from '../log/read-events.ts'
import { storedEvents } from '../log/stored-events.ts'

/** How many of the latest are shown. */
const TOLD = 10

/** For all open tasks of a run: its log is read once, and not at all when nothing in it was changed. */
export class RunNews {
  readonly #state: RunState
  readonly #changes: readonly RunChange[]
  readonly #inboxRows: readonly InboxRow[]

  private constructor(state: RunState, changes: readonly RunChange[], inboxRows: readonly InboxRow[]) {
    this.#state = state
    this.#changes = changes
    this.#inboxRows = inboxRows
  }

  static async read(
    store: Pick<RunStore, 'readEvents' | 'readInbox'>,
    runKey: RunKey,
    state: RunState,
  ): Promise<RunNews> {
    const changes = state.changes === 0 ? [] : await changesOf(store, runKey, state.seq)
    const inboxRows = (await store.readInbox(runKey)).filter(({ kind }) => kind === 'manual')
    return new RunNews(state, changes, inboxRows)
  }

  of(unit: Unit): TaskNews {
    const changed = this.#changes.filter(({ runSeq }) => runSeq > unit.startedSeq).slice(-TOLD)
    const sent = this.#sentFor(unit)
    return { ...(changed.length === 0 ? {} : { changed }), ...(sent === undefined ? {} : { sent }) }
  }

  /** The first completion without an objection so far; the driver of the run judges it again. */
  #sentFor(unit: Unit): SentWord | undefined {
    const slot = slotOfUnit(this.#state.graph, unit)
    for (const inboxRow of this.#inboxRows) {
      const sent = sentIn(inboxRow)
      if (sent?.slot !== slot || sent.attempt !== unit.attempt) continue
      const actorId = senderOf(sent)
      const told = { ...sent.told, actorRoles: rolesOfSender(sent) }
      if (actorId === undefined || completionRefusal(this.#state, unit, actorId, told) !== undefined) continue
      return { actorId, outcome: wordOf(sent), at: inboxRow.insertedAt }
    }
    return undefined
  }
}

interface Sent extends SentCompletion {
  readonly attempt: number
  readonly told: { readonly seenChanges?: number }
}

/** A row that cannot be read counts as no completion. */
function sentIn(inboxRow: InboxRow): Sent | undefined {
  const read = inboxInput(inboxRow)
  if (read.kind === 'report') {
    const { slot, attempt, result } = read.report
    const by = result.kind === 'completed' ? result.by : undefined
    return { slot, attempt, result: by === undefined ? {} : { by }, told: toldOf(read) }
  }
  if (read.kind !== 'input' || read.input.kind !== 'outcome' || read.input.outcome.kind !== 'failed') return undefined
  const { slot, attempt, outcome } = read.input
  return { slot, attempt, outcome, told: toldOf(read.input) }
}

function toldOf({ seenChanges }: { readonly seenChanges?: number }): Sent['told'] {
  return seenChanges === undefined ? {} : { seenChanges }
}

async function changesOf(
  store: Pick<RunStore, 'readEvents' | 'readInbox'>,
  runKey: RunKey,
  upTo: number,
): Promise<readonly RunChange[]> {
  const changes: RunChange[] = []
  for await (const stored of storedEvents(store, runKey)) {
    if (stored.runSeq > upTo) break
    const record = stored.eventType === 'SignalAccepted' ? recordOf(stored) : undefined
    if (record?.ok !== true) continue
    const payload = (record.value.payload ?? {}) as Partial<Payload<'SignalAccepted'>>
    const { signalType = '', applied, actorId, target, reason } = payload
    if (applied !== true || !isChange(signalType)) continue
    changes.push({
      signalType,
      ...(actorId === undefined ? {} : { actorId }),
      ...(target === undefined ? {} : { target }),
      ...(reason === undefined ? {} : { reason }),
      at: msFromIso(record.value.emittedAt) ?? 0,
      runSeq: stored.runSeq,
    })
  }
  return changes
}
