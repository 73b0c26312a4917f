/** The queries that many runs must not slow down walk an index and sort nothing: SQLite itself says how it would. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect, type Connection } from './connect.ts'
import { DUE_BY_INBOX, DUE_BY_OWED, DUE_BY_TIME } from './leases.ts'
import { listQuery } from './list.ts'

let folder = ''
let connection: Connection

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keelson-plans-'))
  connection = await connect({ path: join(folder, 'keelson.db') })
})
afterEach(() => {
  connection.close()
  rmSync(folder, { recursive: true })
})

const planOf = (sql: string): string =>
  connection.db
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => String(detail))
    .join('; ')

describe('the store', () => {
  it('finds due runs through their indexes, however many wait', () => {
    expect(planOf(DUE_BY_TIME)).toMatch(/^SEARCH runs USING INDEX runs_wake \([^)]*\)$/)
    expect(planOf(DUE_BY_INBOX)).toMatch(/^(SEARCH|SCAN) runs USING INDEX runs_inbox( \([^)]*\))?$/)
    expect(planOf(DUE_BY_OWED)).toMatch(/INDEX runs_owed/)
    expect(planOf(DUE_BY_OWED)).not.toMatch(/SCAN runs(;|$)/)
  })

  it.each([
    [{}, undefined, 'runs_created'],
    [{}, 'RUNNING' as const, 'runs_status'],
    [{ planId: 'p' }, undefined, 'runs_plan'],
    [{ createdFrom: 1, createdTo: 2 }, undefined, 'runs_created'],
    [{ originalRunId: 'r' }, undefined, 'runs_original'],
  ])('lists %j with status %s by walking %s', (filter, status, index) => {
    for (const after of [undefined, { createdAt: 1, runKey: 1 }]) {
      const plan = planOf(listQuery('t', filter, status, after).sql)
      expect(plan).toContain(`SEARCH runs USING INDEX ${index} `)
      expect(plan).not.toContain('TEMP B-TREE')
    }
  })

  it('finds runs, events, letters and values by their keys', () => {
    const sql = [
      'SELECT * FROM runs WHERE tenant_id = ? AND run_id = ?',
      'SELECT * FROM runs WHERE tenant_id = ? AND request_key = ?',
      'SELECT * FROM events WHERE run_key = ? AND seq > ? ORDER BY seq LIMIT ?',
      'SELECT * FROM run_inbox WHERE run_key = ? AND consumed_seq IS NULL ORDER BY inbox_pos',
      'SELECT feed_pos FROM runs ORDER BY feed_pos DESC LIMIT 1',
    ]
    for (const one of sql) {
      expect(planOf(one)).toMatch(/^(SEARCH|SCAN) \w+ USING (COVERING INDEX|INDEX|PRIMARY KEY)/)
      expect(planOf(one)).not.toContain('TEMP B-TREE')
    }
  })
})
