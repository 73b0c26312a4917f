/**
 * May this person do what they ask for? Asked where it is applied, over the log as it is then, so that two decisions of one
 * person that wait together are judged one after the other.
 */
import { parseDutyRule, type DutyRule } from '../../plan/format/duty-rule.ts'
import type { Step } from '../../plan/plan.ts'
import type { ProblemCode } from '../../problems/registry.ts'
import type { InputBody, Outcome } from '../input.ts'
import type { RunState } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'
import { stepAt } from '../state/units.ts'
import { asksForChecker, AUTO_APPROVER, COUNTS, dutiesOf, dutyViolation, type Acting } from './duties.ts'
import { isBlank, isSamePerson } from './person.ts'
import { isNamed, namedApprovers, namesPeople, unnamedPart, whoAsks } from './named-people.ts'

/** From this rules version on, people are judged when their decision is applied. */
const PEOPLE_ARE_JUDGED = 3

/** For a run that has not started, only its admission says who asked for it; earlier versions did not record that. */
export function judgesPeople({ startedAt, rulesVersion, people }: RunState): boolean {
  return startedAt < 0 ? people.makers.length > 0 : rulesVersion >= PEOPLE_ARE_JUDGED
}

export interface Refusal {
  readonly code: ProblemCode
  readonly why: string
}

/** What the report says of a completion beside its outcome. */
export interface Told extends Pick<Extract<InputBody, { kind: 'outcome' }>, 'seenChanges' | 'notAssigned'> {
  readonly actorRoles?: readonly string[] | undefined
}

/** Undefined: this person may complete the task. */
export function completionRefusal(
  state: RunState,
  unit: Unit,
  actorId: string | undefined,
  told: Told = {},
): Refusal | undefined {
  const step = stepAt(state.graph, unit.step)
  if (!('manual' in step)) return undefined
  if (actorId === undefined || isBlank(actorId))
    return { code: 'AUTHZ_DENIED', why: `nobody is named who completes '${step.stepId}'` }
  const unnamed = unnamedRefusal(state, actorId, `completes '${step.stepId}'`)
  if (unnamed !== undefined) return unnamed
  if (told.seenChanges !== undefined && told.seenChanges !== state.changes)
    return { code: 'TASK_NOT_OPEN', why: `the run was changed after ${actorId} was asked to complete '${step.stepId}'` }
  if (told.notAssigned === true || !isAssigned(step, actorId))
    return { code: 'AUTHZ_DENIED', why: `'${step.stepId}' is not assigned to ${actorId}` }
  return dutyRefusal(state, step, { actorId, roles: told.actorRoles ?? [] }, 'complete')
}

/** Mapped assignees are checked where they are mapped. Names that allow somebody are compared exactly as written. */
function isAssigned(step: Step, actorId: string): boolean {
  const assignees = 'manual' in step ? (step.manual.assignees ?? []) : []
  return assignees.length === 0 || assignees.some((one) => one === actorId || one.includes('${'))
}

/** An unnamed person may be anybody, so they may not do what a rule of the plan compares. */
export function unnamedRefusal(
  state: RunState,
  actorId: string,
  act: string,
  who: 'actors' | 'makers' = 'actors',
): Refusal | undefined {
  if (!namesPeople(state) || isNamed(actorId)) return undefined
  const asking = whoAsks(state, who)
  return asking === undefined ? undefined : { code: 'PERSON_NOT_NAMED', why: whoIsAsked(asking, act) }
}

export function whoIsAsked(asking: string, act: string): string {
  return `the rule of ${asking} needs the name of the person who ${act}: give it with --as (in a program: actorId, actorUserId)`
}

/** Why the rule of a manual step refuses a person who completes or skips it. */
export function dutyRefusal(
  state: RunState,
  step: Step,
  acting: Acting,
  act: 'complete' | 'skip',
): Refusal | undefined {
  if (!('manual' in step)) return undefined
  const { actorId } = acting
  const unnamed = unnamedRefusal(state, actorId, `${act}s '${step.stepId}'`)
  const written = step.manual.rule
  if (unnamed !== undefined || written === undefined) return unnamed
  const rule = parseDutyRule(written)
  if (rule === undefined)
    return { code: 'TASK_RULE_UNKNOWN', why: `the rule '${written}' of '${step.stepId}' is not known here` }
  const violation = violationOf(state, rule, acting, dutiesOf(step))
  if (violation === undefined) return undefined
  return { code: 'AUTHZ_DENIED', why: `${actorId} may not ${act} '${step.stepId}': ${violation} (${written})` }
}

function violationOf(state: RunState, rule: DutyRule, acting: Acting, duties: readonly string[]): string | undefined {
  const { people } = state
  if (!namesPeople(state)) return dutyViolation(rule, people, acting, duties)
  const known = COUNTS.has(rule.kind) ? namedApprovers(people) : people
  return dutyViolation(rule, known, acting, duties) ?? unnamedPart(rule, people, duties)
}

/** The maker of a run may not approve it if its plan demands a checker (MAN-08). */
export function approvalRefusal(state: RunState, approvedBy: string): Refusal | undefined {
  if (isBlank(approvedBy) || isSamePerson(approvedBy, AUTO_APPROVER))
    return { code: 'AUTHZ_DENIED', why: 'nobody is named who approves the run' }
  if (!asksForChecker(state.graph.plan)) return undefined
  const unnamed = unnamedRefusal(state, approvedBy, 'approves the run')
  if (unnamed !== undefined) return unnamed
  const maker = state.people.makers.find((one) => isSamePerson(one, approvedBy))
  if (maker === undefined) return undefined
  return { code: 'AUTHZ_DENIED', why: `${approvedBy} may not approve the run: ${maker} asked for it (MakerChecker)` }
}

/** The roles of who completed a task, as the report says. */
export function rolesOf(outcome: Outcome): readonly string[] | undefined {
  return outcome.kind === 'completed' ? outcome.payload.actorRoles : outcome.actorRoles
}

/** Who completed a task, as the report says. */
export function actorOf(outcome: Outcome): string | undefined {
  return outcome.kind === 'completed' ? outcome.payload.actorId : outcome.actorId
}
