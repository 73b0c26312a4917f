/** A pause whose steps do not end in time, as a program sees it: alert, status, resume, and a log that verifies. */
import { expect, it } from 'vitest'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { operationsOf } from '../fixtures/operations-of.ts'
import { testFolder } from '../fixtures/folder.ts'
import { untilFound } from '../fixtures/until.ts'

const PLAN = loadPlan(`plan: slow
version: 1.0.0
policy: { drainTimeoutMs: 20 }
steps: [{ id: a, run: gated }, { id: b, run: quick }]`)
const ADA = { userId: 'ada', roles: ['Operator'], tenantId: 'local' }

it('tells of PAUSE_DRAIN_TIMEOUT with P2 in the log, stays paused as DRAIN_TIMED_OUT, and goes on when it is resumed [X-95, OBS-04]', async () => {
  const gate = Promise.withResolvers<string>()
  let calls = 0
  const steps = { gated: () => ((calls += 1), gate.promise), quick: () => 1 }
  await using keelson = await openKeelson({ directory: testFolder(), steps, pollMs: 20 })
  const run = await keelson.start(PLAN)
  await untilFound(async () => (calls > 0 ? true : undefined))
  await run.pause('stock count')
  const alert = await untilFound(async () => (await run.records()).find(({ eventType }) => eventType === 'AlertRaised'))
  expect(alert.payload).toMatchObject({ code: 'PAUSE_DRAIN_TIMEOUT', priority: 'P2' })
  expect(alert).toMatchObject({ runId: run.runId, tenantId: 'local' })
  const shown = { status: 'PAUSED', substatus: 'embedded/DRAIN_TIMED_OUT', message: '1 in-flight task' }
  expect(await run.snapshot()).toMatchObject(shown)
  expect(await operationsOf(keelson).getRunStatus(run.row.engineRunRef, ADA)).toMatchObject(shown)
  expect((await keelson.run(run.runId)).row).toMatchObject({ status: 'PAUSED', substatus: 'embedded/DRAIN_TIMED_OUT' })
  await run.resume()
  expect((await run.snapshot()).substatus).toBeUndefined()
  gate.resolve('late')
  expect((await run.result()).status).toBe('COMPLETED')
  expect([calls, (await run.stepDetail('a')).output]).toEqual([1, 'late'])
  const proof = await keelson.maintenance.verify((await keelson.run(run.runId)).row)
  expect(proof.chain.broken).toBeUndefined()
  expect(proof.decisions).toMatchObject({ differences: [], notDerivable: [] })
})
