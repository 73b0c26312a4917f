import { describe, expect, it } from 'vitest'
import { at } from '../../../../test/fixtures/log-builder.ts'
import { META, see, started } from '../../../../test/fixtures/seen-run.ts'
import type { RunMeta } from '../fold/run-meta.ts'

describe('substatus', () => {
  it('counts the in-flight tasks of a paused run down to none, then drops DRAINING [UIC-05, STO-27]', () => {
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepStarted', { stepId: 'b' })
      .add('StepStarted', { stepId: 'c' })
      .add('RunPaused')
    const seen: (string | undefined)[] = [see(log).snapshot.message]
    for (const stepId of ['a', 'b', 'c']) {
      log.add('StepCompleted', { stepId })
      const { snapshot } = see(log)
      expect(snapshot.status).toBe('PAUSED')
      expect(snapshot.substatus).toBe(stepId === 'c' ? undefined : 'DRAINING')
      seen.push(snapshot.message)
    }
    expect(seen).toEqual(['3 in-flight tasks', '2 in-flight tasks', '1 in-flight task', undefined])
  })

  it('does not drain what only waits: a timer, a person, the parent of a fan-out [UIC-05]', () => {
    const log = started()
      .add('StepStarted', { stepId: 'a', payload: { waitForMs: 1000 } })
      .add('StepStarted', { stepId: 'b' })
      .add('ManualTaskOpened', { stepId: 'b' })
      .add('StepStarted', { stepId: 'd' })
      .add('FanOutExpanded', { stepId: 'd' })
      .add('RunPaused')
    expect(see(log).snapshot.substatus).toBeUndefined()
    log.add('StepStarted', { stepId: 'd', itemIndex: 0 })
    expect(see(log).snapshot.message).toBe('1 in-flight task')
  })

  it('names the engine in CANCELLING, keeps the prior status, and clears at the end [STO-27, SSM-21]', () => {
    const cancel = { signalType: 'CANCEL', graceUntil: at(10_000) } as const
    const log = started().add('StepStarted', { stepId: 'a' }).add('SignalAccepted', { payload: cancel })
    expect(see(log).snapshot).toMatchObject({ status: 'RUNNING', substatus: 'embedded/CANCELLING' })
    expect(see(log.add('RunCancelled')).snapshot.substatus).toBeUndefined()
  })

  it('does not show CANCELLING for a cancel that was accepted and had no effect', () => {
    const log = started().add('SignalAccepted', { payload: { signalType: 'CANCEL', applied: false } })
    expect(see(log).snapshot.substatus).toBeUndefined()
  })

  it("shows COMPENSATING from the first compensation to the end, with each step's own [STO-27]", () => {
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepCompleted', { stepId: 'a' })
      .add('CompensationStarted', { stepId: 'a' })
      .add('CompensationFailed', { stepId: 'a', payload: { final: false } })
      .add('CompensationStarted', { stepId: 'a', attempt: 2 })
    expect(see(log).snapshot).toMatchObject({ status: 'RUNNING', substatus: 'embedded/COMPENSATING' })
    const done = see(log.add('CompensationCompleted', { stepId: 'a', attempt: 2 }).add('RunFailed'))
    expect(done.snapshot.substatus).toBeUndefined()
    expect(done.step('a')).toMatchObject({ status: 'SUCCESS', compensation: { status: 'DONE', attempts: 2 } })
  })

  it('shows HOLDING once only a person can move the run, and the engine it was handed to [STO-27]', () => {
    const meta: RunMeta = { ...META, onFailure: 'hold' }
    const log = started()
      .add('StepStarted', { stepId: 'a' })
      .add('StepStarted', { stepId: 'b' })
      .add('StepFailed', { stepId: 'a' })
    expect(see(log, meta).snapshot.substatus).toBeUndefined()
    log.add('StepCompleted', { stepId: 'b' })
    expect(see(log).snapshot.substatus).toBeUndefined()
    expect(see(log, meta).snapshot.substatus).toBe('embedded/HOLDING')
    expect(see(log.add('EngineHandoff'), meta).snapshot.substatus).toBe('temporal/HOLDING')
  })

  it('holds for an indeterminate step under every policy [STO-27]', () => {
    const error = { code: 'INDETERMINATE', retryable: false, errorClass: 'unknown' } as const
    const log = started().add('StepStarted', { stepId: 'a' }).add('StepFailed', { stepId: 'a', payload: { error } })
    expect(see(log).snapshot.substatus).toBe('embedded/HOLDING')
  })
})
