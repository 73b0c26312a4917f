/** An attempt starts: its StepStarted with what is pinned by it, and what leaves after the commit. */
import type { ErrorInfo, Payload } from '../../events/event.ts'
import { taskSlot } from '../../events/slot.ts'
import { LIMITS } from '../../limits.ts'
import { isoFromMs, msFromIso } from '../../time.ts'
import { effectId } from '../effect.ts'
import type { SlotFacts } from '../input.ts'
import { releasedForManyBy, releasesOf } from '../people/approvals.ts'
import { judgesPeople } from '../people/judge-person.ts'
import { wantsOf } from '../state/grants.ts'
import type { Unit } from '../state/unit.ts'
import { isFanParent, kindOfUnit, slotOfUnit, stepAt, stepUnit } from '../state/units.ts'
import { failStep } from './fail-step.ts'
import { factsData } from './needs.ts'
import { emit, unitEngineAttempt, type Workspace } from './workspace.ts'

export function startAttempt(ws: Workspace, unit: Unit, attempt: number, given?: SlotFacts): void {
  const slot = slotOfUnit(ws.state.graph, unit)
  const problem = never(ws, unit, slot)
  const facts = problem === undefined ? given : { ...given, problem }
  // An attempt that fails at once needs nothing.
  const grants = facts?.problem === undefined ? wantsOf(ws.state, unit) : undefined
  const payload: Payload<'StepStarted'> = {
    startedAt: ws.nowIso,
    epoch: ws.epoch,
    ...timing(ws, unit, facts),
    ...(unit.freshKey === '' ? {} : { freshKey: unit.freshKey }),
    ...(grants === undefined ? {} : { grants }),
    ...releasedBy(ws, unit),
  }
  emit(ws, 'StepStarted', slot, attempt, payload, { engineAttempt: 1, data: factsData(facts), unit })
  const started =
    unit.item < 0 && !unit.fallback
      ? stepUnit(ws.state, unit.step)
      : { ...unit, attempt, epoch: ws.epoch, status: 'RUNNING' as const }
  if (facts?.problem !== undefined) {
    failStep(ws, started, {
      error: factError(facts.problem.code),
      data: { errorText: { message: facts.problem.message } },
      forced: true,
      final: true,
    })
    return
  }
  sendOut(ws, started, slot, facts)
}

function releasedBy({ state }: Workspace, { step }: Unit): Pick<Payload<'StepStarted'>, 'approvals'> {
  const approvals = judgesPeople(state) ? releasesOf(state, step) : []
  return approvals.length === 0 ? {} : { approvals }
}

/** Why an attempt must not be sent out: its units can never be granted, or its approval released other steps too. */
function never(ws: Workspace, unit: Unit, slot: string): SlotFacts['problem'] {
  const message = ws.grants?.impossible.get(slot) ?? releasedForManyBy(ws.state, unit)
  if (message === undefined) return undefined
  return { code: ws.grants?.impossible.has(slot) === true ? 'RESOURCE_EXCEEDED' : 'APPROVAL_FOR_MANY', message }
}

function factError(code: string): ErrorInfo {
  return { code, retryable: false, errorClass: 'validation', category: 'validation' }
}

function timing(ws: Workspace, unit: Unit, facts: SlotFacts | undefined): Partial<Payload<'StepStarted'>> {
  const { graph } = ws.state
  if (isFanParent(graph, unit)) return {}
  const kind = kindOfUnit(graph, unit)
  if (kind === 'plan') return {}
  if (kind !== 'manual' && kind !== 'wait') {
    return { timeoutAt: isoFromMs(ws.now + (graph.timeoutMs[unit.step] ?? 0) + LIMITS.queueAllowanceMs) }
  }
  const step = stepAt(graph, unit.step)
  if (kind === 'manual') {
    const expires = 'manual' in step ? step.manual.expiresAfterMs : undefined
    return expires === undefined ? {} : { timeoutAt: isoFromMs(ws.now + expires) }
  }
  if (!('wait' in step)) return {}
  if ('forEvent' in step.wait) {
    const { forEvent, timeoutMs } = step.wait
    return { forEvent, ...(timeoutMs === undefined ? {} : { timeoutAt: isoFromMs(ws.now + timeoutMs) }) }
  }
  if ('forMs' in step.wait)
    return { waitForMs: typeof step.wait.forMs === 'number' ? step.wait.forMs : (facts?.waitForMs ?? 0) }
  const until = step.wait.until.includes('${') ? facts?.waitUntil : msFromIso(step.wait.until)
  return { waitUntil: isoFromMs(until ?? ws.now) }
}

/** What leaves after the commit, and the events that go with the start. */
function sendOut(ws: Workspace, unit: Unit, slot: string, facts: SlotFacts | undefined): void {
  if (isFanParent(ws.state.graph, unit)) {
    if (facts?.items !== undefined) emit(ws, 'FanOutExpanded', slot, 1, { ...facts.items, stepId: slot })
    return
  }
  const { attempt } = unit
  switch (kindOfUnit(ws.state.graph, unit)) {
    case 'wait':
      return
    case 'manual': {
      const step = stepAt(ws.state.graph, unit.step)
      const expires = 'manual' in step ? step.manual.expiresAfterMs : undefined
      const payload = {
        stepId: slot,
        attempt,
        openedAt: ws.nowIso,
        ...(expires === undefined ? {} : { expiresAt: isoFromMs(ws.now + expires) }),
      }
      emit(ws, 'ManualTaskOpened', taskSlot(slot, attempt), 1, payload)
      ws.effects.push({ kind: 'OpenManualTask', id: effectId('OpenManualTask', slot, attempt), slot, attempt })
      return
    }
    case 'plan':
      ws.effects.push({ kind: 'StartChild', id: effectId('StartChild', slot, attempt), slot, attempt })
      return
    default: {
      const engineAttempt = unitEngineAttempt(ws, unit)
      ws.effects.push({
        kind: 'ExecuteStep',
        id: effectId('ExecuteStep', slot, attempt, engineAttempt),
        slot,
        attempt,
        engineAttempt,
      })
    }
  }
}
