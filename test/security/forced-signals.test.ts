/** `force` and `forceKill` promise to go past something: what they go past, and what they do not, is said and kept. */
import { expect, it } from 'vitest'
import { loadPlan, openKeelson, type Keelson, type RunHandle } from '../../src/main.ts'

const open = (): Promise<Keelson> =>
  openKeelson({
    directory: ':memory:',
    steps: {
      ok: () => 1,
      bad: () => Promise.reject(new Error('no')),
      slow: (_input, { signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
    },
  })

const SLOW = loadPlan('{ plan: slow, version: 1.0.0, steps: [{ id: s, run: slow }] }')
const HELD = loadPlan(`plan: held
version: 1.0.0
policy: { onFailure: hold, retry: { maxAttempts: 1 } }
steps: [{ id: a, run: ok }, { id: b, run: bad, dependsOn: [a] }]`)

async function until(run: RunHandle, isSo: (events: readonly string[]) => boolean): Promise<void> {
  for (let tries = 0; tries < 500; tries += 1) {
    if (isSo((await run.records()).map(({ eventType }) => eventType))) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('it did not come to that')
}

it('an emergency stop that asks for a grace is refused, for it never gives one; forceKill says what it does [SIG-06]', async () => {
  await using keelson = await open()
  const run = await keelson.start(SLOW)
  await until(run, (events) => events.includes('StepStarted'))
  await expect(run.signal('EMERGENCY_STOP', { reason: 'fire', forceKill: false })).rejects.toMatchObject({
    code: 'SIGNAL_INVALID_PAYLOAD',
    message: expect.stringContaining('forceKill'),
  })
  await run.signal('EMERGENCY_STOP', { reason: 'fire', forceKill: true })
  expect((await run.result()).status).toBe('CANCELLED')
  const accepted = (await run.records()).find(({ eventType }) => eventType === 'SignalAccepted')
  expect(accepted?.payload).toMatchObject({ graceUntil: accepted?.emittedAt })
})

it('force goes past no refusal: with it a retry is taken, and refused, exactly where it is without [SIG-16]', async () => {
  for (const force of [{}, { force: true }]) {
    await using keelson = await open()
    const run = await keelson.start(HELD)
    await until(run, (events) => events.includes('StepFailed'))
    await expect(run.signal('RETRY_STEP', { stepId: 'a', ...force })).rejects.toMatchObject({ code: 'STEP_NOT_FAILED' })
    await expect(run.signal('RETRY_RUN', { ...force })).rejects.toMatchObject({ code: 'RUN_NOT_TERMINAL' })
    await run.signal('RETRY_STEP', { stepId: 'b', ...force })
    await until(run, (events) => events.filter((one) => one === 'StepFailed').length === 2)
    await run.cancel('enough')
    await run.result()
  }
})
