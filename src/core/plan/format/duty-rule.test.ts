import { describe, expect, it } from 'vitest'
import { parseDutyRule } from './duty-rule.ts'

describe('rules of separated duties', () => {
  it.each([
    ['MakerChecker', { kind: 'MakerChecker' }],
    ['HazardousZoneNoSelfApproval', { kind: 'HazardousZoneNoSelfApproval' }],
    ['SafetyClassifiedZoneDualApproval', { kind: 'SafetyClassifiedZoneDualApproval' }],
    ['RemoteEstopRequesterSeparation', { kind: 'RemoteEstopRequesterSeparation' }],
    ['DistinctApprovers(2)', { kind: 'DistinctApprovers', minimumApprovers: 2 }],
    ['IncompatibleDuties(prepare, release)', { kind: 'IncompatibleDuties', dutyKeys: ['prepare', 'release'] }],
    [
      'IncompatibleDuties(invoice:prepare, invoice:approve)',
      { kind: 'IncompatibleDuties', dutyKeys: ['invoice:prepare', 'invoice:approve'] },
    ],
    ['SpecialistApproval(dba)', { kind: 'SpecialistApproval', roles: ['dba'] }],
    ['SpecialistApproval(dba, net:admin)', { kind: 'SpecialistApproval', roles: ['dba', 'net:admin'] }],
    ['IncompatibleDuties(a,b,c)', { kind: 'IncompatibleDuties', dutyKeys: ['a', 'b', 'c'] }],
  ])('are read: %s', (rule, expected) => {
    expect(parseDutyRule(rule)).toEqual(expected)
  })

  it.each([
    '',
    'makerchecker',
    'DistinctApprovers',
    'DistinctApprovers(0)',
    'IncompatibleDuties(a)',
    'SpecialistApproval',
    'SpecialistApproval()',
    'Anybody',
  ])('are refused when nobody knows them: %j', (rule) => {
    expect(parseDutyRule(rule)).toBeUndefined()
  })
})
