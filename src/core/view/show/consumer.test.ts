import { describe, expect, it } from 'vitest'
import { buildLog } from '../../../../test/fixtures/log-builder.ts'
import { META, see, started } from '../../../../test/fixtures/seen-run.ts'
import type { LogRecord } from '../../events/event.ts'
import { RUN_TRANSITIONS } from '../../run/state/transitions.ts'
import {
  consumerNext,
  newConsumer,
  shownRun,
  takePoll,
  takeResyncAnswer,
  watermarkOf,
  type ConsumerState,
} from './consumer.ts'
import { retryLabel, engineAttemptLabel, slotLabel, statusLabel } from './labels.ts'
import { snapshotOf } from './snapshot-of.ts'

/** Ten events, then the number 12: 11 is missing. */
function jumping(): readonly LogRecord[] {
  const log = started()
  for (let i = 3; i <= 10; i += 1) log.add('StepStarted', { stepId: `s${i}` })
  return log.add('RunCompleted', { runSeq: 12 }).records
}
function upTo(seq: number): readonly LogRecord[] {
  return jumping().filter((one) => one.runSeq <= seq)
}
const full = (events: readonly LogRecord[]) => ({ mode: 'FULL', runId: 'run-1', events }) as const

describe('a consumer', () => {
  it('polls by watermark in order, whatever the pages [UIC-01]', () => {
    const records = started().add('StepStarted', { stepId: 'a' }).add('StepCompleted', { stepId: 'a' }).records
    let state = newConsumer(META)
    const asked: number[] = []
    for (;;) {
      const next = consumerNext(state)
      if (next.kind !== 'poll') throw new Error('a log without gaps needs no resync')
      asked.push(next.afterSeq)
      const page = records.filter((one) => one.runSeq > next.afterSeq).slice(0, 2)
      if (page.length === 0) break
      state = takePoll(state, [...page].reverse())
    }
    expect(asked).toEqual([0, 2, 4])
    expect(snapshotOf(state.view)).toEqual(
      see(
        buildLog()
          .add('RunApproved')
          .add('RunStarted')
          .add('StepStarted', { stepId: 'a' })
          .add('StepCompleted', { stepId: 'a' }),
      ).snapshot,
    )
  })

  it('is stale from a jump until a resync brought it to the upper end of what it saw [UIC-02, X-103]', () => {
    let state: ConsumerState = takePoll(newConsumer(META), upTo(10))
    expect(shownRun(state).stale).toBe(false)
    state = takePoll(state, jumping().slice(-1))
    expect(shownRun(state)).toMatchObject({ stale: true, lastEventSeq: 10, status: 'RUNNING' })
    expect(consumerNext(state)).toEqual({
      kind: 'resync',
      request: { mode: 'FROM_SNAPSHOT', runId: 'run-1', checkpointSeq: 10 },
    })
    state = takeResyncAnswer(state, full(upTo(10)))
    expect(shownRun(state).stale).toBe(true)
    state = takeResyncAnswer(state, full(jumping()))
    expect(shownRun(state)).toMatchObject({ stale: false, lastEventSeq: 12, status: 'COMPLETED' })
    expect(consumerNext(state)).toEqual({ kind: 'poll', afterSeq: 12 })
  })

  it('keeps STALE beside the status, which has no such word [UIC-03]', () => {
    const state = takePoll(takePoll(newConsumer(META), upTo(10)), jumping().slice(-1))
    expect(Object.keys(RUN_TRANSITIONS)).not.toContain('STALE')
    expect(shownRun(state)).toMatchObject({ status: 'RUNNING', stale: true })
  })

  it('shows a substatus it does not know word for word, and none after the end [UIC-04]', () => {
    const state = takePoll(newConsumer(META), started().records)
    expect(shownRun(state, 'temporal/WORKFLOW_TASK_BACKLOG').substatus).toBe('temporal/WORKFLOW_TASK_BACKLOG')
    expect(statusLabel(shownRun(state, 'temporal/WORKFLOW_TASK_BACKLOG'))).toBe(
      'RUNNING (temporal/WORKFLOW_TASK_BACKLOG)',
    )
    const ended = takePoll(newConsumer(META), started().add('RunCompleted').records)
    expect(shownRun(ended, 'RECOVERING')).not.toHaveProperty('substatus')
  })

  it('lets what the log says go before what the engine says [STO-27]', () => {
    const log = started().add('StepStarted', { stepId: 'a' }).add('RunPaused')
    expect(shownRun(takePoll(newConsumer(META), log.records), 'CONTINUE_AS_NEW').substatus).toBe('DRAINING')
  })

  it('tells how far it has come, gap or no gap [UIC-06]', () => {
    const state = takePoll(takePoll(newConsumer(META), upTo(10)), jumping().slice(-1))
    expect(watermarkOf(state)).toEqual({ lastEventSeq: 10, seenUpTo: 12 })
    expect(watermarkOf(takeResyncAnswer(state, full(jumping())))).toEqual({ lastEventSeq: 12, seenUpTo: 12 })
  })

  it('asks for the whole log when it cannot use the snapshot it got [UIC-02]', () => {
    const state = takePoll(takePoll(newConsumer(META), upTo(10)), jumping().slice(-1))
    const unusable = {
      mode: 'FROM_SNAPSHOT',
      runId: 'run-1',
      snapshot: { lastEventSeq: 10, body: 'not JSON' },
      events: [],
    } as const
    expect(consumerNext(takeResyncAnswer(state, unusable))).toEqual({
      kind: 'resync',
      request: { mode: 'FULL', runId: 'run-1' },
    })
  })

  it('takes no answer that is older than its copy', () => {
    const state = takePoll(newConsumer(META), upTo(10))
    expect(takeResyncAnswer(state, full(upTo(5)))).toBe(state)
  })
})

describe('labels', () => {
  it('count retries from the logical attempt and show the engine its own [ATT-07]', () => {
    expect([1, 2, 3].map(retryLabel)).toEqual([undefined, 'Retry #1', 'Retry #2'])
    expect(engineAttemptLabel(3)).toBe('Platform attempt 3')
    const log = started().add('StepStarted', { stepId: 'a', attempt: 2, engineAttempt: 4 })
    expect(see(log).step('a')).toMatchObject({ logicalAttemptId: 2, engineAttemptId: 4 })
  })

  it('say status, substatus and message in one line [UIC-05]', () => {
    expect(statusLabel({ status: 'PAUSED', substatus: 'DRAINING', message: '3 in-flight tasks' })).toBe(
      'PAUSED (DRAINING): 3 in-flight tasks',
    )
    expect(statusLabel({ status: 'RUNNING' })).toBe('RUNNING')
  })

  it('name slots as people read them', () => {
    expect(slotLabel({ stepId: 'FALLBACK:pay[3]', role: 'fallback' })).toBe('pay[3] (fallback)')
  })
})
