/**
 * Who did what, folded from the log: who made the run and changed it, who completed its tasks, who stopped it. Ids are kept as
 * they were written; whether two ids mean one person is decided when a rule is checked.
 */
import type { Payload } from '../../events/event.ts'
import { dutiesOf, withApproval, withPerson } from '../people/duties.ts'
import type { Approval, People } from '../state/people.ts'
import type { FoldEvent } from '../fold-event.ts'
import { APPROVE, COMPLETE_TASK, isChange } from '../signals/catalogue.ts'
import { stepAt } from '../state/units.ts'
import type { NextState } from './next-state.ts'

function change(next: NextState, more: Partial<People>): void {
  next.people = { ...next.people, ...more }
}

/** Admission says who asks for the run, and who did what in the runs it comes from. */
export function keepPeople(next: NextState, event: FoldEvent): void {
  const { triggeredBy, inherited } = event.payload as Payload<'RunQueued'>
  if (triggeredBy !== undefined) change(next, { makers: withPerson(next.people.makers, triggeredBy) })
  if (inherited !== undefined) hearOf(next, inherited)
}

/** People of another run. What they approved there can only exclude them here; it is no approval of this run. */
export function hearOf(next: NextState, told: People): void {
  const past = told.approvals.map((one): Approval => ({ ...one, isPast: true }))
  change(next, {
    makers: told.makers.reduce(withPerson, next.people.makers),
    approvals: past.reduce(withApproval, next.people.approvals),
    stoppedBy: told.stoppedBy.reduce(withPerson, next.people.stoppedBy),
    ...(told.isCut === true ? { isCut: true } : {}),
  })
}

/** Who started the run comes first, whoever else had a part in it. */
export function startedBy(next: NextState, event: FoldEvent): void {
  const { context } = event.payload as Partial<Payload<'RunStarted'>>
  const by = context?.triggeredBy
  if (by !== undefined) change(next, { makers: [by, ...next.people.makers.filter((one) => one !== by)] })
}

export function completedBy(next: NextState, step: number, actorId: string): void {
  const approval = { actorId, duties: dutiesOf(stepAt(next.graph, step)) }
  change(next, { approvals: withApproval(next.people.approvals, approval) })
}

/**
 * A person who changes what the run works on is one of its makers too. A person who skips a task counts as the one who completed
 * it.
 */
export function signalledBy(next: NextState, event: FoldEvent): void {
  const { signalType, applied, actorId, target } = event.payload as Payload<'SignalAccepted'>
  if (applied && isChange(signalType)) next.changes += 1
  if (actorId === undefined) return
  if (applied && isChange(signalType)) change(next, { makers: withPerson(next.people.makers, actorId) })
  switch (signalType) {
    case 'EMERGENCY_STOP':
      change(next, { stoppedBy: withPerson(next.people.stoppedBy, actorId) })
      return
    case 'SKIP_STEP': {
      const step = next.graph.indexOf.get(target ?? '')
      if (applied && step !== undefined && next.graph.kinds[step] === 'manual') completedBy(next, step, actorId)
      return
    }
    default:
  }
}

export function personRefused(next: NextState, event: FoldEvent): void {
  const { signalType } = event.payload as Payload<'SignalRejected'>
  if (signalType === COMPLETE_TASK || signalType === APPROVE) next.refusals += 1
}
