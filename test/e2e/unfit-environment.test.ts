/** An environment in which a command cannot work: it says what is in the way, with exit code 6 and no stack trace. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, keelson, linesOf } from './command.ts'
import { runChild } from '../fixtures/child.ts'

const STEPS = 'export const greet = () => "hello"\n'
const GOOD = 'plan: p\nversion: 1.0.0\nsteps:\n  - id: a\n    run: greet\n'

beforeAll(ensureBuilt)

describe('an environment that is not fit exits with 6', () => {
  it('a folder that cannot be written is STORE_READ_ONLY', async () => {
    const folder = folderWith({ 'p.yaml': GOOD, 'keelson.steps.ts': STEPS })
    const closed = unwritable(folder)
    try {
      const { code, stdout, stderr } = await keelson(['run', 'p.yaml', '--dir', join(closed.folder, 'state')], folder)
      expect({ code, stdout }).toEqual({ code: 6, stdout: '' })
      expect(stderr).toMatch(/^STORE_READ_ONLY {2}/)
      expect(linesOf(stderr)).toHaveLength(2)
    } finally {
      closed.release()
    }
  })

  it('a state folder that is a file is STORE_READ_ONLY', async () => {
    const folder = folderWith({ 'p.yaml': GOOD, 'keelson.steps.ts': STEPS, '.keelson': 'a file' })
    await expectEnvironment(folder, /^STORE_READ_ONLY {2}.*\.keelson/)
  })

  it('a database of a newer version is STORE_SCHEMA_NEWER, and stays as it is', async () => {
    const folder = folderWith({ 'p.yaml': GOOD, 'keelson.steps.ts': STEPS })
    await keelson(['run', 'p.yaml'], folder)
    const db = new DatabaseSync(join(folder, '.keelson', 'keelson.db'))
    db.exec('PRAGMA user_version = 99')
    db.close()
    await expectEnvironment(folder, /^STORE_SCHEMA_NEWER {2}/)
  })

  it('a full disk is STORE_FULL', async (context) => {
    const folder = folderWith({ 'p.yaml': GOOD, 'keelson.steps.ts': STEPS })
    const disk = smallDisk(folder)
    if (disk === undefined) return context.skip('no small file system can be mounted here')
    try {
      const { code, stderr } = await keelson(['run', 'p.yaml', '--dir', disk.folder], folder)
      expect(code).toBe(6)
      expect(stderr).toMatch(/^STORE_FULL {2}/)
      expect(stderr).not.toMatch(/\n\s+at /)
    } finally {
      disk.release()
    }
  })
})

describe('files that the system refuses are FILE_UNUSABLE with exit code 6 and no stack trace', () => {
  it('a folder below the kernel’s own: nothing hangs', async (context) => {
    if (process.platform !== 'linux') return context.skip('only Linux has /proc')
    const folder = folderWith({ 'p.yaml': GOOD, 'keelson.steps.ts': STEPS })
    const place = '/proc/nothing/here'
    const run = await keelson(['run', 'p.yaml', '--dir', place], folder)
    expect(run).toMatchObject({ code: 6, stderr: expect.stringMatching(/^STORE_READ_ONLY .*cannot be made/) as string })
    expect((await keelson(['run', 'p.yaml'], folder)).code).toBe(0)
    expect((await keelson(['backup', 'copy.db'], folder)).code).toBe(0)
    for (const args of [
      ['init', place],
      ['archive', 'last', '--to', place],
      ['export', 'last', '--out', `${place}/run.jsonl`],
      ['restore', 'copy.db', '--dir', place],
    ]) {
      const { code, stdout, stderr } = await keelson(args, folder)
      expect({ args, code, stdout }).toEqual({ args, code: 6, stdout: '' })
      expect(stderr).toMatch(/^FILE_UNUSABLE {2}\/proc\/nothing: there is no such file or folder \(ENOENT, mkdir\)\n/)
      expect(linesOf(stderr)).toHaveLength(2)
    }
  })

  it('a full disk under a file or under standard output', async (context) => {
    if (!existsSync('/dev/full')) return context.skip('there is no /dev/full here')
    const folder = folderWith({ 'p.yaml': GOOD, 'keelson.steps.ts': STEPS })
    const { code, stderr } = await keelson(['plan', 'compile', 'p.yaml', '--out', '/dev/full'], folder)
    expect(code).toBe(6)
    expect(stderr).toMatch(/^FILE_UNUSABLE {2}.*the disk is full \(ENOSPC, write\)\n/)
    expect(linesOf(stderr)).toHaveLength(2)
    const full = openSync('/dev/full', 'w')
    const piped = runChild(process.execPath, [join(ROOT, 'bin', 'keelson.js'), 'plan', 'check', 'p.yaml'], {
      cwd: folder,
      stdio: ['ignore', full, 'pipe'],
    })
    closeSync(full)
    expect(piped.status).toBe(6)
    expect(linesOf(piped.stderr)).toEqual([
      expect.stringMatching(/^FILE_UNUSABLE {2}standard output cannot be written/),
    ])
  })

  it('a limit of this user on the size of files is told of the database', async () => {
    const folder = folderWith({ 'p.yaml': GOOD, 'keelson.steps.ts': STEPS })
    const line = `ulimit -f 40; exec "${process.execPath}" "${join(ROOT, 'bin', 'keelson.js')}" run p.yaml`
    const { status, stdout, stderr } = runChild('bash', ['-c', line], { cwd: folder })
    expect({ status, stdout }).toEqual({ status: 6, stdout: '' })
    expect(stderr).toMatch(
      /^STORE_(UNAVAILABLE|FULL) {2}The database \.keelson\/keelson\.db (could not be|cannot grow)/,
    )
    expect(linesOf(stderr)).toHaveLength(2)
  })
})

async function expectEnvironment(folder: string, message: RegExp): Promise<void> {
  const { code, stdout, stderr } = await keelson(['run', 'p.yaml'], folder)
  expect({ code, stdout }).toEqual({ code: 6, stdout: '' })
  expect(stderr).toMatch(message)
  expect(linesOf(stderr)).toHaveLength(2)
}

/** Permissions hold back everybody but root, for whom the kernel's own file system is closed. */
function unwritable(folder: string): { readonly folder: string; readonly release: () => void } {
  if (process.getuid?.() === 0) return { folder: '/sys', release: () => undefined }
  const place = join(folder, 'closed')
  mkdirSync(place, { mode: 0o555 })
  return { folder: place, release: () => chmodSync(place, 0o755) }
}

