import { describe, expect, it } from 'vitest'
import { compilePlan } from '../../../app/plans/compile.ts'
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
    ['IncompatibleDuties(a,b,c)', { kind: 'IncompatibleDuties', dutyKeys: ['a', 'b', 'c'] }],
  ])('are read: %s', (rule, expected) => {
    expect(parseDutyRule(rule)).toEqual(expected)
  })

  it.each(['', 'makerchecker', 'DistinctApprovers', 'DistinctApprovers(0)', 'IncompatibleDuties(a)', 'Anybody'])(
    'are refused when nobody knows them: %j',
    (rule) => {
      expect(parseDutyRule(rule)).toBeUndefined()
    },
  )

  it('about the roles of people are refused with what to write instead', () => {
    const plan = 'plan: p\nversion: 1.0.0\nsteps: [{ id: a, manual: { title: A, rule: "SpecialistApproval(dba)" } }]'
    expect(compilePlan(plan)).toMatchObject({
      ok: false,
      problems: [
        {
          code: 'INVALID_STEP_SCHEMA',
          message: expect.stringContaining("not 'SpecialistApproval(dba)'"),
          hint: 'roles of people are not known here: name the specialists in assignees',
        },
      ],
    })
  })
})
