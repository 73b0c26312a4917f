/**
 * Every column of every table of a finished store is changed, and every row deleted, one at a time, as somebody with SQL access can: verification
 * finds it, or the column is listed in `no-meaning.ts` with the reason why it says nothing about what was decided.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readLines } from '../../src/adapters/files/read-lines.ts'
import { connect, type Connection } from '../../src/adapters/stores/sqlite/connect.ts'
import { storeOn } from '../../src/adapters/stores/sqlite/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { checkBundle } from '../../src/app/verify/check-bundle.ts'
import { verifyStore } from '../../src/app/verify/verify-store.ts'
import { fail, KeelsonError } from '../../src/core/problems/problem.ts'
import { receiptBookIn } from '../../src/compose/restore-keelson.ts'
import { NO_MEANING, NO_WITNESS, NOTHING_LOST } from '../fixtures/no-meaning.ts'
import { fillStore } from '../fixtures/rich-store.ts'
import {
  copyOf,
  deleteRow,
  flipped,
  insertRow,
  keyColumns,
  setColumn,
  tablesOf,
  tampered,
  type Row,
  type Table,
} from '../fixtures/tampering.ts'
import { extent } from '../setup/extent.ts'

const ROWS = 3
/** Of each column: every row that is looked at, changed and emptied. */
const TRIES = extent(2, 4)
/** Rows may be deleted for reasons of their own, so more of them are tried. */
const DELETIONS = extent(6, 16)
const PATIENCE_MS = 300_000
let directory = ''
let connection: Connection

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'keelson-tampering-'))
  await fillStore(directory)
  connection = await connect({ path: join(directory, 'keelson.db') })
}, PATIENCE_MS)

afterAll(() => {
  connection.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Undefined when nothing is found. */
async function found(): Promise<string | undefined> {
  const bundle = async (place: string) =>
    existsSync(place) ? checkBundle(readLines(place)) : fail('FILE_NOT_FOUND', place)
  try {
    const proof = await verifyStore({
      store: storeOn(connection, systemClock),
      book: receiptBookIn(directory),
      bundle,
    })
    return proof.whole ? undefined : JSON.stringify([proof.broken, proof.findings])
  } catch (thrown) {
    // To be refused is to be found; to break is not.
    if (thrown instanceof KeelsonError && thrown.code !== 'INTERNAL') return thrown.message
    throw thrown
  }
}

const afterwards = (change: () => void): Promise<string | undefined> => tampered(connection.db, change, found)

type Change = readonly [name: string, change: () => void]

/** Names of what was not found every time. What is listed is tried until it is not found. */
async function missedOf(changes: readonly Change[], listed: Readonly<Record<string, string>>): Promise<string[]> {
  const missed = new Set<string>()
  const tries = new Map<string, number>()
  for (const [name, change] of changes) {
    const tried = tries.get(name) ?? 0
    if (missed.has(name) || (tried >= (name.endsWith(' delete') ? DELETIONS : TRIES) && listed[name] === undefined))
      continue
    tries.set(name, tried + 1)
    if ((await afterwards(change)) === undefined) missed.add(name)
  }
  return [...missed].sort()
}

/** A few from all over the table first, then the rest. */
function rowsOf({ name }: Table): readonly Row[] {
  const rows = connection.db.prepare(`SELECT * FROM "${name}"`).all()
  const first = new Set(Array.from({ length: ROWS }, (_, at) => Math.floor((at * (rows.length - 1)) / (ROWS - 1))))
  return [...rows.filter((_, at) => first.has(at)), ...rows.filter((_, at) => !first.has(at))]
}

it('an untouched store is whole, and every table but the tickets of erasures has rows', async () => {
  expect(await found()).toBeUndefined()
  const empty = tablesOf(connection.db).filter((table) => rowsOf(table).length === 0)
  expect(empty.map(({ name }) => name)).toEqual(['erasure_tickets'])
})

describe('somebody with SQL access', () => {
  it('changes a column: it is found, or carries no meaning', { timeout: PATIENCE_MS }, async () => {
    const { db } = connection
    const changes = tablesOf(db).flatMap((table) =>
      table.columns.flatMap(({ name, type, nullable }) =>
        rowsOf(table).flatMap((row): Change[] => {
          const what = `${table.name}.${name}`
          const value = row[name] ?? null
          const other = () => setColumn(db, table, row, name, flipped(value, type))
          const none = () => setColumn(db, table, row, name, null)
          return nullable && value !== null
            ? [
                [what, other],
                [what, none],
              ]
            : [[what, other]]
        }),
      ),
    )
    expect(await missedOf(changes, NO_MEANING)).toEqual(Object.keys(NO_MEANING).sort())
  })

  it(
    'deletes a row, puts one in or exchanges two: it is found, or nothing is lost by it',
    { timeout: PATIENCE_MS },
    async () => {
      const { db } = connection
      const changes = tablesOf(db).flatMap((table) => {
        const rows = rowsOf(table)
        const [first, second] = unlike(table, rows)
        const one = rows.flatMap((row): Change[] => [
          [`${table.name} delete`, () => deleteRow(db, table, row)],
          [`${table.name} insert`, () => insertRow(db, table, copyOf(db, table, row))],
        ])
        if (first === undefined || second === undefined) return one
        return [...one, [`${table.name} exchange`, () => exchange(table, first, second)] as const]
      })
      expect(await missedOf(changes, NOTHING_LOST)).toEqual(Object.keys(NOTHING_LOST).sort())
    },
  )

  it('puts a ticket in to erase: it is found', async () => {
    const ticket = (): void => connection.db.exec('INSERT INTO erasure_tickets SELECT run_key, 3 FROM runs LIMIT 1')
    expect(await afterwards(ticket)).toContain('erasure_tickets')
  })
})

it('somebody deletes one receipt, wherever it stands: that is found, or is listed with the reason', async () => {
  const folder = join(directory, 'receipts')
  const unseen: string[] = []
  for (const name of readdirSync(folder)) {
    const whole = readFileSync(join(folder, name), 'utf8')
    const lines = whole.trim().split('\n')
    for (const at of lines.keys()) {
      writeFileSync(join(folder, name), lines.toSpliced(at, 1).join('\n'))
      const isLast = at === lines.length - 1
      if ((await found()) === undefined) unseen.push(`${name}${isLast ? ' last line' : ''}`)
    }
    writeFileSync(join(folder, name), whole)
  }
  expect(unseen).toEqual(Object.keys(NO_WITNESS))
})

/** Two rows that differ in more than what names them. */
function unlike(table: Table, rows: readonly Row[]): readonly Row[] {
  const keys = keyColumns(connection.db, table)
  const rest = (row: Row): string => JSON.stringify(Object.entries(row).filter(([name]) => !keys.has(name)))
  const [first] = rows
  const second = rows.find((row) => first !== undefined && rest(row) !== rest(first))
  return first === undefined || second === undefined ? [] : [first, second]
}

/** Everything but what names the row. */
function exchange(table: Table, first: Row, second: Row): void {
  const { db } = connection
  const keys = keyColumns(db, table)
  const named = (row: Row, other: Row): Row => ({
    ...other,
    ...Object.fromEntries([...keys].map((name) => [name, row[name] ?? null])),
  })
  for (const row of [first, second]) deleteRow(db, table, row)
  insertRow(db, table, named(first, second))
  insertRow(db, table, named(second, first))
}
