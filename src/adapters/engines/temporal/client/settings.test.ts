/** Settings are checked whole before anything is connected, and no message holds a secret of them. */
import { describe, expect, it } from 'vitest'
import { checkSettings, type TemporalSettings } from './settings.ts'

const refusalOf = (given: TemporalSettings): unknown => {
  try {
    return checkSettings(given)
  } catch (error) {
    return error
  }
}

it('have defaults for everything [TMP-14, TMP-02]', () => {
  expect(checkSettings({})).toEqual({
    address: '127.0.0.1:7233',
    namespace: 'default',
    taskQueue: 'dvt-temporal',
    routing: 'tenant',
    connectTimeoutMs: 5_000,
    requestTimeoutMs: 10_000,
    maxSteps: 100,
    shutdownGraceMs: 10_000,
    rotation: { events: 8_000 },
  })
  expect(checkSettings({ rotation: { steps: 50, bytes: 1_000_000 } }).rotation).toEqual({
    events: 8_000,
    steps: 50,
    bytes: 1_000_000,
  })
})

describe('are refused with', () => {
  it.each([
    ['address', { address: '' }],
    ['address', { address: 'no-port' }],
    ['address', { address: 'http://host:7233' }],
    ['namespace', { namespace: ' ' }],
    ['taskQueue', { taskQueue: '' }],
    ['connectTimeoutMs', { connectTimeoutMs: 0 }],
    ['requestTimeoutMs', { requestTimeoutMs: -1 }],
    ['requestTimeoutMs', { requestTimeoutMs: 1.5 }],
    ['maxSteps', { maxSteps: Number.NaN }],
    ['rotation.events', { rotation: { events: 0 } }],
    ['rotation.steps', { rotation: { steps: -5 } }],
    ['rotation.bytes', { rotation: { bytes: Infinity } }],
    ['certificate', { tls: { certificate: new Uint8Array(1) } }],
    ['certificate', { tls: { key: new Uint8Array(1) } }],
  ] satisfies readonly [string, TemporalSettings][])('a bad %s: %o [TMP-14]', (name, given) => {
    expect(refusalOf(given)).toMatchObject({
      code: 'TEMPORAL_CLIENT_NOT_CONFIGURED',
      message: expect.stringContaining(name),
    })
  })
})

it.each(['localhost:7233', '[::1]:7233', 'ns.acct.tmprl.cloud:7233'])('take the address %s [TMP-14]', (address) => {
  expect(checkSettings({ address })).toMatchObject({ address })
})
