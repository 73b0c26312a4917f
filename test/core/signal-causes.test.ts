/** What a signal causes says so: its records name the signal, keep apart per signal, and hold what decides them again. */
import { describe, expect, it } from 'vitest'
import { scenario } from '../fixtures/scenario.ts'
import { TWO } from './signals.test.ts'

describe('what a signal causes', () => {
  it('refers to it [SIG-14, EVT-22]', () => {
    const run = scenario(TWO)
      .start()
      .signals('PAUSE', { reason: 'lunch' })
      .signals('RESUME')
      .signals('SKIP_STEP', { stepId: 'b' })
    run.signals('ESCALATE_ALERT', { level: 'INFO' }).signals('EMERGENCY_STOP', { reason: 'fire' })
    expect(run.payload('RunPaused')).toMatchObject({ signalId: 's1', reason: 'lunch' })
    expect(run.payload('RunResumed')).toMatchObject({ signalId: 's2' })
    expect(run.payload('StepSkipped')).toMatchObject({ signalId: 's3' })
    expect(run.payload('AlertEscalated')).toMatchObject({ signalId: 's4', level: 'INFO' })
    expect(run.payload('AlertRaised')).toMatchObject({ signalId: 's5', code: 'DESTRUCTIVE_SIGNAL' })
    expect(run.payload('RunCancelled')).toMatchObject({ signalId: 's5', reason: 'fire' })
    const caused = run.log
      .filter(({ draft }) => draft.causedBySignalId !== undefined)
      .map(({ draft }) => `${draft.eventType} ${draft.causedBySignalId}`)
    expect(caused).toEqual([
      'RunPaused s1',
      'RunResumed s2',
      'StepSkipped s3',
      'AlertEscalated s4',
      'AlertRaised s5',
      'RunCancelled s5',
    ])
    expect(run.log.filter(({ cause }) => cause === 'signal:s5').map(({ draft }) => draft.eventType)).toEqual([
      'SignalAccepted',
      'AlertRaised',
      'StepFailed',
      'RunCancelled',
    ])
  })

  it('is kept apart per signal: as many decisions as signals, each in its own slot [IDM-11, X-07]', () => {
    const run = scenario(TWO)
      .start()
      .signals('PAUSE')
      .signals('RESUME')
      .signals('RETRY_STEP', { stepId: 'b' })
      .signals('RETRY_STEP', { stepId: 'b' })
    expect(run.events('SignalAccepted', 'SignalRejected')).toEqual([
      'SignalAccepted SIGNAL:s1#1',
      'SignalAccepted SIGNAL:s2#1',
      'SignalRejected SIGNAL:s3#1',
      'SignalRejected SIGNAL:s4#1',
    ])
  })

  it('carries the payload, so that the decision can be made again from the log [SIG-13]', () => {
    const run = scenario(TWO)
      .start()
      .signals('UPDATE_PARAMS', { params: { size: 3 }, reason: 'bigger' })
    expect(run.log.find(({ draft }) => draft.eventType === 'SignalAccepted')?.draft.data).toEqual({
      signalPayload: { params: { size: 3 }, reason: 'bigger' },
    })
  })
})
