/**
 * What an operation would do, without doing it: how many runs it is for, and of the first of them whether they would take the signal, by
 * the rules that decide it later. Nothing is recorded.
 */
import { LIMITS } from '../../core/limits.ts'
import { toldOutside } from '../../core/problems/outside.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import { signalVerdict } from '../../core/run/signals/rules.ts'
import type { SignalType } from '../../core/run/signals/catalogue.ts'
import type { ListFilter, RunRow } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { needUsable } from '../loaded/run-trouble.ts'
import { authorizedSender, type Asking } from '../signals/authorized-sender.ts'
import { judgeSignal, type SignalRequest } from '../signals/judge-signal.ts'
import type { FleetServices } from './record.ts'
import { chosenRuns, previewSha256 } from './choose-runs.ts'
import { needAllowed, type FleetSignal } from './need-allowed.ts'

export interface PreviewParts {
  readonly services: Pick<FleetServices, 'store' | 'random'>
  readonly advancer: Pick<RunAdvancer, 'plans' | 'current'>
}

/** `nothing`: it would be accepted, and the run already is as it asks for. */
export interface PreviewedRun {
  readonly row: RunRow
  readonly would: 'apply' | 'nothing' | 'wait' | 'refuse'
  readonly code?: string
  readonly reason?: string
}

export interface OperationPreview {
  readonly matched: number
  /** The first of them; of the others nothing is known before their turn comes. */
  readonly examined: readonly PreviewedRun[]
  readonly previewSha256: string
}

export async function previewOperation(
  parts: PreviewParts,
  asking: Asking,
  signal: FleetSignal,
  filter: ListFilter,
): Promise<OperationPreview> {
  const { services } = parts
  await needAllowed(services, asking, signal)
  const { runIds, first } = await chosenRuns(services.store, asking.caller.tenantId, filter, LIMITS.fleetExamined)
  const examined: PreviewedRun[] = []
  for (const row of first) examined.push(await examine(parts, asking, signal, row))
  return { matched: runIds.length, examined, previewSha256: previewSha256(signal, runIds) }
}

async function examine(
  { services, advancer }: PreviewParts,
  asking: Asking,
  { signalType, payload }: FleetSignal,
  row: RunRow,
): Promise<PreviewedRun> {
  try {
    await needUsable({ store: services.store, plans: advancer.plans }, row)
    const request: SignalRequest = { signalId: services.random.uuid(), signalType, payload }
    const sender = authorizedSender(asking, signalType, row.runId)
    const { authorization, needsApproval } = await judgeSignal(services, request, sender)
    const { reasonCode: code, reason } = authorization
    if (code !== undefined) return { row, would: 'refuse', code, ...(reason === undefined ? {} : { reason }) }
    const { state } = await advancer.current(row.runKey)
    const verdict = signalVerdict(state, signalType as SignalType, { payload, authorization })
    if (typeof verdict === 'object') return { row, would: 'refuse', code: verdict.refuse, reason: verdict.why }
    if (needsApproval) return { row, would: 'wait' }
    return { row, would: verdict ?? 'apply' }
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    return { row, would: 'refuse', code: thrown.code, reason: toldOutside(thrown.problems)[0].message }
  }
}
