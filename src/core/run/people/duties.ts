/**
 * Separation of duties (MAN-08): may this person complete this task, given who did what in the whole run and in the runs it
 * comes from? A rule tells its reason when it says no. What it judges by comes from the log alone.
 */
import { jsonBytesOf } from '../../json/json-bytes-of.ts'
import { LIMITS } from '../../limits.ts'
import { parseDutyRule, type DutyRule } from '../../plan/format/duty-rule.ts'
import type { Plan, Step } from '../../plan/plan.ts'
import type { Approval, People } from '../state/people.ts'
import { isSamePerson, personKey } from './person.ts'

/** The approver's name where no approval is needed; no person has this name. */
export const AUTO_APPROVER = 'policy:auto'

/** Who acts, and in which roles, as far as whoever knows them told. */
export interface Acting {
  readonly actorId: string
  readonly roles: readonly string[]
}

/** Undefined when the rule has nothing against it. */
export function dutyViolation(
  rule: DutyRule,
  people: People,
  { actorId, roles }: Acting,
  duties: readonly string[],
): string | undefined {
  // It asks about whoever acts, and nobody else.
  if (rule.kind === 'SpecialistApproval') return noSpecialist(rule.roles, roles)
  const violation = byRule(rule, people, actorId, duties)
  if (violation !== undefined || people.isCut !== true || COUNTS.has(rule.kind)) return violation
  return 'more people had a part in it than the log tells of'
}

/** These rules ask how many people there are, not who they are. */
export const COUNTS: ReadonlySet<string> = new Set(['DistinctApprovers', 'SafetyClassifiedZoneDualApproval'])

/** Roles are told by who authenticates the person; none told is none held. What they hold besides is not said. */
function noSpecialist(needed: readonly string[], held: readonly string[]): string | undefined {
  if (needed.some((role) => held.includes(role))) return undefined
  return `only who has the role ${needed.join(' or ')} may, and nobody said so of them`
}

function byRule(
  rule: Exclude<DutyRule, { kind: 'SpecialistApproval' }>,
  people: People,
  actorId: string,
  duties: readonly string[],
): string | undefined {
  switch (rule.kind) {
    case 'MakerChecker':
    case 'HazardousZoneNoSelfApproval':
      return made(people, actorId)
    case 'DistinctApprovers':
      return tooFew(people, actorId, rule.minimumApprovers)
    case 'SafetyClassifiedZoneDualApproval':
      return tooFew(people, actorId, 2)
    case 'IncompatibleDuties':
      return otherDuty(people, actorId, duties, rule.dutyKeys)
    case 'RemoteEstopRequesterSeparation': {
      const stopper = people.stoppedBy.find((one) => isSamePerson(one, actorId))
      return stopper === undefined ? undefined : `${stopper} asked for the emergency stop`
    }
  }
}

/** The first person started the run; the others started the runs it comes from, or changed it. */
function made({ makers }: People, actorId: string): string | undefined {
  const at = makers.findIndex((one) => isSamePerson(one, actorId))
  if (at < 0) return undefined
  return `${makers[at] ?? actorId} ${at === 0 ? 'started' : 'had a part in'} this run`
}

/** The people of the whole run count, this one included: a task with such a rule comes after the others' tasks. */
function tooFew({ approvals }: People, actorId: string, least: number): string | undefined {
  const standing = approvals.filter(({ isPast }) => isPast !== true)
  const people = new Set([...standing.map((one) => personKey(one.actorId)), personKey(actorId)])
  return people.size < least ? `${people.size} of ${least} different people would have approved` : undefined
}

function otherDuty(
  { approvals }: People,
  actorId: string,
  duties: readonly string[],
  keys: readonly string[],
): string | undefined {
  const isOther = (duty: string): boolean => keys.includes(duty) && !duties.includes(duty)
  const done = approvals.find((one) => one.duties.some(isOther) && isSamePerson(one.actorId, actorId))
  return done === undefined ? undefined : `${done.actorId} has done '${done.duties.find(isOther) ?? ''}' already`
}

/** The duties that a step stands for: its own id, and its label `duty`. */
export function dutiesOf({ stepId, labels }: Step): readonly string[] {
  const duty = labels?.['duty']
  return duty === undefined ? [stepId] : [stepId, duty]
}

/** Does a step of the plan demand a person other than the maker of the run? Then the maker may not approve the run either. */
export function asksForChecker(plan: Plan): boolean {
  return checkedStep(plan) !== undefined
}

/** The first step with such a rule. */
export function checkedStep({ steps }: Plan): string | undefined {
  return steps.find((step) => {
    const rule = 'manual' in step && step.manual.rule !== undefined ? parseDutyRule(step.manual.rule) : undefined
    return rule?.kind === 'MakerChecker' || rule?.kind === 'HazardousZoneNoSelfApproval'
  })?.stepId
}

/** What a fork or a child of this run must know. Undefined: only who starts it. */
export function inheritedPeople(people: People, startedBy: string): People | undefined {
  const told = toldPeople(people)
  const isNews = told.makers.some((one) => one !== startedBy) || !isNobody({ ...told, makers: [] })
  return isNews ? told : undefined
}

/** Everything that other runs are told, as far as it fits into one event. If something is missing, nobody is allowed. */
export function toldPeople({ makers, approvals, stoppedBy, isCut }: People): People {
  const done = approvals.map(({ actorId, duties }) => ({ actorId, duties })).reduce(withApproval, [])
  let room: number = LIMITS.peopleBytes
  const fits = (...names: readonly string[]): boolean => {
    room -= names.reduce((sum, one) => sum + jsonBytesOf(one) + NAME_FRAME, 0)
    return room >= 0
  }
  const told = {
    makers: makers.filter((one) => fits(one)),
    approvals: done.filter(({ actorId, duties }) => fits(actorId, ...duties)),
    stoppedBy: stoppedBy.filter((one) => fits(one)),
  }
  return isCut === true || room < 0 ? { ...told, isCut: true } : told
}

/** Field names, quotes, commas and braces around a name. */
const NAME_FRAME = 40

/** What is told of somebody that is not known yet; undefined for nothing. */
export function peopleNews(known: People, told: People): People | undefined {
  const approvals = told.approvals.filter(
    ({ actorId, duties }) =>
      !known.approvals.some((one) => one.actorId === actorId && duties.every((duty) => one.duties.includes(duty))),
  )
  const news = {
    makers: told.makers.filter((one) => !known.makers.includes(one)),
    approvals: approvals.map(({ actorId, duties }) => ({ actorId, duties })),
    stoppedBy: told.stoppedBy.filter((one) => !known.stoppedBy.includes(one)),
    ...(told.isCut === true && known.isCut !== true ? { isCut: true } : {}),
  }
  return isNobody(news) ? undefined : news
}

function isNobody({ makers, approvals, stoppedBy, isCut }: People): boolean {
  return makers.length + approvals.length + stoppedBy.length === 0 && isCut !== true
}

export function withPerson(people: readonly string[], actorId: string): readonly string[] {
  return people.includes(actorId) ? people : [...people, actorId]
}

/** One entry for each person, as the id was written, and for what stands or is past. */
export function withApproval(approvals: readonly Approval[], added: Approval): readonly Approval[] {
  const at = approvals.findIndex((one) => one.actorId === added.actorId && one.isPast === added.isPast)
  const known = approvals[at]
  if (known === undefined) return [...approvals, added]
  const news = added.duties.filter((duty) => !known.duties.includes(duty))
  if (news.length === 0) return approvals
  return approvals.map((one) => (one === known ? { ...known, duties: [...known.duties, ...news] } : one))
}
