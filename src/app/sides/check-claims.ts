/**
 * Compares begin-claims and held units with the log: a claim belongs to an attempt that was started, an irreversible step that
 * was carried out has one (P-28), and units are held for attempts in flight as their StepStarted says (P-18).
 */
import type { LogRecord, Payload } from '../../core/events/event.ts'
import type { PlanGraph } from '../../core/plan/compile/graph.ts'
import { actionKind } from '../../core/plan/plan.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { RunState } from '../../core/run/state/state.ts'
import type { RunSides } from '../../ports/evidence.ts'
import type { StepClaim } from '../../ports/run-store.ts'
import { isLimitPool } from '../../core/plan/compile/limit-pools.ts'
import { planPool } from '../grants/agent-pools.ts'
import { altered, type EvidenceFinding } from './finding.ts'
import { recordedSlot } from '../rederive/recorded-decision.ts'
import { planStepOf } from '../../core/events/slot-of.ts'

/** A compensation is an attempt of its own. */
const STARTS: ReadonlySet<string> = new Set(['StepStarted', 'CompensationStarted'])
const ENDS: ReadonlySet<string> = new Set(['StepCompleted', 'StepFailed', 'StepSkipped'])

function attemptOf(record: LogRecord): string {
  return `${recordedSlot(record)}#${record.logicalAttemptId}`
}

/** An attempt that may kill its drivers is claimed for the epoch in which it may be tried alone. */
const SUSPECT = /^SUSPECT:\d+:/

export function checkClaims(
  claims: readonly StepClaim[],
  records: readonly LogRecord[],
  graph: PlanGraph,
): readonly EvidenceFinding[] {
  const started = new Set(records.filter(({ eventType }) => STARTS.has(eventType)).map(attemptOf))
  const claimed = new Set(claims.map(({ slot, attempt }) => `${slot}#${attempt}`))
  const strange = [...claimed].filter((attempt) => !started.has(attempt.replace(SUSPECT, '')))
  const missing = records.filter((record) => wasClaimed(record, graph) && !claimed.has(attemptOf(record)))
  return [
    ...strange.map((attempt) => altered(`attempt ${attempt} is claimed as begun, but no event started it`)),
    ...missing.map((record) =>
      altered(`the irreversible attempt ${attemptOf(record)} was carried out, but its claim is missing`, record.runSeq),
    ),
  ]
}

/** Steps that Keelson itself carries out and that have an effect: each is claimed before it acts. */
function wasClaimed(record: LogRecord, graph: PlanGraph): boolean {
  if (record.eventType !== 'StepCompleted' || record.role !== undefined) return false
  const step = graph.steps[graph.indexOf.get(planStepOf(record) ?? '') ?? -1]
  if (step?.effect !== 'irreversible' || !ACTS.has(actionKind(step))) return false
  const own = `outcome:${recordedSlot(record)}:${record.logicalAttemptId}:`
  return record.decision.cause.startsWith(own) && record.payload?.['reusedFrom'] === undefined
}

const ACTS: ReadonlySet<string> = new Set(['run', 'http', 'command'])

export function checkHolds(
  held: RunSides['holds'],
  state: RunState,
  records: readonly LogRecord[],
): readonly EvidenceFinding[] {
  // What limits starts is the moment's: a run counts from its RunStarted until a moment after its end.
  const holds = held.filter(({ pool }) => !isLimitPool(pool))
  const expected = new Set(isTerminalRun(state.status) ? [] : grantedInFlight(records))
  const tenantId = records[0]?.tenantId ?? ''
  const found = new Set(
    holds.map(({ slot, attempt, pool, amount }) => `${amount} of ${grantedAs(pool, tenantId)} for ${slot}#${attempt}`),
  )
  const units = new Set(holds.map(({ slot, attempt, pool }) => `${pool} for ${slot}#${attempt}`))
  // For an agent of the whole fleet, a tenant holds one unit and one place at its own breaker.
  const halves = holds
    .filter(({ pool }) => pool.startsWith('breaker:') && pool.endsWith(`@${tenantId}`))
    .map(({ slot, attempt, pool }) => `${planPool(pool)} for ${slot}#${attempt}`)
    .filter((one) => !units.has(one))
  return [
    ...halves.map((one) => altered(`${one} is not held, but its breaker is`)),
    ...[...found].filter((one) => !expected.has(one)).map((one) => altered(`${one} is held, but no event granted it`)),
    ...[...expected].filter((one) => !found.has(one)).map((one) => altered(`${one} was granted, but is not held`)),
  ]
}

/** The log has the pool's name from the plan; the grant has its tenant's name for it. Pools of other tenants match neither. */
function grantedAs(pool: string, tenantId: string): string {
  return pool.endsWith(`@${tenantId}`) ? planPool(pool) : pool
}

function grantedInFlight(records: readonly LogRecord[]): readonly string[] {
  const open = new Map<string, Readonly<Record<string, number>>>()
  for (const record of records) {
    const { grants } = (record.payload ?? {}) as Partial<Payload<'StepStarted'>>
    if (record.eventType === 'StepStarted' && grants !== undefined) open.set(attemptOf(record), grants)
    if (ENDS.has(record.eventType)) open.delete(attemptOf(record))
  }
  return [...open].flatMap(([attempt, grants]) =>
    Object.entries(grants).map(([pool, amount]) => `${amount} of ${pool} for ${attempt}`),
  )
}
