/** What the state of a run and of its steps makes of signals, over HTTP. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { until } from '../fixtures/until.ts'
import { heldServer } from './held-run.ts'
import { ADMIN, PAYLOADS } from './signal-samples.ts'

it('names every way in which a state refuses a signal [SIG-05, SIG-11, SIG-16, X-54]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  const codeOf = async (signalType: string, payload: object = PAYLOADS[signalType] ?? {}) => {
    const { status, body } = await server.signal(run, { signalType, payload })
    return [status, body.error?.code]
  }
  expect(await codeOf('RETRY_STEP', { stepId: 'first' })).toEqual([409, 'STEP_NOT_TERMINAL'])
  expect(await codeOf('RETRY_STEP', { stepId: 'second' })).toEqual([409, 'STEP_NOT_FAILED'])
  expect(await codeOf('SKIP_STEP', { stepId: 'first' })).toEqual([409, 'STEP_RUNNING'])
  expect(await codeOf('SKIP_STEP', { stepId: 'third' })).toEqual([404, 'STEP_UNKNOWN'])
  expect(await codeOf('RETRY_RUN')).toEqual([409, 'RUN_NOT_TERMINAL'])
  expect((await server.call(`GET /v1/executions/${run}/signals/${randomUUID()}`)).body.error.code).toBe(
    'SIGNAL_NOT_FOUND',
  )
  const refused = (await server.call(`GET /v1/executions/${run}/signals`)).body.decisions[0]
  expect(refused).toMatchObject({
    decision: 'ACCEPTED',
    engineResult: { status: 'failure', errorCode: 'STEP_NOT_TERMINAL' },
  })
})

it('refuses by the state of steps that ended, and every signal but a retry on a run that ended [SIG-05, SIG-11, SIG-16, X-54]', async () => {
  await using server = await heldServer()
  server.release()
  const { executionId: run } = (await server.call('POST /v1/executions?mode=sync', { body: { planId: 'held' } })).body
  for (const signalType of ADMIN.filter((one) => one !== 'RETRY_RUN')) {
    const { status, body } = await server.signal(run, { signalType, payload: PAYLOADS[signalType] })
    expect([signalType, status, body.error.code]).toEqual([signalType, 409, 'RUN_TERMINAL'])
  }
  const escalated = await server.signal(
    run,
    { signalType: 'ESCALATE_ALERT', payload: { level: 'P1' } },
    'acme.bot.System',
  )
  expect(escalated.status).toBe(200)
  const paused = await heldAtSecond()
  await using live = paused.server
  const codeOf = async (signalType: string, stepId: string) =>
    (await live.signal(paused.run, { signalType, payload: { stepId } })).body.error.code
  expect(await codeOf('RETRY_STEP', 'first')).toBe('STEP_NOT_FAILED')
  expect(await codeOf('SKIP_STEP', 'first')).toBe('STEP_TERMINAL')
})

/** A run that was paused while its first step was at work, and whose first step has ended since. */
async function heldAtSecond(): Promise<{
  readonly server: Awaited<ReturnType<typeof heldServer>>
  readonly run: string
}> {
  const server = await heldServer()
  const run = await server.started()
  await server.signal(run, { signalType: 'PAUSE' })
  server.release()
  await until(async () => (await server.log(run)).some(({ eventType }) => eventType === 'StepCompleted'))
  return { server, run }
}

it('refuses what needs a started run while it is queued [SIG-11]', async () => {
  await using server = await heldServer()
  const { executionId } = (await server.call('POST /v1/executions', { body: { planId: 'held', queue: true } })).body
  const { status, body } = await server.signal(executionId, { signalType: 'PAUSE' })
  expect([status, body.error.code]).toEqual([409, 'RUN_NOT_RUNNING'])
})

it('skips a step, stops in an emergency, and escalates under the names of the other events [X-53, X-55, SIG-06]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  await server.signal(run, { signalType: 'SKIP_STEP', payload: { stepId: 'second', reason: 'not now' } })
  await server.signal(run, { signalType: 'ESCALATE_ALERT', payload: { level: 'P1', note: 'look' } }, 'acme.bot.System')
  await server.signal(run, { signalType: 'EMERGENCY_STOP', payload: { reason: 'fire', forceKill: true } })
  await until(async () => (await server.call(`GET /v1/executions/${run}`)).body.status === 'CANCELLED')
  const types = (await server.log(run)).map(({ eventType }) => eventType)
  expect(types).toEqual(expect.arrayContaining(['StepSkipped', 'AlertEscalated', 'RunCancelled']))
})

it('needs no reason for a pause, a resume or a cancellation [X-96]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  for (const signalType of ['PAUSE', 'RESUME', 'CANCEL']) {
    const { status, body } = await server.signal(run, { signalType })
    expect([status, body.decision, body.audit.reason]).toEqual([200, 'ACCEPTED', undefined])
  }
})

it('checks the right to send signals before the run is looked at, and the right to this one again with it [X-52, AUT-03]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  const atDoor = await server.signal('no-such-run', { signalType: 'PAUSE' }, 'acme.eye.viewer')
  expect([atDoor.status, atDoor.body.error.code]).toEqual([403, 'AUTHZ_DENIED'])
  const inside = await server.signal(run, { signalType: 'RETRY_RUN' }, 'acme.op.Operator')
  expect([inside.status, inside.body.error.code]).toEqual([403, 'AUTHZ_DENIED'])
  expect((await server.answers(run)).map(({ eventType }) => eventType)).toEqual(['SignalRejected'])
})
