/** What the platform did for a run, as a program asks for it. */
import { expect, it } from 'vitest'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'

it('counts the attempts of each slot; a retry is an attempt of its own and no platform retry [ATT-11]', async () => {
  let calls = 0
  const flaky = (): number => {
    calls += 1
    if (calls === 1) throw new Error('not yet')
    return calls
  }
  await using keelson = await openKeelson({ directory: testFolder(), steps: { flaky, ok: () => 1 } })
  const run = await keelson.start(
    loadPlan(
      'plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: flaky, retry: { maxAttempts: 2, initialBackoffMs: 1 } }, { id: b, run: ok }]',
    ),
  )
  await run.result()
  expect(await run.infrastructureReport()).toEqual({
    platformAttempts: 3,
    logicalAttempts: 3,
    platformRetries: 0,
    engineRuns: 1,
    attempts: [
      { slot: 'a', logicalAttemptId: 1, platformAttempts: 1 },
      { slot: 'a', logicalAttemptId: 2, platformAttempts: 1 },
      { slot: 'b', logicalAttemptId: 1, platformAttempts: 1 },
    ],
  })
})
