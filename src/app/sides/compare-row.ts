/**
 * Compares the run row with the log. Lists and drivers read a fold of the events from the row, so a value that somebody changed
 * only in the row is found. What only the store knows (leases, deaths, the time of the last change) is not in the log; for the
 * epoch and the wake-up the log only gives bounds.
 */
import { FOREIGN } from '../../core/engine/engine-type.ts'
import type { LogRecord, Payload } from '../../core/events/event.ts'
import { isImportedLog } from '../../core/events/imported.ts'
import { importedSummary } from '../../core/view/show/imported-summary.ts'
import type { RunOrigin } from '../../core/run/input.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { summaryOf } from '../../core/run/summary.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import { JUMP_MS } from '../../core/clock-jumps.ts'
import { msFromIso } from '../../core/time.ts'
import type { RunRow } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'

export interface RowDifference {
  /** Name of the value in the row, such as `status`. */
  readonly name: string
  readonly row: string
  readonly log: string
}

export interface LogFold {
  /** The log up to the head that the row names. */
  readonly records: readonly LogRecord[]
  /** Its fold; absent when it cannot be folded, or the plan is gone. */
  readonly state?: RunState
  /** When its first and its last event were stored, by the store's clock. */
  readonly storedAt?: readonly [number, number]
}

/** The parts of a row that are compared; the row in a bundle has no key and no lease. */
export type ComparedRow = Omit<RunRow, 'runKey' | 'lease' | 'headHash'>

const SUMMED = [
  'status',
  'substatus',
  'startedAt',
  'endedAt',
  'stepsTotal',
  'stepsDone',
  'stepsFailed',
  'owed',
  'errorCode',
  'rulesVersion',
] as const
const NAMED = ['runId', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion'] as const

export function compareRow(row: ComparedRow, log: LogFold): readonly RowDifference[] {
  const [first] = log.records
  if (first === undefined) return []
  const named = Object.fromEntries(NAMED.map((name) => [name, first[name]] as const))
  if (isImportedLog(log.records)) return differences(row, { ...named, ...importedRow(first.runId, log.records) })
  const created = log.storedAt === undefined ? {} : { createdAt: log.storedAt[0] }
  const expected = { ...named, ...created, ...originOnRecord(log.records), ...summed(log.state) }
  const looser = [...epochBehind(row, log.records), ...wakeTooLate(row, log), ...otherMinimum(row, log.state)]
  return [...differences(row, expected), ...looser]
}

type Expected = Readonly<Partial<Record<keyof ComparedRow, unknown>>>

function summed(state: RunState | undefined): Expected {
  if (state === undefined) return {}
  const summary = summaryOf(state)
  const values = SUMMED.map((name) => [name, summary[name]] as const)
  return {
    ...Object.fromEntries(values),
    // Before its start a run belongs to no engine; its first event may say for which engine it was admitted.
    ...(state.startedAt < 0 ? {} : { engineType: state.engineType }),
    nextSeq: state.seq + 1,
  }
}

/** Of an imported run the row shows what people see of its log, and that nobody drives it. */
function importedRow(runId: string, records: readonly LogRecord[]): Expected {
  const summary = importedSummary(runId, records)
  const values = SUMMED.map((name) => [name, summary[name]] as const)
  return { ...Object.fromEntries(values), engineType: FOREIGN, nextSeq: (records.at(-1)?.runSeq ?? 0) + 1 }
}

/** From RunStarted and later hand-offs; what these do not say, from the first event. */
function originOnRecord(records: readonly LogRecord[]): Expected {
  const started = records.find(({ eventType }) => eventType === 'RunStarted')?.payload as
    Payload<'RunStarted'> | undefined
  const handoff = records.findLast(({ eventType }) => eventType === 'EngineHandoff')?.payload as
    Payload<'EngineHandoff'> | undefined
  const origin = records[0]?.payload?.['origin'] as RunOrigin | undefined
  const engineRunRef = handoff?.engineRunRef ?? started?.engineRunRef ?? origin?.engineRunRef
  return {
    ...(origin === undefined ? {} : { requestKey: origin.requestKey }),
    ...(engineRunRef === undefined ? {} : { engineRunRef }),
    ...(started === undefined ? notStarted(origin) : startedAs(started)),
  }
}

function notStarted(origin: RunOrigin | undefined): Expected {
  if (origin?.planSha256 === undefined) return {}
  const { planSha256, engineType, triggeredBy, originalRunId, parent } = origin
  return { planSha256, engineType, triggeredBy, originalRunId, parent }
}

function startedAs(started: Payload<'RunStarted'>): Expected {
  const { planRef, context, parent } = started
  // The start of a run that undoes another names that other run in a field of its own.
  const originalRunId = started.compensationOf ?? started.originalRunId
  return {
    planSha256: planRef.sha256,
    triggeredBy: context.triggeredBy,
    parent,
    originalRunId,
  }
}

/** A row that no version has written since drivers must know slots asks for the run's own rules alone. */
function otherMinimum({ minRulesVersion }: ComparedRow, state: RunState | undefined): readonly RowDifference[] {
  if (state === undefined) return []
  const today = summaryOf(state).minRulesVersion
  if (minRulesVersion === today || minRulesVersion === state.rulesVersion) return []
  return [{ name: 'minRulesVersion', row: String(minRulesVersion), log: String(today) }]
}

/** An adoption or a restore leaves no event, so the row may be ahead; it is never behind. */
function epochBehind({ epoch }: ComparedRow, records: readonly LogRecord[]): readonly RowDifference[] {
  const last = records.reduce((most, { payload }) => Math.max(most, Number(payload?.['epoch'] ?? 0)), 1)
  return epoch >= last ? [] : [{ name: 'epoch', row: String(epoch), log: `${last} or more` }]
}

/**
 * A run that is woken too late misses its own timers; a run that is woken too early only looks and waits again. If steps wait for
 * grants, other runs decide when it is woken; after the wall clock was set, the time of the run and the time of the store differ.
 */
function wakeTooLate({ nextWakeAt }: ComparedRow, { state, records, storedAt }: LogFold): readonly RowDifference[] {
  if (state === undefined) return []
  const here = told(nextWakeAt)
  if (isTerminalRun(state.status))
    return nextWakeAt === undefined ? [] : [{ name: 'nextWakeAt', row: here, log: 'nothing' }]
  if (state.graph.anyWants) return []
  const due = summaryOf(state).nextWakeAt
  const apart = Math.max(0, (storedAt?.[1] ?? 0) - (msFromIso(records.at(-1)?.emittedAt ?? '') ?? 0))
  if (due === undefined || (nextWakeAt !== undefined && nextWakeAt <= due + apart + JUMP_MS)) return []
  return [{ name: 'nextWakeAt', row: here, log: `${due} or before` }]
}

function differences(row: ComparedRow, expected: Expected): readonly RowDifference[] {
  return Object.entries(expected)
    .map(([name, log]) => ({ name, row: told(row[name as keyof ComparedRow]), log: told(log) }))
    .filter((one) => one.row !== one.log)
}

function told(value: unknown): string {
  if (value === undefined) return 'nothing'
  return typeof value === 'object' ? canonicalText(value) : String(value)
}
