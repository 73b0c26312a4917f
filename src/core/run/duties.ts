/**
 * Separation of duties (MAN-08): may this person complete this task, given who did what in the whole run? A rule tells its
 * reason when it says no. What it judges by comes from the log alone.
 */
import type { DutyRule } from '../plan/duty-rule.ts'

export interface DutyFacts {
  /** Who wants to complete the task now. */
  readonly actorId: string
  /** Who started the run. */
  readonly initiator?: string
  /** The duties this task is: its step, and its label `duty`. */
  readonly duties: readonly string[]
  /** Tasks completed with success before, each with its person and its duties. */
  readonly approvals: readonly { readonly actorId: string; readonly duties: readonly string[] }[]
  /** Who pulled the emergency stop of this run, or of the run it starts over. */
  readonly stoppedBy: readonly string[]
}

/** Undefined when the rule has nothing against it. */
export function dutyViolation(rule: DutyRule, facts: DutyFacts): string | undefined {
  const { actorId } = facts
  switch (rule.kind) {
    case 'MakerChecker':
    case 'HazardousZoneNoSelfApproval':
      return facts.initiator === actorId ? `${actorId} started this run` : undefined
    case 'DistinctApprovers':
      return tooFew(facts, rule.minimumApprovers)
    case 'SafetyClassifiedZoneDualApproval':
      return tooFew(facts, 2)
    case 'IncompatibleDuties':
      return otherDuty(facts, rule.dutyKeys)
    case 'RemoteEstopRequesterSeparation':
      return facts.stoppedBy.includes(actorId) ? `${actorId} asked for the emergency stop` : undefined
  }
}

/** The people of the whole run count, this one included: a task with such a rule comes after the others' tasks. */
function tooFew({ actorId, approvals }: DutyFacts, least: number): string | undefined {
  const people = new Set([...approvals.map((one) => one.actorId), actorId])
  return people.size < least ? `${people.size} of ${least} different people would have approved` : undefined
}

function otherDuty({ actorId, duties, approvals }: DutyFacts, keys: readonly string[]): string | undefined {
  const done = approvals.find(
    (one) => one.actorId === actorId && one.duties.some((duty) => keys.includes(duty) && !duties.includes(duty)),
  )
  return done === undefined ? undefined : `${actorId} has done '${done.duties[0] ?? ''}' already`
}
