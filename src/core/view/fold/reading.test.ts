import { describe, expect, it } from 'vitest'
import { at, buildLog } from '../../../../test/fixtures/log-builder.ts'
import { see, started } from '../../../../test/fixtures/seen-run.ts'
import { EVENT_TYPES } from '../../events/event.ts'
import { recordSchema } from '../../events/schemas.ts'
import { checkOf } from '../../schema/check.ts'

describe('the log builder', () => {
  it('makes records that fit the published schema of every event type', () => {
    for (const type of EVENT_TYPES) {
      const [record] = buildLog().add(type, { stepId: 'a' }).records
      expect(checkOf(recordSchema(type))(record), type).toBeUndefined()
    }
  })
})

describe('lenient reading', () => {
  it('lets unknown types advance the watermark and nothing else [PRJ-04, PRJ-08]', () => {
    const log = started()
      .addForeign('FutureEvent', { stepId: 'a', payload: { x: 1 } })
      .add('StepStarted', { stepId: 'a' })
    const { snapshot, notes } = see(log)
    expect(snapshot.lastEventSeq).toBe(4)
    expect(notes).toMatchObject([{ kind: 'UNKNOWN_EVENT_TYPE', eventType: 'FutureEvent', runSeq: 3 }])
    const tail = see(started().addForeign('FutureEvent')).snapshot
    expect({ ...tail, lastEventSeq: 2 }).toEqual(see(started()).snapshot)
    expect(tail.lastEventSeq).toBe(3)
  })

  it('ignores unknown fields and passes new words of a later version on [EVT-27, UIC-08]', () => {
    const extra = { extra: { region: 'eu', shiny: { deep: true } } }
    const future = buildLog()
      .addForeign('RunApproved', extra)
      .addForeign('RunStarted', {
        payload: { ...started().records[1]?.payload, engineType: 'quantum', status: 'WARPING', more: 1 },
        ...extra,
      })
      .addForeign('StepStarted', { stepId: 'a', payload: { startedAt: at(0), epoch: 1, lane: 7 }, ...extra })
      .addForeign('StepFailed', {
        stepId: 'a',
        payload: {
          failedAt: at(1),
          final: true,
          error: { code: 'X', retryable: false, errorClass: 'cosmic', tier: 9 },
        },
      })
    const { snapshot, notes, step } = see(future)
    expect(notes).toEqual([])
    expect(snapshot.status).toBe('RUNNING')
    expect(step('a')?.error).toEqual({ code: 'X', retryable: false, errorClass: 'cosmic', message: 'X' })
  })

  it('notes a malformed payload of a known type and survives it [EVT-24]', () => {
    const log = started()
      .addForeign('StepStarted', { stepId: 'a', payload: { startedAt: 7, epoch: 1 } })
      .addForeign('StepFailed', { stepId: 'a', payload: { error: 'boom' } })
      .addForeign('StepStarted', { payload: {} })
      .addForeign('StepStarted', { stepId: 'b', itemIndex: -1, payload: { startedAt: at(0), epoch: 1 } })
      .addForeign('FanOutExpanded', { stepId: 'c', payload: { count: 'many' } })
      .add('StepStarted', { stepId: 'c' })
    const { snapshot, step, notes } = see(log)
    expect(notes.map((one) => [one.kind, one.runSeq])).toEqual([
      ['MALFORMED_PAYLOAD', 3],
      ['MALFORMED_PAYLOAD', 4],
      ['MALFORMED_PAYLOAD', 5],
      ['MALFORMED_PAYLOAD', 6],
      ['MALFORMED_PAYLOAD', 7],
    ])
    expect(notes[0]?.detail).toContain('startedAt')
    expect(snapshot.lastEventSeq).toBe(8)
    expect(step('a')).toMatchObject({ status: 'FAILED', error: { code: 'UNKNOWN' } })
    expect(step('c')?.status).toBe('RUNNING')
  })

  it('shows steps that metadata does not name as their events come [PRJ-05]', () => {
    const ids = Array.from({ length: 100 }, (_, i) => (i === 50 ? '__proto__' : `step-${i}`))
    const log = started()
    for (const stepId of ids) log.add('StepStarted', { stepId })
    for (const stepId of ids) log.add('StepCompleted', { stepId })
    const { snapshot } = see(log, { runId: 'run-1', stepIds: [] })
    expect(snapshot.steps.map((one) => one.stepId)).toEqual(ids)
    expect(snapshot.steps.every((one) => one.status === 'SUCCESS')).toBe(true)
  })
})
