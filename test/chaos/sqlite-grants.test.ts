/** Grants between processes on one file: nobody gets a unit that another has, and who dies leaves the books straight. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { newRun } from '../../src/testing/store/run-fixtures.ts'
import { creation, nextCommit } from '../../src/testing/store/store-case.ts'
import { startChild } from '../fixtures/child.ts'
import { LAST_UNIT } from './sqlite-child.ts'
import { testFolder } from '../fixtures/folder.ts'
import { keyOfRun, rawLog } from '../fixtures/raw-log.ts'

const CHILD = join(import.meta.dirname, 'sqlite-child.ts')
const clock = { now: () => Date.now() }
let folder = ''
let path = ''
let db: DatabaseSync

/** Whoever takes more than there is breaks this trigger, and with it the commit. */
const GUARD = `CREATE TRIGGER overbooked AFTER INSERT ON grant_holds
  WHEN (SELECT sum(amount) FROM grant_holds WHERE pool = NEW.pool) > 1 BEGIN SELECT RAISE(ABORT, 'overbooked'); END`

beforeEach(async () => {
  folder = testFolder()
  path = join(folder, 'keelson.db')
  const store = await openSqliteStore({ path, clock })
  await store.putPool({ pool: LAST_UNIT, capacity: 1 })
  await store.close()
  db = new DatabaseSync(path)
  db.exec(`PRAGMA busy_timeout = 1000; ${GUARD}`)
})
afterEach(() => {
  db.close()
})

function claimer(runId: string, ...more: readonly string[]) {
  const args = ['--disable-warning=ExperimentalWarning', CHILD, 'claim', path, runId, ...more]
  return startChild(process.execPath, args)
}

async function ended(worker: ChildProcess): Promise<unknown> {
  if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit')
  return worker.exitCode ?? worker.signalCode
}

const numberOf = (sql: string): number => Number(Object.values(db.prepare(sql).get() ?? {})[0] ?? 0)

const WEIGHT: Readonly<Record<string, number>> = { StepStarted: 1, StepCompleted: -1 }

/** Steps of a run that began and did not end, as the log has them. */
const openSteps = (runId: string): number =>
  rawLog(db, keyOfRun(db, runId)).reduce((open, { eventType }) => open + (WEIGHT[eventType] ?? 0), 0)

describe('two processes', () => {
  it('that claim the last unit again and again never both have it, and both come to their turn [RES-01]', async () => {
    // Held until both have been refused once: else a quick machine may be done with one before the other begins.
    const store = await openSqliteStore({ path, clock })
    const request = { slot: 'first', attempt: 1, wants: { [LAST_UNIT]: 1 }, priority: 0 }
    await store.commit([creation(newRun({ runId: 'holder' }), [], { claims: [request] })])
    const waiting = new Set<string>()
    const freeWhenBothWait = async (runId: string): Promise<void> => {
      if (waiting.size === 2 || waiting.add(runId).size < 2) return
      const row = await store.findRun({ tenantId: 'tenant-a', runId: 'holder' })
      if (row !== undefined) await store.commit([nextCommit(row, [], { releases: 'all' })])
      await store.close()
    }
    const workers = ['a', 'b'].map((runId) => claimer(runId, '40'))
    const lines = await Promise.all(
      workers.map(async (worker, index) => {
        const told: string[] = []
        for await (const line of createInterface({ input: worker.stdout })) {
          told.push(line)
          if (line === 'refused') await freeWhenBothWait(`${index}`)
        }
        return told
      }),
    )
    expect(await Promise.all(workers.map(ended))).toEqual([0, 0])
    for (const told of lines) expect(told.filter((line) => line.startsWith('granted')).length).toBe(40)
    expect(lines.flat().filter((line) => line === 'refused').length).toBeGreaterThan(0)
    expect(numberOf('SELECT used FROM pools')).toBe(0)
    expect(numberOf('SELECT count(*) FROM grant_holds')).toBe(0)
  })
})

describe('a process', () => {
  it('that is killed leaves as many units taken as the log has open steps, and they can be freed [P-18]', async () => {
    for (let life = 0; life < 5; life++) {
      const worker = claimer(`life-${life}`)
      for await (const line of createInterface({ input: worker.stdout }))
        if (line === `granted ${3 + life}`) worker.kill('SIGKILL')
      expect(await ended(worker)).toBe('SIGKILL')
      const held = numberOf('SELECT count(*) FROM grant_holds')
      expect(numberOf('SELECT used FROM pools')).toBe(held)
      expect(openSteps(`life-${life}`)).toBe(held)
      const store = await openSqliteStore({ path, clock })
      const row = await store.findRun({ tenantId: 'tenant-a', runId: `life-${life}` })
      if (row !== undefined) await store.commit([nextCommit(row, [], { releases: 'all' })])
      await store.close()
      expect(numberOf('SELECT used FROM pools')).toBe(0)
    }
  })
})
