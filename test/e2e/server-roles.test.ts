/** The command on a server under the roles that `store init --roles` makes: a runner runs, an archivist archives, no more. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { asAdmin, urlOf } from '../setup/postgres-roles.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, until, type Finished } from './command.ts'

const STEPS = 'export const fast = (input) => ({ big: "x".repeat(70000), input })\n'
const PLAN = `plan: p
version: 1.0.0
steps:
  - { id: a, run: fast, agent: writer, resources: { gpu: 1 } }
  - { id: release, manual: { title: Release it } }
  - { id: b, plan: { planId: child } }
`
const CHILD = 'plan: child\nversion: 1.0.0\nsteps: [{ id: c, run: fast }]\n'

let server: PostgresServer
let url = ''
let folder = ''

beforeAll(async () => {
  await ensureBuilt()
  server = await startPostgres()
  url = await server.createDatabase('cli_roles')
  await asAdmin(url, 'CREATE ROLE serving LOGIN')
  await asAdmin(url, 'CREATE ROLE archiving LOGIN')
})
afterAll(() => server.stop())
beforeEach(() => {
  folder = folderWith({ 'p.yaml': PLAN, 'child.yaml': CHILD, 'keelson.steps.mjs': STEPS })
  mkdirSync(join(folder, 'keys'), { mode: 0o700 })
})

const begin = (login: string, ...args: readonly string[]): Command =>
  new Command(args, folder, '', { KEELSON_STORE: urlOf(url, login), KEELSON_KEYS_DIR: 'keys' })
const as = (login: string, ...args: readonly string[]): Promise<Finished> => begin(login, ...args).finished

it('makes the tables and roles once, says so, and the same again', async () => {
  const call = ['store', 'init', '--roles', '--runner', 'serving', '--archivist', 'archiving']
  const first = await as('postgres', ...call)
  expect(first.stderr).toBe('')
  expect(first.stdout).toContain('keelson_runner')
  expect(first.stdout).toContain('serving is now a member of keelson_runner')
  const again = await as('postgres', ...call, '--json')
  expect(jsonLines(again.stdout)).toEqual([
    {
      store: expect.stringMatching(/^postgres .*cli_roles$/) as string,
      owner: 'keelson_owner',
      runner: 'keelson_runner',
      archivist: 'keelson_archivist',
      granted: [
        { login: 'serving', role: 'keelson_runner' },
        { login: 'archiving', role: 'keelson_archivist' },
      ],
    },
  ])
})

it(
  'a runner runs, waits for people, starts children, explains, verifies, exports and erases; doctor finds all well',
  { timeout: 240_000 },
  async () => {
    expect((await as('serving', 'resources', 'set', 'gpu', '--capacity', '2')).code).toBe(0)
    expect((await as('serving', 'run', 'child.yaml', '--set', 'n=1')).code).toBe(0)
    const run = begin('serving', 'run', 'p.yaml')
    await until('the task is open', async () => /release/.test((await as('serving', 'tasks')).stdout))
    expect((await as('serving', 'complete', 'last', 'release', '--outcome', 'Succeeded', '--as', 'ana')).code).toBe(0)
    expect(await run.finished).toMatchObject({ code: 0 })
    for (const args of [
      ['why', 'last'],
      ['verify', 'last'],
      ['receipts', 'issue'],
    ])
      expect([args, (await as('serving', ...args)).code]).toEqual([args, 0])
    expect((await as('serving', 'export', 'last', '--out', 'run.jsonl')).code).toBe(0)
    expect((await as('serving', 'erase', 'last', '--reason', 'request 1', '--yes')).code).toBe(0)
    expect((await as('serving', 'verify', 'last')).code).toBe(0)
    expect((await as('serving', 'doctor')).stdout).toMatch(
      /✔ role +serving may not change the log; it serves all tenants/,
    )
    expect((await as('postgres', 'doctor')).stdout).toMatch(/⚠ role +postgres owns the tables/)
  },
)

it('a runner may not archive; an archivist may, and may not run', { timeout: 240_000 }, async () => {
  const refused = await as('serving', 'archive', '--older-than', '0s')
  expect([refused.code, refused.stderr + refused.stdout]).toEqual([
    expect.any(Number),
    expect.stringMatching(/STORE_READ_ONLY/),
  ])
  const done = await as('archiving', 'archive', '--older-than', '0s', '--json', '--force')
  expect([done.code, done.stderr]).toEqual([0, ''])
  expect(jsonLines(done.stdout).length).toBeGreaterThan(0)
  expect((await as('serving', 'runs', '--json')).code).toBe(0)
  expect((await as('archiving', 'run', 'child.yaml')).stderr).toMatch(/STORE_READ_ONLY/)
})

it('says what is wrong with what was asked for', { timeout: 240_000 }, async () => {
  const wrong = async (...args: readonly string[]) => (await as('postgres', 'store', 'init', ...args)).stderr
  expect(await wrong('--runner', 'serving')).toMatch(/USAGE.*needs --roles/)
  expect(await wrong('--roles', '--runner', 'not_there')).toMatch(
    /STORE_ROLE_UNKNOWN[\s\S]*CREATE ROLE "not_there" LOGIN/,
  )
  expect((await as('serving', 'store', 'init', '--roles', '--tenant', 'acme')).stderr).toMatch(
    /STORE_ROLES_DENIED[\s\S]*CREATE ROLE "keelson_runner_acme" NOLOGIN/,
  )
})
