/** The cost of grants: nothing for a run without them; for a run with them the same however many others wait. */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunCommit, RunRow, RunStore } from '../../../ports/run-store.ts'
import { newRun, summary } from '../../../testing/store/run-fixtures.ts'
import { commitOne, creation, nextCommit, step } from '../../../testing/store/store-case.ts'
import { connect, type Connection } from './connect.ts'
import { storeOn } from './store.ts'
import { testFolder } from '../../../../test/fixtures/folder.ts'

const clock = { now: () => 1_800_000_000_000 }
let folder = ''
let connection: Connection
let store: RunStore
/** The statements executed since the list was last emptied. */
let executed: string[]

beforeEach(async () => {
  folder = testFolder()
  connection = await connect({ path: join(folder, 'keelson.db') })
  executed = []
  const sql = (text: string) => {
    executed.push(text)
    return connection.sql(text)
  }
  store = storeOn({ ...connection, sql }, clock)
})
afterEach(() => {
  connection.close()
})

async function created(runId: string, extras: Partial<RunCommit> = {}): Promise<RunRow> {
  const result = await commitOne(store, creation(newRun({ runId }), [], extras))
  const row = result.kind === 'committed' ? await store.getRun(result.runKey) : undefined
  if (row === undefined) throw new Error(`the run was not created: ${result.kind}`)
  return row
}

/** Tables and verbs, in order of use. */
const shapes = (): readonly string[] =>
  executed.map((text) => /^(?:INSERT INTO|UPDATE|DELETE FROM|SELECT .*? FROM) (\w+)/s.exec(text)?.[1] ?? text)

const want = (slot: string, pool: string) => ({ slot, attempt: 1, wants: { [pool]: 1 }, priority: 0 })

describe('a commit without grants', () => {
  it('whose status stays executes nothing but its events and its run row [P-08]', async () => {
    const row = await created('r1')
    executed = []
    const commit = nextCommit(row, [step('StepStarted', 'a')])
    expect((await commitOne(store, commit)).kind).toBe('committed')
    expect(shapes()).toEqual(['runs', 'runs', 'appends', 'event_keys'])
  })

  it('counts a batch of new runs with one statement [P-41]', async () => {
    await store.commit(Array.from({ length: 50 }, (_, n) => creation(newRun({ runId: `r${n}` }))))
    expect(shapes().filter((table) => table === 'status_counts').length).toBe(1)
    const runs = (await store.listRuns('tenant-a', {}, { limit: 100 })).runs
    executed = []
    await store.commit(runs.map((row) => nextCommit(row, [], { summary: summary({ status: 'COMPLETED' }) })))
    expect(shapes().filter((table) => table === 'status_counts').length).toBe(2)
    expect(Object.fromEntries(await store.countRuns('tenant-a'))).toEqual({ COMPLETED: 50 })
  })
})

describe('a sweep', () => {
  it('takes no lock as long as nobody waits', async () => {
    await store.putPool({ pool: 'agent:x', capacity: 1 })
    connection.close()
    connection = await connect({ path: join(folder, 'keelson.db'), lockMs: 50 })
    store = storeOn(connection, clock)
    const other = await connect({ path: join(folder, 'keelson.db') })
    other.db.exec('BEGIN IMMEDIATE')
    expect(await store.sweepGrants()).toBe(0)
    expect((await store.listPools()).map(({ pool }) => pool)).toEqual(['agent:x'])
    await store.putPool({ pool: 'agent:x', capacity: 1 }, { ifAbsent: true })
    other.close()
  })
})

describe('a queue', () => {
  it('of another pool costs a claim not one statement more', async () => {
    for (const pool of ['agent:busy', 'agent:free']) await store.putPool({ pool, capacity: 1 })
    const claimed = async (runId: string): Promise<number> => {
      const row = await created(runId)
      executed = []
      const claims = nextCommit(row, [step('StepStarted', 'a')], { claims: [want('a', 'agent:free')] })
      expect((await commitOne(store, claims)).kind).toBe('committed')
      const count = executed.length
      const head = await store.getRun(row.runKey)
      if (head !== undefined) await store.commit([nextCommit(head, [], { releases: 'all' })])
      return count
    }
    const before = await claimed('first')
    await created('holder', { claims: [want('a', 'agent:busy')] })
    for (let n = 0; n < 40; n++) await created(`w${n}`, { waits: [want('a', 'agent:busy')] })
    expect((await store.listPools()).map(({ waiting }) => waiting)).toEqual([40, 0])
    expect(await claimed('last')).toBe(before)
  })
})
