/** Processes that share a SQLite file: killed in the middle of appends, and writing at the same time. */
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createInterface } from 'node:readline'
import { beforeEach, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { newRun } from '../../src/testing/store/run-fixtures.ts'
import { creation } from '../../src/testing/store/store-case.ts'
import { startChild } from '../fixtures/child.ts'
import { testFolder } from '../fixtures/folder.ts'
import { BOOT_EVENTS, EVENTS_PER_RUN, RUNS_PER_BATCH } from './sqlite-child.ts'
import { rawLog } from '../fixtures/raw-log.ts'

const CHILD = join(import.meta.dirname, 'sqlite-child.ts')
const clock = { now: () => 1_800_000_000_000 }
let path = ''

beforeEach(() => {
  path = join(testFolder(), 'keelson.db')
})

function child(...args: readonly string[]) {
  return startChild(process.execPath, ['--disable-warning=ExperimentalWarning', CHILD, ...args])
}

function raw<T>(work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(path)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

function checkWholeBatches(worker: string, acknowledged: number): number {
  return raw((db) => {
    expect(db.prepare('PRAGMA integrity_check').get()?.['integrity_check']).toBe('ok')
    const counts = db
      .prepare(
        `SELECT r.run_id AS id, r.next_seq AS next, total(a.last_seq - a.first_seq + 1) AS events, max(a.last_seq) AS last
        FROM runs r LEFT JOIN appends a USING (run_key) WHERE r.run_id GLOB ? GROUP BY r.run_key`,
      )
      .all(`${worker}-[0-9]*`)
    expect(counts.length).toBe(RUNS_PER_BATCH)
    const batches = Number(counts[0]?.['events']) / EVENTS_PER_RUN
    for (const { next, events, last } of counts) {
      expect(events).toBe(batches * EVENTS_PER_RUN)
      expect(next).toBe(Number(events) + 1)
      if (batches > 0) expect(last).toBe(events)
    }
    expect(batches).toBeGreaterThanOrEqual(acknowledged)
    expect(batches).toBeLessThanOrEqual(acknowledged + 1)
    const born = db
      .prepare(
        `SELECT total(a.last_seq - a.first_seq + 1) AS events FROM runs r LEFT JOIN appends a USING (run_key)
        WHERE r.run_id GLOB ? GROUP BY r.run_key`,
      )
      .all(`${worker}-boot-*`)
    expect(born.map(({ events }) => events)).toEqual(Array.from({ length: batches }, () => BOOT_EVENTS))
    return batches
  })
}

describe('processes', () => {
  it('killed in the middle of appends leave whole batches and whole runs, every acknowledged one among them [STO-12]', async () => {
    let batches = 0
    for (let life = 0; life < 8; life++) {
      const worker = child('append', path, 'w')
      let acknowledged = batches
      const target = batches + 2 + life * 3
      for await (const line of createInterface({ input: worker.stdout })) {
        acknowledged = Number(line)
        if (acknowledged === target) worker.kill('SIGKILL')
      }
      expect(acknowledged).toBeGreaterThanOrEqual(target)
      expect(worker.signalCode ?? (await once(worker, 'exit'))[1]).toBe('SIGKILL')
      batches = checkWholeBatches('w', acknowledged)
    }
    expect(batches).toBeGreaterThan(50)
  })

  it('that open and append to one new file at the same time both get all they wrote', async () => {
    const workers = ['a', 'b'].map((name) => child('append', path, name, '40'))
    const exits = await Promise.all(workers.map((worker) => once(worker, 'exit')))
    expect(exits.map(([code]) => Number(code))).toEqual([0, 0])
    for (const name of ['a', 'b']) expect(checkWholeBatches(name, 40)).toBe(40)
  })

  it('that write to one run never make a number appear below what a reader has seen [STO-08]', async () => {
    const store = await openSqliteStore({ path, clock })
    await store.commit([creation(newRun({ runId: 'r1' }), [])])
    const row = await store.findRun({ tenantId: 'tenant-a', runId: 'r1' })
    const runKey = row?.runKey ?? 0
    const workers = ['a', 'b'].map((name) => child('append-open', path, 'r1', name, '150'))
    let running = workers.length
    for (const worker of workers) worker.once('exit', () => running--)
    const seen: number[] = []
    for (let last = false; !last;) {
      last = running === 0
      for (const { runSeq } of await store.readEvents(runKey, { afterSeq: seen.at(-1) ?? 0 })) seen.push(runSeq)
      await new Promise(setImmediate)
    }
    const stored = raw((db) => rawLog(db, runKey).map(({ runSeq }) => runSeq))
    expect(stored.length).toBe(300)
    expect(seen).toEqual(stored)
    await store.close()
  })
})
