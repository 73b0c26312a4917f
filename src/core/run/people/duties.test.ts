/** What one run tells another of its people: everybody, or that somebody is missing, and then nobody is let. */
import { describe, expect, it } from 'vitest'
import { dutyViolation, peopleNews, toldPeople } from './duties.ts'
import type { People } from '../state/people.ts'

const nobody: People = { makers: [], approvals: [], stoppedBy: [] }
const many = Array.from({ length: 2000 }, (_one, n) => `maker-${n}`)

const ZOE = { actorId: 'zoe', roles: [] }

describe('people that are told to another run', () => {
  it('are all told while they fit, and what they approved once for each person', () => {
    const people: People = {
      makers: ['ana'],
      approvals: [
        { actorId: 'bo', duties: ['a'] },
        { actorId: 'bo', duties: ['b'], isPast: true },
      ],
      stoppedBy: ['cy'],
    }
    expect(toldPeople(people)).toEqual({
      makers: ['ana'],
      approvals: [{ actorId: 'bo', duties: ['a', 'b'] }],
      stoppedBy: ['cy'],
    })
  })

  it('are cut where there are too many, and then a rule that asks who somebody is lets nobody', () => {
    const told = toldPeople({ ...nobody, makers: many })
    expect(told.isCut).toBe(true)
    expect(told.makers.length).toBeGreaterThan(300)
    expect(JSON.stringify(told).length).toBeLessThan(32 * 1024)
    const why = 'more people had a part in it than the log tells of'
    expect(dutyViolation({ kind: 'MakerChecker' }, told, ZOE, [])).toBe(why)
    expect(dutyViolation({ kind: 'IncompatibleDuties', dutyKeys: ['a', 'b'] }, told, ZOE, ['a'])).toBe(why)
    expect(dutyViolation({ kind: 'RemoteEstopRequesterSeparation' }, told, ZOE, [])).toBe(why)
    expect(dutyViolation({ kind: 'DistinctApprovers', minimumApprovers: 1 }, told, ZOE, [])).toBeUndefined()
    expect(toldPeople({ ...nobody, isCut: true })).toEqual({ ...nobody, isCut: true })
  })

  it('are news only as far as they are not known', () => {
    const known: People = {
      ...nobody,
      makers: ['ana'],
      approvals: [{ actorId: 'bo', duties: ['a', 'b'], isPast: true }],
    }
    expect(peopleNews(known, { ...known, approvals: [{ actorId: 'bo', duties: ['b'] }] })).toBeUndefined()
    expect(
      peopleNews(known, { ...nobody, makers: ['ana', 'Ana'], approvals: [{ actorId: 'bo', duties: ['c'] }] }),
    ).toEqual({ makers: ['Ana'], approvals: [{ actorId: 'bo', duties: ['c'] }], stoppedBy: [] })
    expect(peopleNews(known, { ...nobody, isCut: true })).toEqual({ ...nobody, isCut: true })
  })
})
