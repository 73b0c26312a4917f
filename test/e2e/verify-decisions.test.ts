/** `keelson verify` decides a run's log again: the examples follow, and a log that was forged well is given away all the same. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { recordOf } from '../../src/app/log/read-events.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import { reseal, type Edit } from '../fixtures/reseal.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson } from './command.ts'
import type { StoredEvent } from '../../src/ports/run-store.ts'
import { dropTriggers, rawLog, setRawLog } from '../fixtures/raw-log.ts'

const example = (name: string): string => join(ROOT, 'examples', name, 'plan.yaml')

beforeAll(ensureBuilt)

it('finds that every decision of every example follows from its log (I6)', async () => {
  const folder = folderWith({})
  for (const name of ['hello', 'order-saga', 'child-plans']) await keelson(['run', example(name)], folder)
  const { stdout } = await keelson(['runs', '--json'], folder)
  const ids = jsonLines(stdout).map((row) => String(row['runId']))
  expect(ids).toHaveLength(6)
  for (const id of ids) {
    const { code, stdout: told } = await keelson(['verify', id, '--json'], folder)
    const [report] = jsonLines(told) as { whole: boolean; decisions: Record<string, unknown> }[]
    expect({ code, whole: report?.whole }).toEqual({ code: 0, whole: true })
    expect(report?.decisions).toMatchObject({ follows: true, differences: [], notDerivable: [] })
    expect(report?.decisions['rederived']).toBe(report?.decisions['decisions'])
    expect(report?.decisions['decisions']).toBeGreaterThan(2)
  }
})

/** Rewrites the whole log of the only run, head and all, and takes the receipts away, as somebody with all in hand could. */
function forge(folder: string, edit: Edit): void {
  rmSync(join(folder, '.keelson', 'receipts'), { recursive: true, force: true })
  const database = new DatabaseSync(join(folder, '.keelson', 'keelson.db'))
  dropTriggers(database)
  const events = reseal(rawLog(database).map(readRow), edit)
  setRawLog(database, events)
  const head = events.at(-1)?.chainHash ?? new Uint8Array(32)
  database.prepare('UPDATE runs SET head_hash = ?, next_seq = ?').run(head, events.length + 1)
  database.close()
}

function readRow(event: StoredEvent): LogRecord {
  const read = recordOf(event)
  if (!read.ok) throw new Error(read.problems[0]?.message ?? 'unreadable')
  return read.value
}

it('names what does not follow in a log whose chain is whole, with exit code 1 (I6)', async () => {
  const folder = folderWith({})
  await keelson(['run', example('hello')], folder)
  const { stdout } = await keelson(['runs', '--json'], folder)
  const id = String(jsonLines(stdout)[0]?.['runId'])
  // The step whose condition was false is made to look as if nobody had ever thought of it.
  forge(folder, (records) => records.filter((one) => one.eventType !== 'StepSkipped'))
  const told = await keelson(['verify', id], folder)
  expect(told.code).toBe(1)
  expect(told.stdout).toMatch(/the log is whole/)
  expect(told.stdout).toMatch(
    /✖ event \d+ does not follow \(DECISION_MISMATCH, cause .+\)\n\s+expected {5}\S.*\n\s+found {8}\S/,
  )
  const json = await keelson(['verify', id, '--json'], folder)
  expect(json.code).toBe(1)
  expect(jsonLines(json.stdout)[0]).toMatchObject({
    whole: false,
    decisions: { follows: false, differences: [{ code: 'DECISION_MISMATCH' }, { code: 'DECISION_MISMATCH' }] },
  })
})
