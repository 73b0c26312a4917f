/**
 * Names where a rule compares people (MAN-08). Without a name a person is `local` in the log. That may be anybody, so `local` never
 * counts as a different person.
 */
import type { DutyRule } from '../../plan/format/duty-rule.ts'
import type { Plan } from '../../plan/plan.ts'
import { LOCAL_TENANT } from '../../local-tenant.ts'
import type { People } from '../state/people.ts'
import { asksForChecker, AUTO_APPROVER, checkedStep } from './duties.ts'
import { isBlank, isSamePerson } from './person.ts'
import type { NamesAsked, RunState } from '../state/state.ts'

/** From this rules version on, people must be named where a rule compares them. */
const PEOPLE_ARE_NAMED = 5

/** The id in the log of a person who gave no name (P-49). */
const UNNAMED = LOCAL_TENANT

export function isNamed(actorId: string): boolean {
  return !isBlank(actorId) && !isSamePerson(actorId, UNNAMED) && !isSamePerson(actorId, AUTO_APPROVER)
}

export function namesPeople({ rulesVersion }: Pick<RunState, 'rulesVersion'>): boolean {
  return rulesVersion >= PEOPLE_ARE_NAMED
}

/** The first manual step that has a rule about people. Where there is one, its run knows by name who completes its tasks. */
function stepThatAsksWho({ steps }: Plan): string | undefined {
  return steps.find((step) => 'manual' in step && step.manual.rule !== undefined)?.stepId
}

/** The step, of this plan or of a run above, whose rule asks who acts in this run; with `makers`, also who changes it. */
export function whoAsks(state: Pick<RunState, 'graph' | 'namesAsked'>, who: 'actors' | 'makers'): string | undefined {
  const { plan } = state.graph
  const own = who === 'actors' || asksForChecker(plan) ? stepThatAsksWho(plan) : undefined
  const above = who === 'actors' || state.namesAsked?.makers === true ? state.namesAsked : undefined
  if (own !== undefined) return `'${own}'`
  return above === undefined ? undefined : `'${above.stepId}' of run ${above.runId}`
}

/** What people do in a child is told to its parent, so what a rule here asks, it asks there. */
export function namesAskedOfChild(
  state: Pick<RunState, 'graph' | 'namesAsked' | 'rulesVersion'>,
  runId: string,
): NamesAsked | undefined {
  const { plan } = state.graph
  const stepId = stepThatAsksWho(plan)
  if (stepId === undefined || !namesPeople(state)) return state.namesAsked
  if (state.namesAsked?.makers === true && !asksForChecker(plan)) return state.namesAsked
  return { runId, stepId: checkedStep(plan) ?? stepId, ...(asksForChecker(plan) ? { makers: true } : {}) }
}

/** Those whose approvals a rule may count. */
export function namedApprovers(people: People): People {
  return { ...people, approvals: people.approvals.filter(({ actorId }) => isNamed(actorId)) }
}

/** An unnamed person had the part that the rule asks about, and may be the person who acts now. */
export function unnamedPart(rule: DutyRule, people: People, duties: readonly string[]): string | undefined {
  switch (rule.kind) {
    case 'MakerChecker':
    case 'HazardousZoneNoSelfApproval':
      return people.makers.every(isNamed) ? undefined : 'a maker of this run is not named'
    case 'IncompatibleDuties': {
      const isOther = (duty: string): boolean => rule.dutyKeys.includes(duty) && !duties.includes(duty)
      const done = people.approvals.find((one) => !isNamed(one.actorId) && one.duties.some(isOther))
      return done === undefined ? undefined : `the person who did '${done.duties.find(isOther) ?? ''}' is not named`
    }
    case 'RemoteEstopRequesterSeparation':
      return people.stoppedBy.every(isNamed) ? undefined : 'the person who asked for the emergency stop is not named'
    case 'DistinctApprovers':
    case 'SafetyClassifiedZoneDualApproval':
    case 'SpecialistApproval':
      return undefined
  }
}
