/** The online copy: whole, durable, never over another file, and without blocking writers. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { allEvents, bytesOf, creation, refusedWith, step } from '../../../testing/store/store-case.ts'
import { openSqliteStore, type SqliteStore } from './store.ts'
import { testFolder } from '../../../../test/fixtures/folder.ts'

const clock = { now: () => 1_800_000_000_000 }
let folder = ''
let target = ''
let store: SqliteStore

beforeEach(async () => {
  folder = testFolder()
  target = join(folder, 'copy.db')
  store = await openSqliteStore({ path: join(folder, 'keelson.db'), clock })
})
afterEach(async () => {
  await store.close()
})

async function write(to: SqliteStore, runId: string): Promise<void> {
  const specs = Array.from({ length: 20 }, (_, n) => ({ ...step('StepCompleted', `s${n}`), data: { result: runId } }))
  const [result] = await to.commit([creation(newRun({ runId }), specs)])
  expect(result?.kind).toBe('committed')
}

function integrityOf(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true })
  const answer = db.prepare('PRAGMA integrity_check').get()?.['integrity_check']
  db.close()
  return answer
}

describe('a backup', () => {
  it('is taken while others write, holds all that was acknowledged before it, and opens as a store', async () => {
    for (let n = 0; n < 30; n++) await write(store, `before-${n}`)
    const other = await openSqliteStore({ path: join(folder, 'keelson.db'), clock })
    const copying = { isDone: false }
    const done = store.backup(target).finally(() => (copying.isDone = true))
    let written = 0
    do {
      await write(other, `during-${written}`)
      await write(store, `also-${written++}`)
      await new Promise(setImmediate)
    } while (!copying.isDone)
    await done
    await other.close()
    expect(integrityOf(target)).toBe('ok')
    const copy = await openSqliteStore({ path: target, clock })
    for (let n = 0; n < 30; n++) {
      const run = { tenantId: 'tenant-a', runId: `before-${n}` }
      const [ours, theirs] = [await store.findRun(run), await copy.findRun(run)]
      expect(theirs).toEqual(ours)
      const events = async (from: SqliteStore) => (await allEvents(from, ours?.runKey ?? 0)).map(bytesOf)
      expect(await events(copy)).toEqual(await events(store))
    }
    expect((await copy.countRuns('tenant-a')).get('RUNNING')).toBe(
      (await copy.listRuns('tenant-a', {}, { limit: 100_000 })).runs.length,
    )
    await write(copy, 'goes-on')
    await copy.close()
    expect((await store.countRuns('tenant-a')).get('RUNNING')).toBe(30 + 2 * written)
  })

  it('takes the place of no file, and leaves nothing beside it', async () => {
    await write(store, 'r1')
    writeFileSync(target, 'mine')
    await refusedWith('BACKUP_EXISTS', () => store.backup(target))
    expect(readFileSync(target, 'utf8')).toBe('mine')
    rmSync(target)
    const twice = await Promise.allSettled([store.backup(target), store.backup(target)])
    expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(integrityOf(target)).toBe('ok')
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
  })

  it('says what is wrong with a place it cannot write to, and with a store that is closed', async () => {
    await refusedWith('STORE_READ_ONLY', () => store.backup(join(folder, 'none', 'copy.db')))
    await store.close()
    await refusedWith('STORE_CLOSED', () => store.backup(target))
    expect(existsSync(target)).toBe(false)
  })
})
