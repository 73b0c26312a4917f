/**
 * The rules of separated duties that a manual step may name (MAN-08). An unknown rule must be refused here, because
 * ignoring it later would let the wrong person approve.
 */
import { kindOf, type Kind } from './kind.ts'

export type DutyRule =
  | { readonly kind: 'MakerChecker' | 'HazardousZoneNoSelfApproval' }
  | { readonly kind: 'SafetyClassifiedZoneDualApproval' | 'RemoteEstopRequesterSeparation' }
  | { readonly kind: 'DistinctApprovers'; readonly minimumApprovers: number }
  | { readonly kind: 'IncompatibleDuties'; readonly dutyKeys: readonly string[] }
  | { readonly kind: 'SpecialistApproval'; readonly roles: readonly string[] }

const DISTINCT = /^DistinctApprovers\((\d{1,3})\)$/
/** Duties are named as in `invoice:approve`. */
const INCOMPATIBLE = /^IncompatibleDuties\(([\w.:-]+(?:, ?[\w.:-]+)+)\)$/
const SPECIALIST = /^SpecialistApproval\(([\w.:-]+(?:, ?[\w.:-]+)*)\)$/

/** `DistinctApprovers(2)`, `IncompatibleDuties(prepare, release)` and `SpecialistApproval(dba)` carry their parameters in parentheses. */
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
  if (dutyKeys !== undefined) return { kind: 'IncompatibleDuties', dutyKeys }
  const roles = SPECIALIST.exec(rule)?.[1]?.split(/, ?/)
  return roles === undefined ? undefined : { kind: 'SpecialistApproval', roles }
}

export const dutyRule: Kind<string> = kindOf(
  'MakerChecker, DistinctApprovers(n), IncompatibleDuties(a, b), SpecialistApproval(role), HazardousZoneNoSelfApproval, ' +
    'SafetyClassifiedZoneDualApproval or RemoteEstopRequesterSeparation',
  {
    type: 'string',
    examples: [
      'MakerChecker',
      'DistinctApprovers(2)',
      'IncompatibleDuties(prepare, release)',
      'SpecialistApproval(dba, security)',
    ],
  },
  (value): value is string => typeof value === 'string' && parseDutyRule(value) !== undefined,
)
