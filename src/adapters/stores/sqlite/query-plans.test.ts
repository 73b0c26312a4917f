/** The queries that many runs must not slow down use an index and sort nothing: SQLite's own plan shows it. */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { INSERT_RUN } from './append.ts'
import { ARCHIVABLE } from './archive.ts'
import { connect, type Connection } from './connect.ts'
import { COUNTS } from './counts.ts'
import { listQuery as decisionsQuery } from './decisions.ts'
import { BACKLOG_PAGE, BEHIND, BEHIND_ON_RUN, DEAD, FEED_PAGE, PASSED } from './feed.ts'
import { OFFERED, STARVING } from './grant-pools.ts'
import { LIST_SOME } from './grants.ts'
import { BYPASS, IN_ORDER, ROWS, RUN_OUT, RUN_WAITS, TOO_LARGE, WAITED_FOR } from './grant-queue.ts'
import {
  DUE_BY_INBOX,
  DUE_BY_OWED,
  DUE_BY_TIME,
  ENDED_BY_INBOX,
  LEASED_BY_INBOX,
  LEASED_BY_OWED,
  LEASED_BY_TIME,
  STALLED_BY_INBOX,
  STALLED_BY_TIME,
} from './leases.ts'
import { listQuery } from './list.ts'
import { MOVED } from './moves.ts'
import { ANY_PAUSE } from './pauses.ts'
import { APPENDS, BY_ENGINE_REF } from './read.ts'
import { UNREAD_UPDATES } from './update-run.ts'
import { testFolder } from '../../../../test/fixtures/folder.ts'

let folder = ''
let connection: Connection

beforeEach(async () => {
  folder = testFolder()
  connection = await connect({ path: join(folder, 'keelson.db') })
})
afterEach(() => {
  connection.close()
})

const planOf = (sql: string): string =>
  connection.db
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => String(detail))
    .join('; ')

