/** What `verify` says first is what its exit code says; a table that was dropped is an alteration, not a server that is away. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { ensureBuilt } from '../e2e/built.ts'
import { folderWith, jsonLines, keelson } from '../e2e/command.ts'

beforeAll(ensureBuilt)

async function ended(sql?: string): Promise<string> {
  const folder = folderWith({
    'p.yaml': 'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: fast }\n',
    'keelson.steps.mjs': 'export const fast = () => 1\n',
  })
  await keelson(['run', 'p.yaml'], folder)
  if (sql === undefined) return folder
  const database = new DatabaseSync(join(folder, '.keelson', 'keelson.db'), { enableForeignKeyConstraints: false })
  for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all())
    database.exec(`DROP TRIGGER ${String(name)}`)
  database.exec(sql)
  database.close()
  return folder
}

it.each(['runs', 'appends', 'event_keys', 'plans', 'run_blobs', 'feed_floor'])(
  'a dropped table %s is STORE_ALTERED for who verifies the store, with exit code 1 [P-48]',
  async (table) => {
    const folder = await ended(`DROP TABLE ${table}`)
    const told = await keelson(['verify', '--store'], folder)
    expect([told.code, told.stderr]).toEqual([1, ''])
    expect(told.stdout).toMatch(
      new RegExp(`STORE_ALTERED {2}table ${table}: is missing\\n[\\s\\S]*✖ the store was altered`),
    )
    expect(jsonLines((await keelson(['verify', '--store', '--json'], folder)).stdout).at(-1)).toMatchObject({
      whole: false,
    })
  },
)

it('a dropped table is STORE_ALTERED for who only looks or starts', async () => {
  const folder = await ended('DROP TABLE runs')
  for (const words of [['runs'], ['verify', 'last'], ['run', 'p.yaml']]) {
    const { code, stderr } = await keelson(words, folder)
    expect([words, code, stderr]).toEqual([words, 6, expect.stringContaining('STORE_ALTERED')])
  }
})

it.each([
  ['altered', `UPDATE plans SET text = replace(text, 'fast', 'slow')`],
  ['deleted', 'DELETE FROM plans'],
])('a plan that was %s is not behind a headline that all is whole', async (_how, sql) => {
  const folder = await ended(sql)
  const told = await keelson(['verify', 'last'], folder)
  expect([told.code, told.stdout]).toEqual([
    1,
    expect.stringMatching(/^✖ the log is whole, but its plan is not {3}run /),
  ])
  const json = await keelson(['verify', 'last', '--json'], folder)
  expect([json.code, jsonLines(json.stdout)[0]]).toMatchObject([1, { whole: false, decisions: { follows: false } }])
})

it('a run and --store at once are refused: neither is left out silently', async () => {
  const told = await keelson(['verify', 'last', '--store'], await ended())
  expect([told.code, told.stderr]).toEqual([2, expect.stringContaining('--store alone')])
})
