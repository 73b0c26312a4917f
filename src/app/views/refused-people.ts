/** Who was refused, and why: the log has it, the fold only counts the refusals. */
import { APPROVE, COMPLETE_TASK } from '../../core/run/signals/catalogue.ts'
import type { RunState } from '../../core/run/state/state.ts'
import type { RefusedPerson } from '../../core/run/explain/not-started.ts'
import { msFromIso } from '../../core/time.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import { recordOf } from '../log/read-events.ts'
import { storedEvents } from '../log/stored-events.ts'

/** How many of the latest are shown. */
const TOLD = 10

export interface Refusals {
  /** By slot. */
  readonly completions: ReadonlyMap<string, readonly RefusedPerson[]>
  readonly approvals: readonly RefusedPerson[]
}

const NONE: Refusals = { completions: new Map(), approvals: [] }

/** A log without refusals is not read. */
export async function refusedPeople(
  store: Pick<RunStore, 'readEvents'>,
  runKey: RunKey,
  { refusals }: Pick<RunState, 'refusals'>,
): Promise<Refusals> {
  if (refusals === 0) return NONE
  const completions = new Map<string, RefusedPerson[]>()
  const approvals: RefusedPerson[] = []
  for await (const stored of storedEvents(store, runKey)) {
    const record = stored.eventType === 'SignalRejected' ? recordOf(stored) : undefined
    const payload = record?.ok === true ? record.value.payload : undefined
    const { signalType, target, actorId, reasonCode, reason } = (payload ?? {}) as Readonly<Record<string, string>>
    if (record?.ok !== true || (signalType !== COMPLETE_TASK && signalType !== APPROVE)) continue
    const refused = {
      ...(actorId === undefined ? {} : { actorId }),
      code: reasonCode ?? '',
      why: reason ?? '',
      at: msFromIso(record.value.emittedAt) ?? 0,
      runSeq: stored.runSeq,
    }
    if (signalType === APPROVE) approvals.push(refused)
    else completions.set(target ?? '', [...(completions.get(target ?? '') ?? []), refused])
  }
  const latest = [...completions].map(([slot, people]) => [slot, people.slice(-TOLD)] as const)
  return { completions: new Map(latest), approvals: approvals.slice(-TOLD) }
}
