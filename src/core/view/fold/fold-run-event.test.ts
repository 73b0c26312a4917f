import { describe, expect, it } from 'vitest'
import { at, buildLog } from '../../../../test/fixtures/log-builder.ts'
import { META, see, started } from '../../../../test/fixtures/seen-run.ts'
import { incrementalProject, projectRun } from '../project/project-run.ts'

describe('illegal transitions', () => {
  it('applies an end before its start; the late RunStarted fills two fields only', () => {
    const log = buildLog().add('RunApproved').add('RunCompleted').add('RunStarted')
    const { snapshot, alerts } = see(log)
    expect(snapshot).toMatchObject({
      status: 'COMPLETED',
      startedAt: at(2000),
      engineRunRef: 'embedded://run-1',
      completedAt: at(1000),
    })
    expect(snapshot.inconsistent).toBeUndefined()
    expect(alerts[0]).toMatchObject({ code: 'INVALID_TRANSITION', priorState: 'APPROVED', attemptedState: 'COMPLETED' })
  })

  it('applies an end to a paused run and says that it was not legal', () => {
    const { snapshot, alerts } = see(started().add('RunPaused').add('RunFailed'))
    expect(snapshot.status).toBe('FAILED')
    expect(alerts).toMatchObject([{ code: 'INVALID_TRANSITION', priorState: 'PAUSED', attemptedState: 'FAILED' }])
  })

  it.each(['RunApproved', 'RunStarted', 'RunPaused', 'RunResumed', 'RunFailed', 'RunCancelled'] as const)(
    'leaves a completed run as it is when %s follows, and alerts [SSM-04]',
    (type) => {
      const log = buildLog().add('RunQueued').add('RunCompleted').add(type)
      const { snapshot, alerts } = see(log)
      expect(snapshot.status).toBe('COMPLETED')
      expect(alerts.at(-1)).toMatchObject({
        code: 'INVALID_TRANSITION',
        runId: 'run-1',
        tenantId: 'tenant',
        eventId: log.records.at(-1)?.eventId,
        eventType: type,
        runSeq: 3,
        persistedAt: at(2000),
        priorState: 'COMPLETED',
      })
      expect(new Set(alerts.map((one) => one.alertId)).size).toBe(alerts.length)
    },
  )

  it('ignores a pause of a run that has not started and marks the view inconsistent, with the same alert at every fold', () => {
    const log = buildLog().add('RunApproved').add('RunPaused')
    const first = see(log)
    expect(first.snapshot).toMatchObject({ status: 'APPROVED', inconsistent: true })
    expect(see(log).alerts).toEqual(first.alerts)
    expect(incrementalProject(first.view, log.records).alerts).toEqual([])
    expect(projectRun(META, [...log.records, ...log.records]).alerts).toEqual(first.alerts)
  })

  it('takes RunFailed and RunCancelled before a start as ordinary ends', () => {
    for (const type of ['RunFailed', 'RunCancelled'] as const) {
      for (const log of [buildLog(), buildLog().add('RunQueued'), buildLog().add('RunApproved')]) {
        expect(see(log.add(type)).alerts).toEqual([])
      }
    }
  })

  it('flags a skip of a running attempt and leaves it running', () => {
    const { step, alerts } = see(started().add('StepStarted', { stepId: 'a' }).add('StepSkipped', { stepId: 'a' }))
    expect(step('a')?.status).toBe('RUNNING')
    expect(alerts).toMatchObject([{ code: 'INVALID_TRANSITION', priorState: 'RUNNING', attemptedState: 'SKIPPED' }])
  })
})
