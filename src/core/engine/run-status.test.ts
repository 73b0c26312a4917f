/** The status of a run as engines report it. */
import { describe, expect, it } from 'vitest'
import { CANONICAL_SUBSTATUSES, isSubstatus, statusSnapshot, withSubstatus } from './run-status.ts'
import type { RunSnapshot } from '../view/fold/run-snapshot.ts'

const RUN: RunSnapshot = {
  runId: 'r1',
  status: 'RUNNING',
  lastEventSeq: 3,
  steps: [],
  artifacts: [],
  failedSteps: 0,
  startedAt: '2030-01-01T00:00:00.000Z',
}

describe('a substatus', () => {
  it('is one of the five, or an engine’s own word under its name [ENG-08]', () => {
    for (const word of CANONICAL_SUBSTATUSES) expect(isSubstatus(word), word).toBe(true)
    for (const engine of ['embedded', 'temporal', 'conductor', 'mock']) expect(isSubstatus(`${engine}/FOO`)).toBe(true)
    for (const word of ['FOO', 'foo/FOO', 'mock/', 'mock/foo', 'mock/FOO/BAR', 'mock/DRAINING', '', 'draining'])
      expect(isSubstatus(word), word).toBe(false)
  })

  it('of the log stands when it is canonical; the provider’s comes before an engine’s own word [ENG-08]', () => {
    const status = statusSnapshot(RUN)
    expect(withSubstatus(status, 'RECOVERING').substatus).toBe('RECOVERING')
    expect(withSubstatus({ ...status, substatus: 'RETRYING' }, 'RECOVERING').substatus).toBe('RETRYING')
    expect(withSubstatus({ ...status, substatus: 'mock/HOLDING' }, 'RECOVERING').substatus).toBe('RECOVERING')
    expect(withSubstatus({ ...status, substatus: 'mock/HOLDING' }, 'mock/OTHER').substatus).toBe('mock/HOLDING')
    expect(withSubstatus(status, 'FOO')).toEqual(status)
    expect(withSubstatus(status, undefined)).toEqual(status)
    expect(withSubstatus({ ...status, status: 'FAILED' }, 'RECOVERING')).toEqual({ ...status, status: 'FAILED' })
  })
})

describe('a status', () => {
  it('has an end only when the run has ended [ENG-07]', () => {
    const completedAt = '2030-01-01T00:00:01.000Z'
    const { startedAt } = RUN
    expect(statusSnapshot({ ...RUN, completedAt })).toEqual({ runId: 'r1', status: 'RUNNING', startedAt })
    expect(statusSnapshot({ ...RUN, status: 'COMPLETED', completedAt })).toEqual({
      runId: 'r1',
      status: 'COMPLETED',
      startedAt,
      completedAt,
    })
    expect(statusSnapshot({ ...RUN, substatus: 'DRAINING', message: '1 in-flight task' })).toMatchObject({
      substatus: 'DRAINING',
      message: '1 in-flight task',
    })
  })
})
