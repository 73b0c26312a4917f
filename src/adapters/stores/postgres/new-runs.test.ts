/** New runs of one batch are made at once, and each is answered for itself. */
import type { Client } from 'pg'
import { expect, it } from 'vitest'
import { onPostgres } from '../../../../test/fixtures/on-postgres.ts'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { allEvents, creation, rowOf } from '../../../testing/store/store-case.ts'
import type { PostgresStore } from './store.ts'

let store: PostgresStore
let db: Client

onPostgres('new_runs', { opened: (on) => ({ store, db } = on), held: () => ({ store, db }) })

it('a batch of new runs makes each once and tells of every other why it was not made, wherever it stands [STO-12]', async () => {
  await store.commit([creation(newRun({ runId: 'there', requestKey: 'k0' }))])
  const broken = creation(newRun({ runId: 'broken' }))
  const batch = [
    creation(newRun({ runId: 'there' })),
    creation(newRun({ runId: 'r1', requestKey: 'k1' })),
    creation(newRun({ runId: 'r1' })),
    creation(newRun({ runId: 'other-request', requestKey: 'k1' })),
    { ...broken, expected: { epoch: 1, nextSeq: 2 } },
    creation(newRun({ runId: 'asked-before', requestKey: 'k0' })),
    creation(newRun({ runId: 'r1', tenantId: 'tenant-b' })),
    creation(newRun({ runId: 'r2' })),
  ]
  const results = await store.commit(batch)
  expect(results.map((result) => (result.kind === 'committed' ? 'committed' : result))).toEqual([
    { kind: 'run-exists' },
    'committed',
    { kind: 'run-exists' },
    { kind: 'request-exists', runId: 'r1' },
    { kind: 'constraint', detail: 'runSeq' },
    { kind: 'request-exists', runId: 'there' },
    'committed',
    'committed',
  ])
  for (const [index, result] of results.entries())
    if (result.kind === 'committed') {
      const { runId, tenantId } = await rowOf(store, result.runKey)
      expect({ runId, tenantId }).toMatchObject({ runId: batch[index]?.create?.runId })
      expect(tenantId).toBe(batch[index]?.create?.tenantId)
      expect((await allEvents(store, result.runKey)).length).toBe(1)
    }
  expect(Object.fromEntries(await store.countRuns('tenant-a'))).toEqual({ RUNNING: 3 })
  expect(Object.fromEntries(await store.countRuns('tenant-b'))).toEqual({ RUNNING: 1 })
})
