/** `keelson alerts`: what is not as it should be in the logs of runs, for people and as JSON. */
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { newRun } from '../../src/testing/store/run-fixtures.ts'
import { creation } from '../../src/testing/store/store-case.ts'
import { STORE_FILE } from '../../src/core/state-folder.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson } from './command.ts'
import { keelsonHere } from './in-process.ts'

beforeAll(ensureBuilt)

const PLAN =
  'plan: p\nversion: 1.0.0\nsteps: [{ id: a, wait: { forMs: 1 } }, { id: b, wait: { forMs: 1 }, dependsOn: [a] }]\n'
const MINUTE = 60_000

/** A run of the plan that ended in order, and one of the same plan whose log has everything that is told of logs. */
async function folderWithOddRun(): Promise<{
  readonly folder: string
  readonly orderly: string
  readonly odd: string
}> {
  const folder = folderWith({ 'p.yaml': PLAN })
  const { stdout } = await keelson(['run', 'p.yaml', '--json'], folder)
  const { result } = jsonLines(stdout).at(-1) as { readonly result: { readonly runId: string } }
  const odd = '00000000-0000-4000-8000-000000000001'
  const now = Date.now()
  const store = await openSqliteStore({ path: join(folder, '.keelson', STORE_FILE), clock: { now: () => now } })
  const row = await store.findRun({ tenantId: 'local', runId: result.runId })
  const { planSha256 = '', projectId = '', environmentId = '' } = row ?? {}
  const run = newRun({ runId: odd, tenantId: 'local', planId: 'p', planSha256, projectId, environmentId })
  const at = (eventType: string, slot: string | undefined, emittedAt: number, payload = {}) => ({
    eventType,
    emittedAt,
    payload,
    ...(slot === undefined ? {} : { slot }),
  })
  const alert = { code: 'RUN_TIMEOUT', priority: 'P2', raisedAt: new Date(now).toISOString() }
  const specs = [
    at('RunApproved', undefined, now),
    at('RunStarted', undefined, now),
    at('StepStarted', 'a', now - 10 * MINUTE),
    at('StepStarted', 'b', now - 5 * MINUTE),
    at('StepSkipped', 'a', now),
    at('AlertRaised', undefined, now, alert),
  ]
  await store.commit([creation(run, specs)])
  await store.close()
  return { folder, orderly: result.runId, odd }
}

it('alerts of a run are told with priority, run, tenant and event, the same each time [EVT-32, PRJ-10, PRJ-22]', async () => {
  const { folder, orderly, odd } = await folderWithOddRun()
  const { code, stdout } = await keelsonHere(['alerts', odd, '--json'], folder)
  expect(code).toBe(0)
  const told = jsonLines(stdout) as readonly Readonly<Record<string, unknown>>[]
  const whose = { runId: odd, tenantId: 'local' }
  expect(told).toMatchObject([
    {
      code: 'CLOCK_SKEW',
      priority: 'P3',
      runSeq: 3,
      detail: 'Stored 600 s after its producer says it was emitted.',
      ...whose,
    },
    { code: 'PROJECTOR_CAUSAL_VIOLATION', priority: 'P3', runSeq: 4, eventType: 'StepStarted', ...whose },
    {
      code: 'INVALID_TRANSITION',
      priority: 'P2',
      runSeq: 5,
      eventType: 'StepSkipped',
      priorState: 'RUNNING',
      attemptedState: 'SKIPPED',
      ...whose,
    },
    { code: 'RUN_TIMEOUT', priority: 'P2', runSeq: 6, eventType: 'AlertRaised', ...whose },
  ])
  expect(new Set(told.map(({ alertId }) => alertId)).size).toBe(4)
  expect((await keelsonHere(['alerts', odd, '--json'], folder)).stdout).toBe(stdout)
  expect((await keelsonHere(['alerts', '--json'], folder)).stdout).toBe(stdout)
  expect((await keelsonHere(['alerts', orderly], folder)).stdout).toBe('no alerts\n')
})

it('for people they are a table; a time that has none and a run that is not there are said', async () => {
  const { folder, odd } = await folderWithOddRun()
  const { stdout } = await keelsonHere(['alerts', '--since', '1h'], folder)
  expect(stdout).toMatch(/^TIME +PRIORITY +ALERT +RUN +SEQ +DETAIL\n/)
  expect(stdout).toMatch(
    / P2 +INVALID_TRANSITION +00000000 +5 +StepSkipped of attempt 1 of a came when it was RUNNING; it was ignored\.\n/,
  )
  expect((await keelsonHere(['alerts', '--since', '2999-01-01'], folder)).stdout).toBe('no alerts since 2999-01-01\n')
  expect(await keelsonHere(['alerts', 'ffff'], folder)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('RUN_NOT_FOUND') as unknown,
  })
  expect(await keelsonHere(['alerts', odd, '--since', 'soon'], folder)).toMatchObject({ code: 2 })
})
