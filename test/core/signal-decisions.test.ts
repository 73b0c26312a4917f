/** What was decided on a signal can be read afterwards, by the id of the signal or of the decision. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { loadPlan, openKeelson, type RunHandle } from '../../src/main.ts'
import { refusal } from '../fixtures/refusal.ts'
import { until } from '../fixtures/until.ts'

const HELD = loadPlan('plan: held\nversion: 1.0.0\nsteps: [{ id: a, run: held }, { id: b, run: quick }]')
const gate = Promise.withResolvers<void>()
const steps = { held: () => gate.promise, quick: (given: unknown) => given }

const opened = () => openKeelson({ directory: ':memory:', steps, pollMs: 20 })
const begun = (run: RunHandle) =>
  until(async () => (await run.records()).some(({ eventType }) => eventType === 'StepStarted'))

it('is found by its signalId and by its policyDecisionId, accepted or rejected, with who, when, why and what [SIG-04]', async () => {
  await using keelson = await opened()
  const run = await keelson.start(HELD)
  await begun(run)
  const [taken, again, refused] = [randomUUID(), randomUUID(), randomUUID()]
  await run.signal('PAUSE', { reason: 'stock count' }, { signalId: taken, actorId: 'ana' })
  await run.signal('PAUSE', {}, { signalId: again, actorId: 'ben' })
  const wrong = { stepId: 'b', newTarget: 'db2', reason: 'moved' }
  await refusal(run.signal('UPDATE_TARGET', wrong, { signalId: refused, actorId: 'eve' }))
  const first = await run.signalDecision(taken)
  expect(first).toMatchObject({
    signalId: taken,
    signalType: 'PAUSE',
    decision: 'ACCEPTED',
    applied: true,
    audit: { actorId: 'ana', tenantId: 'local', reason: 'stock count' },
    signalPayload: { reason: 'stock count' },
  })
  expect(await run.signalDecision(first.policyDecisionId)).toEqual(first)
  expect(await run.signalDecision(again)).toMatchObject({ decision: 'ACCEPTED', applied: false })
  expect(await run.signalDecision(refused)).toMatchObject({
    signalType: 'UPDATE_TARGET',
    decision: 'REJECTED',
    reasonCode: 'SIGNAL_INVALID_PAYLOAD',
    audit: { actorId: 'eve', reason: 'moved' },
    signalPayload: wrong,
  })
  expect((await run.signalDecisions()).map(({ signalId }) => signalId)).toEqual([taken, again, refused])
})

it('is SIGNAL_NOT_FOUND for an id that nobody sent, also if it was sent to another run [SIG-04]', async () => {
  await using keelson = await opened()
  const run = await keelson.start(HELD)
  const other = await keelson.start(HELD)
  await Promise.all([begun(run), begun(other)])
  const sent = randomUUID()
  await run.signal('PAUSE', {}, { signalId: sent })
  expect(await refusal(other.signalDecision(sent))).toMatchObject({
    code: 'SIGNAL_NOT_FOUND',
    message: expect.stringContaining('no such signal was sent to it'),
  })
})

it.each(['db2', 5, null, ['db2']])(
  'UPDATE_TARGET with the newTarget %j is refused and on record: it is an object [SIG-01]',
  async (newTarget) => {
    await using keelson = await opened()
    const run = await keelson.start(HELD)
    await begun(run)
    const asked = run.signal('UPDATE_TARGET', { stepId: 'b', newTarget, reason: 'moved' })
    expect((await refusal(asked)).code).toBe('SIGNAL_INVALID_PAYLOAD')
    expect(await run.signalDecisions()).toMatchObject([{ decision: 'REJECTED', reasonCode: 'SIGNAL_INVALID_PAYLOAD' }])
    await run.signal('UPDATE_TARGET', { stepId: 'b', newTarget: { schema: 'db2' }, reason: 'moved' })
    expect((await run.signalDecisions()).at(-1)).toMatchObject({ decision: 'ACCEPTED', applied: true })
  },
)
