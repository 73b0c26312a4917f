/** Folders that can only be read: looking works as ever, nothing is left behind, and nothing that was committed is passed over. */
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, expect, it } from 'vitest'
import { MIGRATIONS } from '../../src/adapters/stores/sqlite/migrate.ts'
import { ROOT } from '../../scripts/terminal.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, until, type Finished } from './command.ts'
import { runChild } from '../fixtures/child.ts'

const PLAN = 'plan: p\nversion: 1.0.0\nsteps:\n  - { id: a, run: fast }\n  - { id: b, run: held }\n'
const STEPS = `import { existsSync } from 'node:fs'
export const fast = () => 'made'
export const held = async () => {
  while (existsSync('held')) await new Promise((resolve) => setTimeout(resolve, 20))
}
`
/** Permissions do not stop root: then another user looks. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

beforeAll(ensureBuilt)

function look(folder: string, args: readonly string[]): Finished {
  const bin = join(ROOT, 'bin', 'keelson.js')
  const { status, stdout, stderr } = runChild(process.execPath, [bin, ...args], {
    cwd: folder,
    ...NOBODY,
  })
  return { code: status, stdout, stderr }
}

function readable(path: string): void {
  const isFolder = statSync(path).isDirectory()
  if (isFolder) for (const name of readdirSync(path)) if (name !== 'keys') readable(join(path, name))
  chmodSync(path, isFolder ? 0o555 : 0o444)
}

function writable(path: string): void {
  const isFolder = statSync(path).isDirectory()
  chmodSync(path, isFolder ? 0o755 : 0o644)
  if (isFolder) for (const name of readdirSync(path)) writable(join(path, name))
}

async function ended(): Promise<{ readonly folder: string; readonly id: string }> {
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS })
  const { stdout } = await keelson(['run', 'p.yaml', '--json'], folder)
  const { result } = jsonLines(stdout).at(-1) as { readonly result: { readonly runId: string } }
  return { folder, id: result.runId }
}

it('every command that looks works in a folder that cannot be written, and leaves nothing there', async () => {
  const { folder, id } = await ended()
  const state = join(folder, '.keelson')
  rmSync(join(state, 'keys'), { recursive: true })
  readable(folder)
  const before = readdirSync(state).toSorted()
  try {
    for (const args of [['runs'], ['show', id], ['events', id], ['why', id], ['verify', id], ['export', id]]) {
      const { code, stdout, stderr } = look(folder, args)
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' })
      expect(stdout).toContain(args[0] === 'events' ? 'RunCompleted' : args[0] === 'why' ? 'COMPLETED' : id.slice(0, 8))
    }
    const out = join(folder, '..', `${id}.jsonl`)
    expect(look(folder, ['export', id, '--out', out]).code).toBe(0)
    expect(look(folder, ['verify', out]).code).toBe(0)
    rmSync(out)
    const refused = look(folder, ['signal', id, 'cancel'])
    expect([refused.code, refused.stderr]).toEqual([6, expect.stringMatching(/^STORE_READ_ONLY /)])
    expect(readdirSync(state).toSorted()).toEqual(before)
  } finally {
    writable(folder)
  }
})

it.each([true, false])(
  'what a killed process committed to its log is seen (with its -shm file: %s)',
  async (hasShm) => {
    const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS, held: '' })
    const state = join(folder, '.keelson')
    const command = new Command(['run', 'p.yaml', '--json'], folder)
    await command.shows(/StepStarted[^\n]*"stepId":"b"|"stepId":"b"[^\n]*StepStarted/)
    command.kill('SIGKILL')
    await command.finished
    expect(statSync(join(state, 'keelson.db-wal')).size).toBeGreaterThan(0)
    if (!hasShm) rmSync(join(state, 'keelson.db-shm'), { force: true })
    readable(folder)
    try {
      const { code, stdout } = look(folder, ['events', 'last', '--json'])
      expect(code).toBe(0)
      expect(jsonLines(stdout).map((event) => event['eventType'])).toEqual([
        'RunApproved',
        'RunStarted',
        'StepStarted',
        'StepCompleted',
        'StepStarted',
      ])
      expect(existsSync(join(state, 'keelson.db-shm'))).toBe(hasShm)
    } finally {
      writable(folder)
    }
  },
)

it('a database of an older schema is read from a copy that was brought up to date', async () => {
  const folder = folderWith({})
  mkdirSync(join(folder, 'kept'))
  const database = new DatabaseSync(join(folder, 'kept', 'keelson.db'))
  database.exec(readFileSync(join(import.meta.dirname, '..', 'golden', 'stores', 'sqlite-0018.sql'), 'utf8'))
  const id = String(database.prepare('SELECT run_id FROM runs ORDER BY run_key LIMIT 1').get()?.['run_id'])
  const { user_version: version } = database.prepare('PRAGMA user_version').get() ?? {}
  database.close()
  expect(version).toBeLessThan(MIGRATIONS.length)
  readable(folder)
  try {
    const { code, stdout } = look(folder, ['show', id, '--dir', 'kept'])
    expect([code, stdout]).toEqual([0, expect.stringContaining(id.slice(0, 8))])
  } finally {
    writable(folder)
  }
})

it('a process that drives runs is not disturbed by one that only reads', async () => {
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mjs': STEPS, held: '' })
  const command = new Command(['run', 'p.yaml', '--json'], folder)
  await command.shows(/StepCompleted/)
  // State is its owner's alone; whoever wants others to look must open it to them.
  chmodSync(folder, 0o755)
  writable(join(folder, '.keelson'))
  const seen = await until('the run is seen', () => {
    const { code, stdout } = look(folder, ['runs', '--json'])
    return code === 0 && stdout.includes('RUNNING') ? stdout : undefined
  })
  expect(seen).toContain('"planId":"p"')
  rmSync(join(folder, 'held'))
  expect((await command.finished).code).toBe(0)
})
