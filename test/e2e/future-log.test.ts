/** Readers of a log that a later version wrote: an exporter, a journal and a backup pass on what they do not know. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { openKeelson } from '../../src/main.ts'
import { rewritten } from '../fixtures/rewritten-log.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson } from './command.ts'
import { dropTriggers, rawLog, setRawLog } from '../fixtures/raw-log.ts'

const PLAN = 'plan: p\nversion: 1.0.0\nsteps: [{ id: a, wait: { forMs: 1 } }, { id: b, wait: { forMs: 1 } }]\n'

beforeAll(ensureBuilt)

/** One event becomes of a type, with fields and words, that this version has never heard of; the chain fits again. */
function madeLater(folder: string): void {
  const db = new DatabaseSync(join(folder, '.keelson', 'keelson.db'))
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all()
  dropTriggers(db)
  const events = rawLog(db)
  const last = events.find(({ eventType }) => eventType === 'RunCompleted')?.runSeq ?? 0
  const at = last - 1
  const later = rewritten(events, at, (record) => ({
    ...record,
    eventType: 'StepTeleported',
    engineType: 'quantum',
    payload: { status: 'WARPING', lane: 7 },
    region: { name: 'eu' },
  }))
  setRawLog(
    db,
    later.map(({ terminalSlot, ...event }) =>
      event.runSeq === at || terminalSlot === undefined ? event : { ...event, terminalSlot },
    ),
  )
  db.prepare('UPDATE runs SET head_hash = ?').run(later.at(-1)?.chainHash ?? new Uint8Array(32))
  for (const { sql } of triggers) db.exec(String(sql))
  db.close()
}

it('export, events, backup, restore and lists of a log of a later version end with 0 and pass on what they do not know [UIC-08]', async () => {
  const folder = folderWith({ 'p.yaml': PLAN })
  expect((await keelson(['run', 'p.yaml'], folder)).code).toBe(0)
  madeLater(folder)
  const shown = await keelson(['events', 'last', '--json'], folder)
  expect([shown.code, shown.stderr]).toEqual([0, ''])
  const strange = jsonLines(shown.stdout).find((line) => line['eventType'] === 'StepTeleported')
  expect(strange).toMatchObject({
    engineType: 'quantum',
    payload: { status: 'WARPING', lane: 7 },
    region: { name: 'eu' },
  })
  const exported = await keelson(['export', 'last', '--out', 'bundle.jsonl'], folder)
  expect(exported.code).toBe(0)
  expect(readFileSync(join(folder, 'bundle.jsonl'), 'utf8')).toContain('StepTeleported')
  const backup = await keelson(['backup', 'copy.db'], folder)
  expect([backup.code, backup.stderr]).toEqual([0, ''])
  const restored = await keelson(['restore', 'copy.db', '--dir', 'restored'], folder)
  expect([restored.code, restored.stderr]).toEqual([0, ''])
  const again = await keelson(['events', 'last', '--json', '--dir', 'restored'], folder)
  expect([again.code, again.stdout]).toEqual([0, shown.stdout])
  const listed = await keelson(['runs', '--json', '--dir', 'restored'], folder)
  expect([listed.code, jsonLines(listed.stdout).length]).toEqual([0, 1])
  await using program = await openKeelson({ directory: join(folder, 'restored') })
  const [run] = (await program.list()).runs
  expect(await (await program.run(run?.runId ?? '')).snapshot()).toMatchObject({ status: 'COMPLETED' })
})
