/** The commit under faults inside its transaction, and the store-wide counter it raises. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunStore } from '../../../ports/run-store.ts'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { creation, nextCommit, step } from '../../../testing/store/store-case.ts'
import { openSqliteStore } from './store.ts'
import { testFolder } from '../../../../test/fixtures/folder.ts'

const clock = { now: () => 1_800_000_000_000 }
const TABLES = ['runs', 'appends', 'event_keys', 'run_context', 'run_blobs', 'run_inbox'] as const
let folder = ''
let path = ''
let store: RunStore
let db: DatabaseSync

beforeEach(async () => {
  folder = testFolder()
  path = join(folder, 'keelson.db')
  store = await openSqliteStore({ path, clock })
  db = new DatabaseSync(path)
})
afterEach(async () => {
  db.close()
  await store.close()
})

const contents = () => TABLES.map((table) => db.prepare(`SELECT * FROM ${table}`).all())
const parent = { tenantId: 'tenant-a', runId: 'parent' }

function bootstrapOf(runId: string) {
  return creation(newRun({ runId, requestKey: runId }), [step('StepStarted', 'a'), step('StepStarted', 'b')], {
    context: [{ variable: 'v', seq: 1, value: '1' }],
    blobs: [{ sha256: 'aa', text: 'large' }],
    lease: { owner: 'me', until: 5 },
    notify: [{ run: parent, row: { inboxId: `child:${runId}`, kind: 'child', body: '{}' } }],
  })
}

describe('a bootstrap', () => {
  const faults = [
    ['AFTER INSERT ON runs', 'true'],
    ['BEFORE INSERT ON runs', "NEW.lease_owner = 'me'"],
    ['AFTER INSERT ON appends', 'true'],
    ['AFTER INSERT ON event_keys', 'NEW.seq = 1'],
    ['AFTER INSERT ON event_keys', 'NEW.seq = 2'],
    ['AFTER INSERT ON run_context', 'true'],
    ['AFTER INSERT ON run_blobs', 'true'],
    ['AFTER INSERT ON run_inbox', 'true'],
    ['BEFORE UPDATE ON runs', "NEW.run_id = 'parent'"],
  ].flatMap(([event, when]) => ['ABORT', 'FAIL'].map((way) => ({ event, when, way })))

  it.each(faults)(
    'that fails at $event when $when ($way) leaves nothing; a second one is refused [STO-13]',
    async (fault) => {
      await store.commit([creation(newRun({ runId: 'parent' }))])
      const before = contents()
      db.exec(`CREATE TRIGGER fault ${fault.event} WHEN ${fault.when} BEGIN SELECT RAISE(${fault.way}, 'fault'); END`)
      const alone = await store.commit([bootstrapOf('r1')])
      const together = await store.commit([bootstrapOf('r1'), bootstrapOf('r2')])
      expect([...alone, ...together].map(({ kind }) => kind)).toEqual(['constraint', 'constraint', 'constraint'])
      expect(contents()).toEqual(before)
      db.exec('DROP TRIGGER fault')
      expect((await store.commit([bootstrapOf('r1')]))[0]?.kind).toBe('committed')
      const after = contents()
      expect(after.map((rows, index) => rows.length > (before[index]?.length ?? 0))).toEqual(TABLES.map(() => true))
      expect(await store.commit([bootstrapOf('r1')])).toEqual([{ kind: 'run-exists' }])
      expect(contents()).toEqual(after)
    },
  )
})

describe('the feed position', () => {
  it('rises over the whole store with every commit and open append, and with nothing else', async () => {
    const other = await openSqliteStore({ path, clock })
    const position = (runId: string): number =>
      Number(
        db.prepare('SELECT max(pos) AS pos FROM appends JOIN runs USING (run_key) WHERE run_id = ?').get(runId)?.[
          'pos'
        ],
      )
    await store.commit([creation(newRun({ runId: 'r1' })), creation(newRun({ runId: 'r2' }))])
    await other.commit([creation(newRun({ runId: 'r3' }))])
    expect(['r1', 'r2', 'r3'].map(position)).toEqual([1, 2, 3])
    const row = await store.findRun({ tenantId: 'tenant-a', runId: 'r1' })
    if (row === undefined) throw new Error('the run was not stored')
    await other.commit([nextCommit(row, [step('StepStarted', 'a')])])
    await store.commit([nextCommit(row, [step('StepStarted', 'b')])])
    await store.acquireLease(row.runKey, 'me', 0, 1)
    expect(['r1', 'r2', 'r3'].map(position)).toEqual([4, 2, 3])
    await other.close()
  })
})
