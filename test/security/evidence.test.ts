/** Evidence that lies: what somebody with the database file in hand does to it, and how it is found out. */
import { hash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkup } from '../../src/edge/cli/doctor/checkup.ts'
import { openKeelson, restoreKeelson, verifyBundleFile, type CheckedRun, type StoreProof } from '../../src/main.ts'
import type { Payload } from '../../src/core/events/event.ts'
import { forgeErasure } from '../fixtures/forged-erasure.ts'
import { relinked } from '../fixtures/relinked-bundle.ts'
import { fillStore, type RichStore } from '../fixtures/rich-store.ts'
import { eventsOf } from '../../src/adapters/stores/sqlite/append-text.ts'

const PATIENCE_MS = 60_000
let made = ''
let ids: RichStore
let directory = ''

beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), 'keelson-evidence-'))
  ids = await fillStore(made)
}, PATIENCE_MS)
afterAll(() => rmSync(made, { recursive: true, force: true }))
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keelson-evidence-'))
  cpSync(made, directory, { recursive: true })
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** As somebody with the file in hand: triggers away, the change, triggers back. */
function attack(change: (db: DatabaseSync) => void, file = join(directory, 'keelson.db')): void {
  const db = new DatabaseSync(file)
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER "${String(name)}"`)
  change(db)
  for (const { sql } of triggers) db.exec(String(sql))
  db.close()
}

async function verified(): Promise<{ readonly proof: StoreProof; readonly runs: ReadonlyMap<string, CheckedRun> }> {
  await using keelson = await openKeelson({ directory, readOnly: true, adopt: false })
  const runs = new Map<string, CheckedRun>()
  const proof = await keelson.maintenance.verifyStore({
    onRun: (told) => void (told.whole ? undefined : runs.set(told.row.runId, told)),
  })
  return { proof, runs }
}

const codesOf = (told: CheckedRun | undefined): readonly string[] => [
  ...new Set(told?.findings.map(({ code }) => code)),
]

describe('values beside the log', () => {
  it('a large value that was changed is found by its hash', async () => {
    attack((db) => db.exec(`UPDATE run_blobs SET text = replace(text, 'xxxx', 'yyyy')`))
    const { runs } = await verified()
    expect(codesOf(runs.get(ids.order))).toContain('VALUE_ALTERED')
  })

  it('a large value that was deleted is missed, for nobody signed an erasure of it', async () => {
    attack((db) => db.exec('DELETE FROM run_blobs'))
    const { runs } = await verified()
    expect(codesOf(runs.get(ids.order))).toContain('VALUE_MISSING')
  })

  it.each([
    ['changed', `UPDATE run_context SET value = '8' WHERE variable = 'total'`],
    ['deleted', `DELETE FROM run_context WHERE variable = 'total'`],
    ['moved to another event', `UPDATE run_context SET seq = seq + 1 WHERE variable = 'total'`],
    ['added', `INSERT INTO run_context SELECT run_key, 'more', seq, value FROM run_context WHERE variable = 'total'`],
  ])('a captured variable that was %s is found, for the log says what was captured', async (_how, sql) => {
    attack((db) => db.exec(sql))
    const { runs } = await verified()
    expect(codesOf(runs.get(ids.order))).toEqual(['ROW_ALTERED'])
  })

  it('a snapshot with a hash of its own, made to match, is found: it is not the fold of its log', async () => {
    attack((db) => {
      for (const { run_key: key, seq, body } of db.prepare(`SELECT * FROM run_snapshots WHERE kind = 'view'`).all()) {
        const changed = String(body).slice(64).replace('"COMPLETED"', '"FAILED"')
        db.prepare(`UPDATE run_snapshots SET body = ? WHERE kind = 'view' AND run_key = ? AND seq = ?`).run(
          hash('sha256', changed) + changed,
          key ?? 0,
          seq ?? 0,
        )
      }
    })
    const { runs } = await verified()
    expect(runs.get(ids.order)?.findings.map(({ message }) => message)).toEqual([
      expect.stringContaining('is not the fold of its log') as unknown,
    ])
  })
})

describe('the row of a run', () => {
  it.each([
    ['status', `'FAILED'`],
    ['plan_id', `'other'`],
    ['plan_version', `'9.9.9'`],
    ['project_id', `'other'`],
    ['environment_id', `'other'`],
    ['started_at', '1'],
    ['ended_at', '1'],
    ['created_at', '1'],
    ['triggered_by', `'nobody'`],
    ['request_key', `'none'`],
    ['engine_run_ref', `'embedded://other'`],
    ['original_run_id', `'other'`],
  ])('is derived from its log: another %s is found', async (column, value) => {
    attack((db) => db.prepare(`UPDATE runs SET ${column} = ${value} WHERE run_id = ?`).run(ids.order))
    const { proof } = await verified()
    expect(proof.broken).toEqual([ids.order])
  })

  it('two runs whose ids were exchanged are found, for every record names its run', async () => {
    attack((db) => {
      db.prepare(`UPDATE runs SET run_id = 'held-apart' WHERE run_id = ?`).run(ids.order)
      db.prepare('UPDATE runs SET run_id = ? WHERE run_id = ?').run(ids.order, ids.erased)
      db.prepare(`UPDATE runs SET run_id = ? WHERE run_id = 'held-apart'`).run(ids.erased)
    })
    const { proof, runs } = await verified()
    expect([...proof.broken].sort()).toEqual([ids.order, ids.erased].sort())
    expect(runs.get(ids.order)?.proof?.row).toContainEqual({ name: 'runId', row: ids.order, log: ids.erased })
  })

  it('a run deleted whole, with all its rows, is known to the receipts', async () => {
    attack((db) => {
      const key = Number(db.prepare('SELECT run_key FROM runs WHERE run_id = ?').get(ids.order)?.['run_key'])
      for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()) {
        const has = db.prepare(`SELECT 1 FROM pragma_table_info('${String(name)}') WHERE name = 'run_key'`).get()
        if (has !== undefined) db.exec(`DELETE FROM "${String(name)}" WHERE run_key = ${key}`)
      }
      db.exec(`UPDATE status_counts SET runs = runs - 1 WHERE status = 'COMPLETED'`)
    })
    const { proof } = await verified()
    expect(proof.findings.map(({ code }) => code)).toEqual(['RUN_MISSING'])
    expect(proof.findings[0]?.message).toContain(ids.order)
  })
})

describe('the audit log', () => {
  it.each([
    [
      'changed',
      `UPDATE audit_log SET record = replace(record, 'ana', 'eve') WHERE tenant_id = 'other' AND position = 2`,
    ],
    [
      'moved',
      `UPDATE audit_log SET record = (SELECT record FROM audit_log a WHERE a.tenant_id = 'other' AND a.position = 1)
      WHERE tenant_id = 'other' AND position = 2`,
    ],
  ])('a record that was %s is found by the chain of its tenant', async (_how, sql) => {
    attack((db) => db.exec(sql))
    const { proof } = await verified()
    expect(proof.findings.map(({ code }) => code)).toContain('AUDIT_ALTERED')
    expect(proof.findings[0]?.message).toContain('audit record 2 of tenant other')
  })

  it('a record that was taken out leaves a gap', async () => {
    attack((db) => db.exec(`DELETE FROM audit_log WHERE tenant_id = 'other' AND position = 2`))
    const { proof } = await verified()
    expect(proof.findings.map(({ code }) => code)).toEqual(['ROW_ALTERED', 'AUDIT_ALTERED'])
  })
})

describe('an erasure', () => {
  const forge = (payload: (upTo: number) => Payload<'ErasureRecorded'>): void =>
    attack((db) => forgeErasure(db, ids.order, payload))

  it('that is signed breaks nothing', async () => {
    const { proof } = await verified()
    expect(proof).toMatchObject({ whole: true, broken: [], findings: [] })
  })

  it('that nobody signed is found, though its record and its chain are right', async () => {
    forge((erasedUpTo) => ({ erasedUpTo, reason: 'asked for' }))
    expect(codesOf((await verified()).runs.get(ids.order))).toEqual(['ERASURE_UNSIGNED'])
  })

  it('with the signature of another run is found, for a signature is over what goes', async () => {
    const db = new DatabaseSync(join(directory, 'keelson.db'), { readOnly: true })
    const rows = db.prepare('SELECT * FROM appends').all().flatMap(eventsOf)
    db.close()
    const { record } = rows.find(({ eventType }) => eventType === 'ErasureRecorded') ?? { record: '{}' }
    const { payload } = JSON.parse(record) as { readonly payload: Payload<'ErasureRecorded'> }
    forge((erasedUpTo) => ({ ...payload, erasedUpTo }))
    const told = (await verified()).runs.get(ids.order)
    expect(codesOf(told)).toEqual(['ERASURE_UNSIGNED'])
    expect(told?.findings[0]?.message).toContain('does not have the signature')
  })

  it('of an earlier version, which did not sign, is made good by erasing again', async () => {
    forge((erasedUpTo) => ({ erasedUpTo, reason: 'by an earlier version' }))
    const keelson = await openKeelson({ directory, adopt: false })
    const { row } = await keelson.run(ids.order)
    expect(await keelson.maintenance.erase(row, { reason: 'signed for again' })).toMatchObject({ recorded: true })
    await keelson.close()
    expect(codesOf((await verified()).runs.get(ids.order))).toEqual([])
  })
})

describe('a database without its rules', () => {
  const ATTACKS = [
    ['a trigger missing', 'DROP TRIGGER appends_never_change', 'trigger appends_never_change on appends is missing'],
    [
      'a trigger made harmless',
      `DROP TRIGGER appends_never_go;
       CREATE TRIGGER appends_never_go BEFORE DELETE ON appends WHEN 0 BEGIN SELECT 1; END`,
      'trigger appends_never_go on appends was altered',
    ],
    [
      "somebody else's trigger",
      'CREATE TRIGGER mine AFTER INSERT ON runs BEGIN DELETE FROM plans; END',
      "trigger mine on runs is not Keelson's",
    ],
    ["somebody else's view", 'CREATE VIEW mine AS SELECT 1', "view mine is not Keelson's"],
    ["somebody else's table", 'CREATE TABLE mine (one INTEGER)', "table mine is not Keelson's"],
  ] as const

  it.each(ATTACKS)(
    'with %s is not put in place by restore, and doctor and verify tell of it',
    async (_what, sql, told) => {
      const db = new DatabaseSync(join(directory, 'keelson.db'))
      db.exec(`${sql}; PRAGMA wal_checkpoint(TRUNCATE)`)
      db.close()
      const place = join(directory, 'elsewhere')
      const restoring = restoreKeelson({ file: join(directory, 'keelson.db'), directory: place })
      await expect(restoring).rejects.toMatchObject({
        code: 'STORE_ALTERED',
        message: expect.stringContaining(told) as unknown,
      })
      const findings = await checkup({ dir: directory, store: undefined, keys: undefined }, Date.now())
      expect(findings.find(({ name }) => name === 'append-only')).toMatchObject({ health: 'bad', says: told })
      const { proof } = await verified()
      expect(proof.findings.map(({ code, message }) => `${code} ${message.replace(':', '')}`)).toContain(
        `STORE_ALTERED ${told}`,
      )
    },
  )
})

describe('a bundle', () => {
  async function bundleWith(change: (part: string, body: Record<string, unknown>) => unknown): Promise<string> {
    await using keelson = await openKeelson({ directory, readOnly: true, adopt: false })
    const { row } = await keelson.run(ids.order)
    const lines: string[] = []
    for await (const line of keelson.maintenance.bundle(row)) lines.push(line)
    const file = join(directory, 'bundle.jsonl')
    writeFileSync(file, `${relinked(lines, change)}\n`)
    expect(readFileSync(file, 'utf8')).toContain(ids.order)
    return file
  }

  it('from which a large value was taken is broken, though its lines are linked anew', async () => {
    let taken = 0
    const file = await bundleWith((part, body) => {
      if (part === 'blob') taken += 1
      if (part === 'end') return { ...body, lines: Number(body['lines']) - taken }
      return part === 'blob' ? undefined : body
    })
    await expect(verifyBundleFile(file)).rejects.toMatchObject({
      code: 'BUNDLE_BROKEN',
      message: expect.stringContaining('which is missing') as unknown,
    })
  })

  it.each([
    ['status', 'FAILED'],
    ['triggeredBy', 'nobody'],
    ['createdAt', 1],
    ['requestKey', undefined],
  ])('whose run says another %s than its log is broken', async (name, value) => {
    const file = await bundleWith((part, body) => (part === 'run' ? { ...body, [name]: value } : body))
    await expect(verifyBundleFile(file)).rejects.toMatchObject({ code: 'BUNDLE_BROKEN' })
  })
})

it('a log that was altered is told to be, from the first event that does not fit', async () => {
  attack((db) => db.exec(`UPDATE appends SET data = replace(data, '"n":2', '"n":9')`))
  await using keelson = await openKeelson({ directory, readOnly: true, adopt: false })
  const run = await keelson.run(ids.order)
  expect(await run.damage()).toMatchObject({
    what: expect.stringContaining('has other data than its record says') as unknown,
  })
})
