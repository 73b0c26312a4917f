/**
 * Admission, approval and the start of a run (P-45). RunStarted is written only after the plan's bytes were
 * verified; a mismatch ends the run before anything has begun.
 */
import { alertSlot, RUN_SLOT } from '../../events/slot.ts'
import { isoFromMs } from '../../time.ts'
import type { InputBody, ReusedResult } from '../input.ts'
import { isStartable } from '../state/is-startable.ts'
import { RULES_VERSION } from '../state/state.ts'
import { LIMITS } from '../../limits.ts'
import { locate } from '../state/units.ts'
import { AUTO_APPROVER } from '../people/duties.ts'
import { approvalRefusal, judgesPeople } from '../people/judge-person.ts'
import { refuseApproval } from './refuse-person.ts'
import { pauseRun } from './pause.ts'
import { emit, emitRun, type Workspace } from '../proceed/workspace.ts'

type Of<K extends InputBody['kind']> = Extract<InputBody, { kind: K }>

export function decideAdmit(ws: Workspace, input: Of<'admit'>): void {
  if (ws.state.seq > 0) return
  let rest: FirstEvent | undefined = {
    ref: {
      ...(input.inputRef === undefined ? {} : { inputRef: input.inputRef }),
      ...(input.origin === undefined ? {} : { origin: input.origin }),
    },
    data: input.runInput === undefined ? undefined : { input: input.runInput },
  }
  /** Only the first event of a run carries its input (P-43) and says where the run comes from. */
  const first = (): FirstEvent => {
    const value = rest ?? { ref: {}, data: undefined }
    rest = undefined
    return value
  }
  if (input.report !== undefined) {
    const { ref, data } = first()
    emitRun(ws, 'RunValidated', { ...input.report, ...ref }, { data })
  }
  if (input.report?.status === 'ERRORS') {
    const error = { code: 'PLAN_VALIDATION_FAILED', retryable: false, errorClass: 'validation' } as const
    emitRun(ws, 'RunFailed', { failedAt: ws.nowIso, error })
    return
  }
  // A run that waits for approval waits in the queue: its first event must carry its input.
  const policy = input.policy === 'START' && !input.autoApprove ? 'QUEUE' : input.policy
  if (policy !== 'START') {
    const { ref, data } = first()
    const notBefore = input.notBefore === undefined ? {} : { notBefore: isoFromMs(input.notBefore) }
    const auto = input.autoApprove === 'at-start' ? { autoApprove: true } : {}
    emitRun(ws, 'RunQueued', { policy, ...notBefore, ...auto, ...input.forStart, ...ref }, { data })
  }
  if (input.autoApprove !== true) return
  const { ref, data } = first()
  const forStart = policy === 'START' ? input.forStart : {}
  emitRun(ws, 'RunApproved', { approvedBy: AUTO_APPROVER, ...forStart, ...ref }, { data })
}

interface FirstEvent {
  readonly ref: Pick<Of<'admit'>, 'inputRef' | 'origin'>
  readonly data: { readonly input: unknown } | undefined
}

export function decideApprove(ws: Workspace, input: Of<'approve'>): void {
  if (ws.state.status !== 'PENDING' || ws.state.autoApproves) return
  const refusal = judgesPeople(ws.state) ? approvalRefusal(ws.state, input.approvedBy) : undefined
  if (refusal === undefined) emitRun(ws, 'RunApproved', { approvedBy: input.approvedBy })
  else refuseApproval(ws, input.approvedBy, refusal)
}

export function decideStart(ws: Workspace, input: Of<'start'>): void {
  if (!isStartable(ws.state)) return
  if (input.integrityFailure !== undefined) {
    const code = 'PLAN_INTEGRITY_VALIDATION_FAILED'
    const errorText = { message: input.integrityFailure.message }
    emit(ws, 'AlertRaised', alertSlot(code, RUN_SLOT, ws.firstSeq), 1, { code, priority: 'P1', raisedAt: ws.nowIso })
    emitRun(
      ws,
      'RunFailed',
      { failedAt: ws.nowIso, error: { code, retryable: false, errorClass: 'validation', category: 'validation' } },
      { data: { errorText } },
    )
    return
  }
  if (ws.state.status === 'PENDING') emitRun(ws, 'RunApproved', { approvedBy: AUTO_APPROVER })
  const undoes = input.details.compensationOf !== undefined
  // Only the compensations' own time limits count while a run undoes (X-76).
  const runTimeoutMs = undoes ? undefined : ws.state.graph.plan.policy.runTimeoutMs
  // What was admitted is what starts, however long it waited.
  const children = ws.state.children ?? input.details.children
  emitRun(ws, 'RunStarted', {
    ...input.details,
    status: 'RUNNING',
    startedAt: ws.nowIso,
    rulesVersion: input.details.rulesVersion ?? RULES_VERSION,
    epoch: ws.epoch,
    maxInFlight: input.details.maxInFlight ?? LIMITS.concurrencyMax,
    ...(runTimeoutMs === undefined ? {} : { runTimeoutAt: isoFromMs(ws.now + runTimeoutMs) }),
    ...(children === undefined ? {} : { children }),
  })
  for (const reused of input.reuse ?? []) takeOver(ws, reused)
  if (input.pausedBy !== undefined && !undoes) pauseRun(ws, input.pausedBy)
}

/** The step takes the result of an earlier run; nothing is executed. */
function takeOver(ws: Workspace, reused: ReusedResult): void {
  const found = locate(ws.state, reused.slot)
  if (found === undefined) return
  const isOpenFan = found.unit.fan !== undefined && found.unit.status === 'RUNNING'
  if (found.unit.attempt > 0 && !isOpenFan) return
  const { runId, runSeq, ownerRunId, attempt } = reused
  const reusedFrom = { runId, runSeq, ownerRunId, ...(attempt === undefined ? {} : { attempt }) }
  if (reused.skipped !== undefined) {
    const { reason, reasonCode } = reused.skipped
    const skip = { reason, reasonCode, skippedAt: ws.nowIso, reusedFrom }
    emit(ws, 'StepSkipped', reused.slot, 1, skip)
    return
  }
  // Its items are already recorded; this event ends it.
  if (!isOpenFan) emit(ws, 'StepStarted', reused.slot, 1, { startedAt: ws.nowIso, epoch: ws.epoch, reusedFrom })
  if (reused.items !== undefined) {
    // Its items follow one by one, each with its own owner. The step ends when all of them have ended.
    emit(ws, 'FanOutExpanded', reused.slot, 1, { ...reused.items, stepId: reused.slot })
    return
  }
  const payload = {
    completedAt: ws.nowIso,
    artifactRefs: reused.artifactRefs,
    reusedFrom,
    ...(reused.actorId === undefined ? {} : { actorId: reused.actorId }),
    ...(reused.resultRef === undefined ? {} : { resultRef: reused.resultRef }),
    ...(reused.captures === undefined ? {} : { captures: reused.captures }),
  }
  emit(ws, 'StepCompleted', reused.slot, 1, payload, { data: reused.data })
}
