/** A project whose store is a PostgreSQL server of the file's own: each test has a folder and a database. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, keelson, sideLines, until, type Finished } from './command.ts'

/** `gated` ends when a file named after its step appears; who is not the first to be in it does not wait. */
export const STEPS = `import { appendFileSync, existsSync } from 'node:fs'
const note = (text) => appendFileSync('side.txt', text + '\\n')
export const fast = (input, { stepId, engineAttempt }) => note(stepId + ' ' + engineAttempt)
export const gated = async (input, { stepId, engineAttempt, signal }) => {
  note(stepId + ' ' + engineAttempt)
  while (engineAttempt === 1 && !existsSync(stepId)) {
    if (signal.aborted) throw signal.reason
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
`
export const PLAN =
  'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: fast }\n  - { id: b, run: gated }\n  - { id: c, run: fast }\n'
export const MANUAL = 'plan: m\nversion: 1.0.0\nsteps:\n  - { id: release, manual: { title: Release it } }\n'

let server: PostgresServer
let hba: string
let count = 0

/** Called where a test file begins. */
export function onServer(): void {
  beforeAll(async () => {
    await ensureBuilt()
    hba = mkdtempSync(join(tmpdir(), 'keelson-hba-'))
    chmodSync(hba, 0o755)
    const rules = ['host all postgres 127.0.0.1/32 trust', 'host all all 127.0.0.1/32 scram-sha-256']
    writeFileSync(join(hba, 'pg_hba.conf'), `${rules.join('\n')}\n`, { mode: 0o644 })
    server = await startPostgres({ hba_file: join(hba, 'pg_hba.conf') })
  })
  afterAll(async () => {
    await server.stop()
    rmSync(hba, { recursive: true, force: true })
  })
}

interface Project {
  readonly folder: string
  readonly url: string
  /** A command in this folder on this database. */
  call(...args: readonly string[]): Promise<Finished>
  begin(...args: readonly string[]): Command
}

export const newDatabase = (): Promise<string> => server.createDatabase(`cli_${(count += 1)}`)

export async function project(files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS, ...files })
  const url = await newDatabase()
  const begin = (...args: readonly string[]): Command => new Command(args, folder, '', { KEELSON_STORE: url })
  return { folder, url, begin, call: (...args) => keelson(args, folder, undefined, { KEELSON_STORE: url }) }
}

export const open = (folder: string, step: string): void => writeFileSync(join(folder, step), '')
export const inStep = (folder: string, line: string): Promise<true> =>
  until(`${line} has begun`, () => sideLines(folder).includes(line))

/** When the newest inbox row came, by the server's clock, which is this machine's. */
export async function lastInboxRowAt(url: string): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ readonly at: string }>('SELECT max(inserted_at) AS at FROM keelson.run_inbox')
    return Number(rows[0]?.at)
  } finally {
    await client.end()
  }
}
