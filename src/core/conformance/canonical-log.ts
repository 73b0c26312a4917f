/**
 * The logs of one play as a partial order: the events of each slot, in order, and the order between slots where the
 * plan or a decision demands it. Two engines did the same when these are equal (ADP-04).
 */
import type { LogRecord } from '../events/event.ts'
import type { Plan } from '../plan/plan.ts'
import { canonicalEvent, type CanonicalEvent, type Names } from './canonical-event.ts'
import { demandedOrder } from './demanded-order.ts'

/** A run of a play, from its store. */
export interface LoggedRun {
  readonly runId: string
  readonly plan: Plan
  readonly parent?: { readonly runId: string; readonly slot: string; readonly attempt: number }
  readonly originalRunId?: string
  readonly records: readonly LogRecord[]
}

export interface CanonicalRun {
  /** `run`, `run/ship#1` for a child, `run/fork1` for a fork. */
  readonly name: string
  /** In the order of this log: for people, not part of the comparison. */
  readonly events: readonly CanonicalEvent[]
  readonly slots: ReadonlyMap<string, readonly CanonicalEvent[]>
  readonly order: readonly string[]
}

/** `signalIds` are those of the play's moves, in their order. */
export function canonicalRuns(runs: readonly LoggedRun[], signalIds: readonly string[]): readonly CanonicalRun[] {
  const names = namesOf(runs, signalIds)
  return runs.map((run) => canonicalRun(run, names)).sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
}

function canonicalRun({ runId, plan, records }: LoggedRun, names: Names): CanonicalRun {
  const events = records.map((record) => canonicalEvent(record, names))
  const slots = new Map<string, CanonicalEvent[]>()
  for (const event of events) {
    const own = slots.get(event.slot)
    if (own === undefined) slots.set(event.slot, [event])
    else own.push(event)
  }
  return { name: names.get(runId) ?? runId, events, slots, order: demandedOrder(plan, events) }
}

function namesOf(runs: readonly LoggedRun[], signalIds: readonly string[]): Names {
  const names = new Map<string, string>()
  const forks = new Map<string, number>()
  const nameOfRun = (run: LoggedRun): string => {
    const known = names.get(run.runId)
    if (known !== undefined) return known
    const name = ownName(run)
    names.set(run.runId, name)
    return name
  }
  const nameOfId = (runId: string): string => {
    const run = runs.find((one) => one.runId === runId)
    return run === undefined ? 'elsewhere' : nameOfRun(run)
  }
  const ownName = ({ parent, originalRunId }: LoggedRun): string => {
    if (parent !== undefined) return `${nameOfId(parent.runId)}/${parent.slot}#${parent.attempt}`
    if (originalRunId === undefined) return 'run'
    const number = (forks.get(originalRunId) ?? 0) + 1
    forks.set(originalRunId, number)
    return `${nameOfId(originalRunId)}/fork${number}`
  }
  for (const run of runs) nameOfRun(run)
  signalIds.forEach((signalId, index) => names.set(signalId, `signal${index + 1}`))
  for (const run of runs) nameOtherSignals(run, names)
  return names
}

/** Signals of a parent to its child are named by their number in the child's log. */
function nameOtherSignals({ runId, records }: LoggedRun, names: Map<string, string>): void {
  const others = records
    .flatMap(({ eventType, payload }) => (eventType.startsWith('Signal') ? [String(payload?.['signalId'])] : []))
    .filter((signalId) => !names.has(signalId))
  others.forEach((signalId, index) => names.set(signalId, `${names.get(runId) ?? ''}.signal${index + 1}`))
}

/** Everything that is compared, as plain data: the hash of its canonical JSON identifies a play. */
export function projection(runs: readonly CanonicalRun[]): unknown {
  return runs.map(({ name, slots, order }) => ({
    name,
    slots: Object.fromEntries([...slots].sort(([a], [b]) => (a < b ? -1 : 1))),
    order,
  }))
}
