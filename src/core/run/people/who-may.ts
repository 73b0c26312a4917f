/** Who may complete a task or approve a run, in words: told to a person who was refused (MAN-08). */
import { parseDutyRule, type DutyRule } from '../../plan/format/duty-rule.ts'
import type { Step } from '../../plan/plan.ts'
import { asksForChecker, dutiesOf } from './duties.ts'
import type { People } from '../state/people.ts'
import type { RunState } from '../state/state.ts'
import { personKey } from './person.ts'

/** Names beyond these are not listed. */
const NAMED = 10

/** Undefined: the step has no rule, and every assignee may complete it. */
export function whoMayComplete({ people }: Pick<RunState, 'people'>, step: Step): string | undefined {
  const rule = 'manual' in step && step.manual.rule !== undefined ? parseDutyRule(step.manual.rule) : undefined
  return rule === undefined ? undefined : wordsOf(rule, people, dutiesOf(step))
}

/** Undefined: anybody may. */
export function whoMayApprove({ people, graph }: Pick<RunState, 'people' | 'graph'>): string | undefined {
  return asksForChecker(graph.plan) ? `somebody who did not ask for the run${but(people.makers)}` : undefined
}

function wordsOf(rule: DutyRule, people: People, duties: readonly string[]): string {
  switch (rule.kind) {
    case 'MakerChecker':
    case 'HazardousZoneNoSelfApproval':
      return `somebody who had no part in making the run${but(people.makers)}`
    case 'DistinctApprovers':
      return counted(rule.minimumApprovers, people)
    case 'SafetyClassifiedZoneDualApproval':
      return counted(2, people)
    case 'IncompatibleDuties': {
      const others = rule.dutyKeys.filter((key) => !duties.includes(key))
      const done = people.approvals.filter((one) => one.duties.some((duty) => others.includes(duty)))
      return `somebody who has not done ${others.map((key) => `'${key}'`).join(' or ')}${but(done.map(({ actorId }) => actorId))}`
    }
    case 'SpecialistApproval':
      return `somebody with the role ${rule.roles.join(' or ')}`
    case 'RemoteEstopRequesterSeparation':
      return `somebody who did not ask for the emergency stop${but(people.stoppedBy)}`
  }
}

function counted(least: number, { approvals }: People): string {
  const standing = approvals.filter(({ isPast }) => isPast !== true).map(({ actorId }) => actorId)
  const far = standing.length === 0 ? 'nobody has approved yet' : `so far ${listed(standing)}`
  return `the last of ${least} different people (${far})`
}

function but(names: readonly string[]): string {
  return names.length === 0 ? '' : `: not ${listed(names)}`
}

/** Each person once, as they are written first. */
function listed(all: readonly string[]): string {
  const seen = new Map<string, string>()
  for (const one of all) if (!seen.has(personKey(one))) seen.set(personKey(one), one)
  const names = [...seen.values()]
  const more = names.length - NAMED
  return names.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