describe('the store', () => {
  it('writes the row of a run without a table of its own for the condition of any index', () => {
    for (const sql of [INSERT_RUN, ...UNREAD_UPDATES]) {
      const steps = connection.db.prepare(`EXPLAIN ${sql}`).all()
      expect(steps.map(({ opcode }) => opcode)).not.toContain('OpenEphemeral')
    }
  })

  it('finds due runs through their indexes, however many wait', () => {
    expect(planOf(DUE_BY_TIME)).toMatch(/^SEARCH runs USING INDEX runs_wake \([^)]*\)$/)
    expect(planOf(DUE_BY_INBOX)).toMatch(/^(SEARCH|SCAN) runs USING INDEX runs_inbox( \([^)]*\))?$/)
    expect(planOf(DUE_BY_OWED)).toMatch(/INDEX runs_owed/)
    expect(planOf(DUE_BY_OWED)).not.toMatch(/SCAN runs(;|$)/)
  })

  it('finds runs that somebody holds by the end of their lease, or by what they have to do, and sorts none', () => {
    expect(planOf(LEASED_BY_OWED)).toMatch(/^SEARCH runs USING INDEX runs_owed \([^)]*\)$/)
    expect(planOf(LEASED_BY_TIME)).toMatch(/^SEARCH runs USING INDEX runs_wake \([^)]*\)$/)
    expect(planOf(LEASED_BY_INBOX)).toMatch(/^(SEARCH|SCAN) runs USING INDEX runs_inbox( \([^)]*\))?$/)
  })

  it('finds what is seldom there without looking at all there is', () => {
    expect(planOf(ENDED_BY_INBOX)).toMatch(/^SEARCH runs USING INDEX runs_ended_inbox \(inbox_since[^)]*\)$/)
    expect(planOf(TOO_LARGE)).toMatch(/^SEARCH w USING .*INDEX grant_waits_amount \(pool=\? AND amount>\?\)/)
    expect(planOf(ANY_PAUSE)).toMatch(/^SCAN scope_pauses USING COVERING INDEX scope_pauses_active$/)
    expect(planOf(BEHIND_ON_RUN)).not.toMatch(/SCAN (r|p|b)( |;|$)/)
  })

  it('finds the pools that are asked for, however many others there are', () => {
    expect(planOf(LIST_SOME)).toMatch(/^SEARCH p USING PRIMARY KEY \(pool=\?\)/)
    expect(planOf(LIST_SOME)).not.toMatch(/SCAN p/)
  })

  it('finds stalled runs of an engine through the same indexes, sorting none', () => {
    expect(planOf(STALLED_BY_TIME)).toMatch(/^SEARCH runs USING INDEX runs_wake \(next_wake_at[^)]*\)$/)
    expect(planOf(STALLED_BY_INBOX)).toMatch(/^SEARCH runs USING INDEX runs_inbox \(inbox_since[^)]*\)$/)
  })

  it('lists by labels through their index, sorting none, and looks each run up by its key', () => {
    for (const filter of [{ labels: { a: '1' } }, { labels: { a: '1', b: '2' }, planId: 'p', createdFrom: 1 }])
      for (const after of [undefined, { createdAt: 1, runKey: 1 }]) {
        const plan = planOf(listQuery('t', filter, 'FAILED', after).sql)
        expect(plan).toMatch(
          /^SEARCH l USING COVERING INDEX run_labels_value \(tenant_id=\? AND name=\? AND value=\?[^;]*;/,
        )
        expect(plan).toMatch(/SEARCH runs USING INTEGER PRIMARY KEY/)
        expect(plan).not.toMatch(/TEMP B-TREE|SCAN/)
      }
  })

  it.each([
    [{}, undefined, 'runs_created'],
    [{}, 'RUNNING' as const, 'runs_status'],
    [{ planId: 'p' }, undefined, 'runs_plan'],
    [{ createdFrom: 1, createdTo: 2 }, undefined, 'runs_created'],
    [{ originalRunId: 'r' }, undefined, 'runs_original'],
    [{ createdFrom: 1 }, 'FAILED' as const, 'runs_status'],
    [{ planId: 'p' }, 'FAILED' as const, 'runs_plan_status'],
    [{ planId: 'p', createdFrom: 1, createdTo: 2 }, undefined, 'runs_plan'],
    [{ planId: 'p', createdFrom: 1, createdTo: 2 }, 'FAILED' as const, 'runs_plan_status'],
    [{ planId: 'p', originalRunId: 'r', createdTo: 2 }, 'FAILED' as const, 'runs_original'],
  ])('lists %j with status %s by walking %s', (filter, status, index) => {
    for (const after of [undefined, { createdAt: 1, runKey: 1 }]) {
      const plan = planOf(listQuery('t', filter, status, after).sql)
      expect(plan).toContain(`SEARCH runs USING INDEX ${index} `)
      expect(plan).not.toContain('TEMP B-TREE')
    }
  })

  it.each([
    [{}, 'time'],
    [{ runId: 'r' }, 'run'],
    [{ state: 'PENDING' as const }, 'pending'],
    [{ runId: 'r', state: 'PENDING' as const }, 'run'],
  ])('lists decisions %j by walking those by %s', (filter, index) => {
    for (const isLater of [false, true]) {
      const plan = planOf(decisionsQuery(filter, isLater))
      expect(plan).toContain(`SEARCH signal_decisions USING INDEX signal_decisions_${index} (tenant_id=?`)
      expect(plan).not.toContain('TEMP B-TREE')
    }
  })

  it('finds a run by the reference of its engine through two indexes', () => {
    const plan = planOf(BY_ENGINE_REF)
    expect(plan).toContain('SEARCH runs USING INDEX runs_engine_ref (tenant_id=? AND engine_run_ref=?)')
    expect(plan).toContain('SEARCH runs USING INDEX runs_id (tenant_id=? AND run_id=?)')
    expect(plan).not.toContain('SCAN runs')
  })

  it('finds runs to archive by their end, sorting none', () => {
    expect(planOf(ARCHIVABLE)).toMatch(/^SEARCH runs USING INDEX runs_archivable \(ended_at[^)]*\)$/)
  })

  it('counts runs without looking at any', () => {
    expect(planOf(COUNTS)).toBe('SEARCH status_counts USING PRIMARY KEY (tenant_id=?)')
  })

  it.each([
    [
      'a page of new events',
      FEED_PAGE,
      /SEARCH a USING INTEGER PRIMARY KEY \(rowid>\?\); SEARCH r USING INTEGER PRIMARY KEY/,
    ],
    ['a page of blocked runs', BACKLOG_PAGE, /^SEARCH b USING .*feed_backlog_due \(subscriber=\? AND retry_at<\?\)/],
    [
      'what a cursor passes',
      PASSED,
      /SEARCH a USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\); SEARCH r USING INTEGER/,
    ],
    [
      'which runs moved',
      MOVED,
      /SEARCH a USING INTEGER PRIMARY KEY \(rowid>\? AND rowid<\?\); SEARCH r USING INTEGER PRIMARY KEY/,
    ],
    [
      'the status of a feed',
      BEHIND,
      /SEARCH a USING INTEGER PRIMARY KEY \(rowid>\?\); SEARCH r USING INTEGER PRIMARY KEY/,
    ],
  ])('reads %s from the cursor on and scans no table', (_, sql, expected) => {
    expect(planOf(sql)).toMatch(expected)
    expect(planOf(sql)).not.toMatch(/SCAN (?!CONSTANT)|TEMP B-TREE/)
  })

  it('lists dead letters in their order', () => {
    expect(planOf(DEAD)).toMatch(/^SEARCH d USING INDEX feed_dead_order \(subscriber=\?\)/)
    expect(planOf(DEAD)).not.toContain('TEMP B-TREE')
  })

  it('looks at the waiters of one pool, slot or run only; their order alone is sorted, since turns move', () => {
    const plans = [OFFERED, STARVING, BYPASS, ROWS, RUN_OUT, RUN_WAITS].map(planOf)
    for (const plan of [...plans, planOf(IN_ORDER)]) expect(plan).not.toMatch(/SCAN (grant_waits|w|r)\b/)
    for (const plan of plans) expect(plan).not.toContain('TEMP B-TREE')
    expect(planOf(OFFERED)).toContain('grant_waits_offered (pool=? AND offered_until>?)')
    expect(planOf(STARVING)).toContain('grant_waits_starving (pool=? AND place<?)')
    expect(planOf(WAITED_FOR)).toMatch(/SEARCH w .*\(pool=\?\)/)
  })

  it('finds runs, events, inbox rows and values by their keys', () => {
    const sql = [
      'SELECT * FROM runs WHERE tenant_id = ? AND run_id = ?',
      'SELECT * FROM runs WHERE tenant_id = ? AND request_key = ?',
      APPENDS,
      'SELECT seq FROM event_keys WHERE run_key = ? AND step = ? AND key = ?',
      'SELECT * FROM run_inbox WHERE run_key = ? AND consumed_seq IS NULL ORDER BY inbox_pos',
    ]
    for (const one of sql) {
      expect(planOf(one)).toMatch(/^(SEARCH|SCAN) \w+ USING (COVERING INDEX|INDEX|PRIMARY KEY)/)
      expect(planOf(one)).not.toContain('TEMP B-TREE')
    }
  })
})
