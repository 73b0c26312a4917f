/** Somebody who changes or stops a run without saying why, or with a reason nobody can read; and a caller who is not told of a refusal. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'
import { until } from '../fixtures/until.ts'
import { servicesOf } from '../../src/library/services-of.ts'

const HELD = loadPlan('plan: held\nversion: 1.0.0\nsteps: [{ id: a, run: held }, { id: b, run: f }]')

/** Nothing that anybody could read. */
const BLANKS = [
  undefined,
  '',
  ' ',
  '\t\n',
  '\u200b',
  '\u200d\u2060\ufeff',
  '\u00ad',
  '\u3164',
  '\u2800',
  '\u202e',
  '\u0001',
]

const DESTRUCTIVE = [
  ['UPDATE_PARAMS', { params: { n: 1 } }],
  ['INJECT_OVERRIDE', { stepId: 'b', override: { n: 1 } }],
  ['UPDATE_TARGET', { stepId: 'b', newTarget: { db: 'g' } }],
  ['EMERGENCY_STOP', {}],
] as const

let directory = ''
let keelson: Keelson
let release: (value?: unknown) => void = () => undefined

beforeEach(async () => {
  directory = testFolder()
  const held = new Promise((resolve) => {
    release = resolve
  })
  keelson = await openKeelson({ directory, steps: { f: (input) => input, g: () => 'g', held: () => held } })
})
afterEach(async () => {
  release()
  await keelson.close()
})

async function started(): Promise<RunHandle> {
  const run = await keelson.start(HELD)
  await until(async () => (await run.records()).length >= 3)
  return run
}

const answers = async (run: RunHandle) =>
  (await run.records()).filter(({ eventType }) => eventType.startsWith('Signal') || eventType === 'AlertRaised')

describe('a destructive signal', () => {
  it('without a reason that can be read is refused and on record, whatever it is made of [AUT-07, SIG-15]', async () => {
    const run = await started()
    let sent = 0
    for (const [type, payload] of DESTRUCTIVE)
      for (const reason of BLANKS) {
        const asked = run.signal(type, { ...payload, ...(reason === undefined ? {} : { reason }) })
        await expect(asked, `${type} ${String(reason)}`).rejects.toMatchObject({ code: 'AUTHZ_REASON_REQUIRED' })
        sent += 1
      }
    const records = await answers(run)
    expect(records.map(({ eventType }) => eventType)).toEqual(Array.from({ length: sent }, () => 'SignalRejected'))
    release()
    expect((await run.result()).status).toBe('COMPLETED')
  })

  it('posted straight to the store is judged where it is applied [AUT-07]', async () => {
    const run = await started()
    const { store } = servicesOf(keelson)
    const authorization = { allowed: true, policyDecisionId: randomUUID(), actorId: 'eve', actorRole: 'Admin' }
    for (const payload of [
      { params: {} },
      { params: {}, reason: ' ' },
      { params: {}, reason: 7 },
      { params: {}, reason: {} },
    ]) {
      const signalId = randomUUID()
      const body = JSON.stringify({ signalId, signalType: 'UPDATE_PARAMS', payload, authorization })
      await store.insertInbox(run.row, { inboxId: `signal:${signalId}`, kind: 'signal', body })
    }
    await run.signal('PAUSE')
    const codes = (await answers(run)).map(({ payload }) => payload?.['reasonCode'])
    expect(codes).toEqual([...Array.from({ length: 4 }, () => 'AUTHZ_REASON_REQUIRED'), undefined])
  })

  it('with a reason is taken, and raises an alert of the first priority [AUT-07]', async () => {
    const run = await started()
    for (const [type, payload] of DESTRUCTIVE.slice(0, 3)) await run.signal(type, { ...payload, reason: 'a mistake' })
    const records = await answers(run)
    expect(records.map(({ eventType, payload }) => [eventType, payload?.['priority'] ?? payload?.['reason']])).toEqual(
      [1, 2, 3].flatMap(() => [
        ['SignalAccepted', 'a mistake'],
        ['AlertRaised', 'P1'],
      ]),
    )
  })
})

describe('who sends a signal', () => {
  it('is told that it was refused, with the recorded code and decision, also when it is repeated [X-106]', async () => {
    const run = await started()
    const signalId = randomUUID()
    const ask = () => run.signal('RETRY_STEP', { stepId: 'a' }, { signalId })
    const refused = await ask().then(
      () => undefined,
      (thrown: { readonly code: string; readonly problems: readonly { readonly details?: unknown }[] }) => thrown,
    )
    const [record] = await answers(run)
    expect(refused?.code).toBe('STEP_NOT_TERMINAL')
    expect(refused?.problems[0]?.details).toEqual({
      policyDecisionId: record?.payload?.['policyDecisionId'],
      runSeq: record?.runSeq,
    })
    await expect(ask()).rejects.toMatchObject({ code: 'STEP_NOT_TERMINAL' })
    for (const [type, payload] of [
      ['NO_SUCH', {}],
      ['PAUSE', { surprise: true }],
      ['SKIP_STEP', { stepId: 'nowhere' }],
    ] as const)
      await expect(run.signal(type, payload)).rejects.toMatchObject({
        code: expect.stringMatching(/SIGNAL_INVALID_PAYLOAD|STEP_UNKNOWN/) as string,
      })
    release()
    await run.result()
    for (const late of [run.cancel(), run.pause(), run.resume()])
      await expect(late).rejects.toMatchObject({ code: 'RUN_TERMINAL' })
  })

  it('is told that nobody has decided yet where nobody drives the run, or at once when it does not want to wait [X-106]', async () => {
    const run = await started()
    expect(await run.signal('RETRY_STEP', { stepId: 'a' }, { wait: false })).toMatchObject({ kind: 'sent' })
    await using aside = await openKeelson({ directory, adopt: false })
    const queued = await keelson.start(HELD, {}, { queue: true })
    await keelson.close()
    const other = await aside.run(queued.runId)
    expect(await other.signal('PAUSE')).toMatchObject({ kind: 'pending' })
    const blank = other.signal('UPDATE_PARAMS', { params: {}, reason: ' ' })
    await expect(blank).rejects.toMatchObject({ code: 'AUTHZ_REASON_REQUIRED' })
    keelson = await openKeelson({ directory: ':memory:' })
  })
})
