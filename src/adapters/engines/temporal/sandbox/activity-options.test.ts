/** The times and retries of activities, pinned: a change here changes what the platform does to every step. */
import { describe, expect, it } from 'vitest'
import { ADVANCE_SENDING, HEARTBEAT_THROTTLE_MS, KIND_TIMES, LONG_STEP_MS, stepSending } from './activity-options.ts'

const MINUTE = 60_000
const RETRY = {
  initialInterval: 1_000,
  backoffCoefficient: 2,
  maximumInterval: 60_000,
  maximumAttempts: 3,
  nonRetryableErrorTypes: ['PermanentStepError', 'AuthorizationError', 'ValidationError'],
}

describe('a step', () => {
  it('has these times and retries unless something else is said [TMP-09, TMP-10, X-40, P-26]', () => {
    expect(stepSending({ timeoutMs: 5 * MINUTE })).toEqual({
      startToCloseTimeout: 30 * MINUTE,
      scheduleToStartTimeout: 30 * MINUTE,
      scheduleToCloseTimeout: 30 * MINUTE + 5 * MINUTE + 5 * MINUTE,
      heartbeatTimeout: 10_000,
      retry: RETRY,
    })
    expect(HEARTBEAT_THROTTLE_MS).toBe(1_000)
  })

  it('is never given up by the platform before its own time is over [TMP-10]', () => {
    const { startToCloseTimeout, scheduleToCloseTimeout } = stepSending({ timeoutMs: 120 * MINUTE })
    expect([startToCloseTimeout, scheduleToCloseTimeout]).toEqual([125 * MINUTE, 155 * MINUTE])
    expect(LONG_STEP_MS).toBe(10 * MINUTE)
  })

  it.each([
    [
      'dbt-run',
      { startToCloseTimeout: 240 * MINUTE, scheduleToCloseTimeout: 300 * MINUTE, heartbeatTimeout: 5 * MINUTE },
    ],
    [
      'healthcheck',
      { startToCloseTimeout: 10_000, scheduleToCloseTimeout: 15_000, retry: { ...RETRY, maximumAttempts: 1 } },
    ],
    ['warehouse-query', { startToCloseTimeout: 15 * MINUTE, heartbeatTimeout: 30_000 }],
  ])('of the kind %s has times of its own [TMP-10]', (kind, times) => {
    const own = KIND_TIMES[kind]
    expect(stepSending({ timeoutMs: MINUTE, ...(own === undefined ? {} : { times: own }) })).toMatchObject(times)
  })

  it('may be sent to a queue of its own, with times that the settings give [TMP-10, TMP-13]', () => {
    const times = { maximumAttempts: 5, heartbeatMs: 2_000 }
    expect(stepSending({ timeoutMs: MINUTE, times, taskQueue: 'gpu' })).toMatchObject({
      taskQueue: 'gpu',
      heartbeatTimeout: 2_000,
      retry: { maximumAttempts: 5 },
    })
  })
})

it('a wake-up is tried until it succeeds [P-38]', () => {
  expect(ADVANCE_SENDING.retry).not.toHaveProperty('maximumAttempts')
  expect(ADVANCE_SENDING).toMatchObject({ startToCloseTimeout: MINUTE, retry: { maximumInterval: 10_000 } })
})