/** A file system of its own with 64 KB, where this user may mount one. */
function smallDisk(folder: string): { readonly folder: string; readonly release: () => void } | undefined {
  const place = join(folder, 'disk')
  mkdirSync(place)
  const mounted = runChild('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place])
  if (mounted.status !== 0) return undefined
  return { folder: place, release: () => void runChild('umount', [place]) }
}

it('two terminals on one folder at once: both runs complete', async () => {
  const folder = folderWith({ 'p.yaml': GOOD, 'keelson.steps.ts': STEPS })
  const both = await Promise.all([keelson(['run', 'p.yaml'], folder), keelson(['run', 'p.yaml'], folder)])
  expect(both.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
    { code: 0, stderr: '' },
    { code: 0, stderr: '' },
  ])
  expect(linesOf((await keelson(['runs', '--json'], folder)).stdout)).toHaveLength(2)
})

it('an old Node on this machine gets one line, the code and exit code 6', (context) => {
  const old = ['/usr/bin/node', '/usr/local/bin/node'].find((path) => {
    const [major = 0, minor = 0] = runChild(path, ['-p', 'process.versions.node']).stdout?.split('.').map(Number) ?? [
      99,
    ]
    return major > 0 && (major < 22 || (major === 22 && minor < 19))
  })
  if (old === undefined) return context.skip('there is no old Node here; test/arch/command.test.ts pretends to be one')
  const { status, stdout, stderr } = runChild(old, [join(ROOT, 'bin', 'keelson.js'), 'run', 'p.yaml'], {})
  expect({ status, stdout, lines: linesOf(stderr).length }).toEqual({ status: 6, stdout: '', lines: 1 })
  expect(stderr).toMatch(/^NODE_TOO_OLD {2}Keelson needs Node 22\.19 or newer/)
})
