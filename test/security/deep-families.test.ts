/** A plan that starts itself comes to an end by itself, and what it started ends with it. */
import { expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import type { RunRow } from '../../src/ports/run-store.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'

it('a plan that starts itself without an end fails at the deepest run that is allowed, and not later', async () => {
  await using keelson = await openKeelson({ directory: ':memory:', engine: 'mock' })
  const plan = loadPlan(
    'plan: rec\nversion: 1.0.0\nsteps: [{ id: c, plan: { planId: rec }, retry: { maxAttempts: 1 } }]\n',
  )
  await keelson.publish(plan)
  const handle = await keelson.start(plan)
  const result = await handle.result()
  expect(result.status).toBe('FAILED')
  const runs: RunRow[] = []
  for await (const row of keelson.runs()) runs.push(row)
  expect(runs).toHaveLength(LIMITS.childDepth + 1)
  const deepest = runs.find(({ runId }) => !runs.some(({ parent }) => parent?.runId === runId))
  const found = await (await keelson.run(deepest?.runId ?? '')).result()
  expect(found.error).toMatchObject({ code: 'CHILD_TOO_DEEP' })
})
