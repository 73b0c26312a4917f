/**
 * The rules of separated duties that a manual step may name (MAN-08). An unknown rule must be refused here, because
 * ignoring it later would let the wrong person approve.
 */
import { kindOf, mustBe, type Kind } from './kind.ts'

export type DutyRule =
  | { readonly kind: 'MakerChecker' | 'HazardousZoneNoSelfApproval' }
  | { readonly kind: 'SafetyClassifiedZoneDualApproval' | 'RemoteEstopRequesterSeparation' }
  | { readonly kind: 'DistinctApprovers'; readonly minimumApprovers: number }
  | { readonly kind: 'IncompatibleDuties'; readonly dutyKeys: readonly string[] }

const DISTINCT = /^DistinctApprovers\((\d{1,3})\)$/
/** Duties are named as in `invoice:approve`. */
const INCOMPATIBLE = /^IncompatibleDuties\(([\w.:-]+(?:, ?[\w.:-]+)+)\)$/

/** `DistinctApprovers(2)` and `IncompatibleDuties(prepare, release)` carry their parameters in parentheses. */
export function parseDutyRule(rule: string): DutyRule | undefined {
  switch (rule) {
    case 'MakerChecker':
    case 'HazardousZoneNoSelfApproval':
    case 'SafetyClassifiedZoneDualApproval':
    case 'RemoteEstopRequesterSeparation':
      return { kind: rule }
    default:
      return parseWithParameters(rule)
  }
}

function parseWithParameters(rule: string): DutyRule | undefined {
  const minimumApprovers = Number(DISTINCT.exec(rule)?.[1] ?? 0)
  if (minimumApprovers >= 1) return { kind: 'DistinctApprovers', minimumApprovers }
  const dutyKeys = INCOMPATIBLE.exec(rule)?.[1]?.split(/, ?/)
  return dutyKeys === undefined ? undefined : { kind: 'IncompatibleDuties', dutyKeys }
}

const known: Kind<string> = kindOf(
  'MakerChecker, DistinctApprovers(n), IncompatibleDuties(a, b), HazardousZoneNoSelfApproval, ' +
    'SafetyClassifiedZoneDualApproval or RemoteEstopRequesterSeparation',
  { type: 'string', examples: ['MakerChecker', 'DistinctApprovers(2)', 'IncompatibleDuties(prepare, release)'] },
  (value): value is string => typeof value === 'string' && parseDutyRule(value) !== undefined,
)

/** Portarium's rule about the roles of who approves. What roles a person has is not in the log, so nobody could be judged by it. */
const SPECIALIST = /^SpecialistApproval\b/
const HINT = 'roles of people are not known here: name the specialists in assignees'

export const dutyRule: Kind<string> = {
  ...known,
  read: (value, place, reading) =>
    typeof value === 'string' && SPECIALIST.test(value)
      ? mustBe(known, value, place, reading, { hint: HINT })
      : known.read(value, place, reading),
}
