/** keelson doctor: a line for each thing that can be wrong, what to do about it, and an exit code for scripts. */
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { MIGRATIONS } from '../../src/adapters/stores/sqlite/migrate.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, linesOf } from './command.ts'

const STEPS = 'export const quick = () => 1\nexport const slow = () => new Promise((go) => setTimeout(go, 60_000))\n'
const planOf = (run: string): string => `plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: ${run} }\n`

beforeAll(ensureBuilt)

async function folderWithRun(): Promise<string> {
  const folder = folderWith({ 'p.yaml': planOf('quick'), 'slow.yaml': planOf('slow'), 'keelson.steps.mjs': STEPS })
  expect((await keelson(['run', 'p.yaml'], folder)).code).toBe(0)
  return folder
}

async function findings(
  folder: string,
): Promise<{ readonly code: number | null; readonly of: ReadonlyMap<unknown, unknown> }> {
  const { code, stdout } = await keelson(['doctor', '--json'], folder)
  return { code, of: new Map(jsonLines(stdout).map(({ name, health }) => [name, health])) }
}

function change(folder: string, sql: string): void {
  const db = new DatabaseSync(join(folder, '.keelson', 'keelson.db'))
  db.exec(sql)
  db.close()
}

it('says that all is well where it is, and creates nothing where nothing is', async () => {
  const folder = await folderWithRun()
  const { code, stdout, stderr } = await keelson(['doctor'], folder)
  expect({ code, stderr, last: linesOf(stdout).at(-1) }).toEqual({ code: 0, stderr: '', last: '✔ all is well' })
  for (const name of [
    'node',
    'state folder',
    'disk',
    'database',
    'schema',
    'durability',
    'clock',
    'runs',
    'keys',
    'postgres',
  ])
    expect(stdout).toMatch(new RegExp(`^✔ ${name} `, 'm'))
  const empty = folderWith({})
  expect((await keelson(['doctor'], empty)).code).toBe(0)
  expect(readdirSync(empty)).toEqual([])
})

it('warns of a run nobody drives, a clock set back and dead letters, each with what to do', async () => {
  const folder = await folderWithRun()
  const run = new Command(['run', 'slow.yaml'], folder)
  await run.shows(/▸ a/)
  expect((await findings(folder)).of.get('runs')).toBe('well')
  run.kill('SIGKILL')
  await run.finished
  change(folder, 'UPDATE runs SET leased_until = 0')
  change(
    folder,
    `INSERT INTO feed_dead (subscriber, run_key, seq, error, dead_at) SELECT 'mail', run_key, 1, 'x', 0 FROM runs`,
  )
  change(folder, `INSERT INTO feed_cursors (subscriber, feed_pos) VALUES ('mail', 1)`)
  change(folder, 'UPDATE runs SET updated_at = updated_at + 3600000')
  const { code, stdout } = await keelson(['doctor'], folder)
  expect(code).toBe(0)
  expect(stdout).toMatch(/⚠ runs +nobody drives 1 run: [0-9a-f]{8}\n +→ `keelson resume` continues them\./)
  expect(stdout).toMatch(/⚠ clock +the last write lies .* in the future\n +→ /)
  expect(stdout).toMatch(/⚠ feed mail +0 runs wait because a delivery failed, 2 dead letters\n +→ /)
})

it('a run that was set aside, a key others can read: exit code 6', async () => {
  const folder = await folderWithRun()
  change(folder, `UPDATE runs SET quarantine = 'RUN_QUARANTINED'`)
  const keys = join(folder, '.keelson', 'keys')
  const [key = ''] = readdirSync(keys)
  chmodSync(join(keys, key), 0o644)
  const { code, of } = await findings(folder)
  expect([code, of.get('quarantine'), of.get('keys'), of.get('database')]).toEqual([6, 'bad', 'bad', 'well'])
  expect((await keelson(['doctor'], folder)).stdout).toMatch(/✖ keys +others can read .*\n +→ chmod 600 /)
})

it('a newer schema, a cut file: the database is told with its code', async () => {
  const folder = await folderWithRun()
  change(folder, 'PRAGMA user_version = 99')
  expect((await keelson(['doctor'], folder)).stdout).toMatch(/✖ database +STORE_SCHEMA_NEWER .*99/)
  change(folder, `PRAGMA user_version = ${MIGRATIONS.length}`)
  const file = join(folder, '.keelson', 'keelson.db')
  truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096)
  const { code, of } = await findings(folder)
  expect([code, of.get('database')]).toEqual([6, 'bad'])
})

it('names what was silently wrong with the project: the steps file, a secret without a value, keys that are gone', async () => {
  const folder = folderWith({
    'package.json': '{ "type": "commonjs" }',
    'p.yaml': `${planOf('quick').trimEnd().replace(' }', ', secrets: { token: secret://PAY_TOKEN } }')}\n`,
    'keelson.steps.ts': 'export const quick = () => 1\n',
  })
  const before = await keelson(['doctor'], folder)
  expect(before.code).toBe(6)
  expect(before.stdout).toMatch(
    /✖ steps file +package\.json says "type": "commonjs", and keelson\.steps\.ts has import or export: it cannot be loaded\n +→ mv keelson\.steps\.ts keelson\.steps\.mts\n/,
  )
  expect(before.stdout).toMatch(
    /⚠ secrets +no value for secret:\/\/PAY_TOKEN; looked in \.keelson\/secrets\/local\/local\.env \(or \.json\) and at KEELSON_SECRET_…\n +→ Set the variable KEELSON_SECRET_PAY_TOKEN, or put it into that file \(mode 0600\)\.\n/,
  )
  renameSync(join(folder, 'keelson.steps.ts'), join(folder, 'keelson.steps.mts'))
  const variables = { KEELSON_SECRET_PAY_TOKEN: 'hush-hush' }
  expect((await keelson(['run', 'p.yaml'], folder, undefined, variables)).code).toBe(0)
  rmSync(join(folder, '.keelson', 'keys'), { recursive: true })
  const { code, stdout } = await keelson(['doctor'], folder, undefined, variables)
  expect(code).toBe(0)
  expect(stdout).toMatch(/✔ steps file +keelson\.steps\.mts\n/)
  expect(stdout).toMatch(/✔ secrets +1 secret named here, each has a value\n/)
  expect(stdout).toMatch(
    /⚠ keys +there is no \.keelson\/keys: tasks and receipts that were signed before cannot be checked\n/,
  )
  expect(stdout).not.toContain('hush-hush')
})

it('a secrets file that others can read is bad', async () => {
  const folder = folderWith({ 'p.yaml': 'steps: [{ secrets: { a: secret://A } }]' })
  mkdirSync(join(folder, '.keelson', 'secrets', 'local'), { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, '.keelson', 'secrets', 'local', 'local.env'), 'A=hush-hush\n', { mode: 0o644 })
  const { code, stdout } = await keelson(['doctor'], folder)
  expect(code).toBe(6)
  expect(stdout).toMatch(/✖ secrets +SECRETS_FILE_REFUSED {2}/)
  expect(stdout).not.toContain('hush-hush')
})
