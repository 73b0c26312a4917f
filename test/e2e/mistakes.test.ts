/** Whatever is wrong, the person gets one clear message with a code, and scripts an exit code. */
import { spawnSync } from 'node:child_process'
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson, linesOf } from './command.ts'

const STEPS = 'export const greet = () => "hello"\nexport const stock = { reserve: () => 1 }\n'
const GOOD = 'plan: p\nversion: 1.0.0\nsteps:\n  - id: a\n    run: greet\n'
const WRONG = `plan: p
version: 1.0.0
steps:
  - id: charge
    run: greet
    dependsOn: []
  - id: pack
    run: greet
    dependsOn: [chrage]
    retires: 3
`

beforeAll(ensureBuilt)

describe('a plan with mistakes', () => {
  it('is told with every position, a caret and what was meant; nothing is started, exit code 2', async () => {
    const folder = folderWith({ 'p.yaml': WRONG, 'keelson.steps.ts': STEPS })
    const { code, stdout, stderr } = await keelson(['run', 'p.yaml'], folder)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const lines = linesOf(stderr)
    expect(lines[0]).toMatch(/^p\.yaml:9:17 {2}PLAN_UNKNOWN_DEPENDENCY {2}.*chrage/)
    expect(lines[1]).toBe('    9 │     dependsOn: [chrage]')
    expect(lines[2]).toBe("      │                 ^^^^^^ did you mean 'charge'?")
    expect(lines[3]).toMatch(/^p\.yaml:10:5 {2}INVALID_STEP_SCHEMA {2}.*retires/)
    expect(lines[5]).toMatch(/\^{7} did you mean 'retry'\?$/)
    expect(lines.at(-1)).toMatch(/^2 problems, nothing was started\. {3}keelson help PLAN_UNKNOWN_DEPENDENCY$/)
    expect((await keelson(['runs'], folder)).stderr).toContain('STORE_NOT_FOUND')
  })

  it('is told without colour into a pipe, also where CI or FORCE_COLOR is set', async () => {
    const folder = folderWith({ 'p.yaml': WRONG, 'keelson.steps.ts': STEPS })
    const painted = { CI: 'true', FORCE_COLOR: '1', GITHUB_ACTIONS: 'true' }
    const { stderr } = await keelson(['run', 'p.yaml'], folder, undefined, painted)
    expect(stderr).toContain('chrage')
    expect(stderr).not.toContain('\u001b')
  })

  it('is told as one JSON object with --json', async () => {
    const folder = folderWith({ 'p.yaml': WRONG })
    const { code, stdout, stderr } = await keelson(['plan', 'check', 'p.yaml', '--json'], folder)
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
    const [line] = jsonLines(stdout)
    expect(line).toMatchObject({ problems: [{ code: 'PLAN_UNKNOWN_DEPENDENCY', at: { line: 9, column: 17 } }, {}] })
  })

  it('that is not YAML at all is PLAN_SYNTAX with its line', async () => {
    const folder = folderWith({ 'p.yaml': 'plan: [p\nversion: 1\n' })
    const { code, stderr } = await keelson(['plan', 'check', 'p.yaml'], folder)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^p\.yaml:\d+:\d+ {2}PLAN_SYNTAX/)
  })

  it('and one without is named with its hash', async () => {
    const folder = folderWith({ 'p.yaml': GOOD, 'keelson.steps.ts': STEPS })
    const { code, stdout } = await keelson(['plan', 'check', 'p.yaml'], folder)
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^✔ p\.yaml {3}p 1\.0\.0, 1 step {3}sha256 [0-9a-f]{64}\n$/) as string,
    })
  })
})

describe('a plan that does not fit the engine', () => {
  it.each([
    ['metadata: { targetAdapter: temporal }', /^INVALID_TARGET_ADAPTER {2}.*'temporal'.*'embedded'/],
    ['requires: [workflow.dance]', /^PLAN_VALIDATION_FAILED {2}.*no capability 'workflow.dance'/],
  ])('starts nothing, exit code 2: %s [CAP-02, ENG-12]', async (field, told) => {
    const folder = folderWith({ 'p.yaml': `${GOOD}${field}\n`, 'keelson.steps.ts': STEPS })
    for (const more of [[], ['--queue']]) {
      const { code, stderr, stdout } = await keelson(['run', 'p.yaml', ...more], folder)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(linesOf(stderr)[0]).toMatch(told)
    }
    expect((await keelson(['runs', '--json'], folder)).stdout).toBe('')
  })
})

describe('step functions', () => {
  it('that the steps file does not have are told with their place in the plan', async () => {
    const plan = 'plan: p\nversion: 1.0.0\nsteps:\n  - id: a\n    run: stock.reserv\n'
    const folder = folderWith({ 'p.yaml': plan, 'keelson.steps.ts': STEPS })
    const { code, stderr } = await keelson(['run', 'p.yaml'], folder)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^p\.yaml:5:10 {2}NO_HANDLER {2}keelson\.steps\.ts has no function 'stock\.reserv'/)
    expect(stderr).toContain("^^^^^^^^^^^^ did you mean 'stock.reserve'?")
  })

  it('are missed by name when there is no steps file', async () => {
    const folder = folderWith({ 'p.yaml': GOOD })
    const { code, stderr } = await keelson(['run', 'p.yaml'], folder)
    expect(code).toBe(2)
    expect(stderr).toMatch(/NO_HANDLER {2}there is no steps file with a function 'greet'/)
  })

  it('in a file that cannot be loaded are STEPS_NOT_LOADED; only --debug shows the stack', async () => {
    const folder = folderWith({ 'p.yaml': GOOD, 'keelson.steps.ts': 'throw new Error("no key")\n' })
    const quiet = await keelson(['run', 'p.yaml'], folder)
    expect(quiet.code).toBe(2)
    expect(linesOf(quiet.stderr)[0]).toBe('STEPS_NOT_LOADED  keelson.steps.ts cannot be loaded: Error: no key')
    expect(linesOf(quiet.stderr)).toHaveLength(2)
    expect((await keelson(['run', 'p.yaml', '--debug'], folder)).stderr).toMatch(/caused by Error: no key\n\s+at /)
  })

  it('in JavaScript or TypeScript, exported by name or by default, all run', async () => {
    const folder = folderWith({ 'p.yaml': GOOD, 'other.mjs': 'export default { greet: () => "hi" }\n' })
    const { code, stderr } = await keelson(['run', 'p.yaml', '--steps', 'other.mjs'], folder)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})

describe('wrong usage exits with 2 and names what was meant', () => {
  const cases: readonly (readonly [name: string, args: readonly string[], message: RegExp])[] = [
    ['an unknown command', ['rum', 'p.yaml'], /^USAGE {2}unknown command 'rum'; did you mean 'runs?'\?/],
    [
      'an unknown flag',
      ['run', 'p.yaml', '--stpes', 'x'],
      /^USAGE {2}unknown option '--stpes'; did you mean '--steps'\?/,
    ],
    ['half a command', ['plan'], /^USAGE {2}'plan' is not a whole command/],
    ['a count that is none', ['runs', '--limit', 'x'], /^USAGE {2}--limit takes a whole number, not 'x'/],
    ['a missing argument', ['run'], /^USAGE {2}missing required argument 'plan'/],
    ['a missing plan', ['run', 'nowhere.yaml'], /^FILE_NOT_FOUND {2}nowhere\.yaml does not exist/],
    ['a missing input file', ['run', 'p.yaml', '--input', 'no.json'], /^FILE_NOT_FOUND {2}no\.json does not exist/],
    ['a setting without a value', ['run', 'p.yaml', '--set', 'x'], /^USAGE {2}--set takes key=value, not 'x'/],
    ['an unknown signal', ['signal', 'abcd', 'puase'], /^USAGE {2}'puase' is not a signal; .*; did you mean 'pause'\?/],
    ['a shell that is none', ['completion', 'bsh'], /^USAGE {2}'bsh' is not a shell; .*; did you mean 'bash'\?/],
    [
      'a format that is none',
      ['plan', 'graph', 'p.yaml', '--format', 'do'],
      /^USAGE {2}'do' is not a format; .*'dot'\?/,
    ],
    ['a time that is none', ['runs', '--since', 'soon'], /^USAGE {2}--since takes an age such as 2h .*, not 'soon'/],
    ['an event that is none', ['why', 'last', '--at', '0'], /^USAGE {2}--at takes the number of an event/],
    ['a missing second plan', ['plan', 'diff', 'p.yaml'], /^USAGE {2}missing required argument 'new'/],
    [
      'a plan that is code',
      ['run', 'keelson.steps.ts'],
      /^USAGE {2}keelson\.steps\.ts is code; a plan is a YAML or JSON/,
    ],
    ['a folder without a plan', ['run', '.'], /^FILE_NOT_FOUND {2}the folder \. has no plan\.yaml/],
    ['an unknown command of two words', ['plan', 'chek'], /^USAGE {2}unknown command 'chek'; did you mean 'check'\?/],
    ['an unknown code', ['help', 'PLAN_SYNTX'], /^USAGE {2}'PLAN_SYNTX' is neither .*; did you mean 'PLAN_SYNTAX'\?/],
  ]
  for (const [name, args, message] of cases) {
    it(name, async () => {
      const { code, stdout, stderr } = await keelson(args, folderWith({ 'p.yaml': GOOD, 'keelson.steps.ts': STEPS }))
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(message)
    })
  }
})

it('an input that does not match the plan’s schema starts nothing', async () => {
  const plan = `${GOOD}inputs: { type: object, required: [name], properties: { name: { type: string } } }\n`
  const folder = folderWith({ 'p.yaml': plan, 'keelson.steps.ts': STEPS })
  const { code, stderr } = await keelson(['run', 'p.yaml', '--set', 'name=7'], folder)
  expect(code).toBe(2)
  expect(stderr).toMatch(/^RUN_INPUT_INVALID {2}/)
  expect((await keelson(['runs', '--json'], folder)).stdout).toBe('')
})

it('looking at runs where there are none says so and creates nothing', async () => {
  const folder = folderWith({})
  for (const args of [['runs'], ['show', 'abcd'], ['resume'], ['tasks']]) {
    const { code, stderr } = await keelson(args, folder)
    expect(code).toBe(6)
    expect(stderr).toMatch(/^STORE_NOT_FOUND {2}there is no \.keelson\/keelson\.db/)
  }
})

it('a database that another process keeps locked is STORE_LOCKED, exit code 6', async () => {
  const folder = folderWith({ 'p.yaml': GOOD, 'keelson.steps.ts': STEPS })
  mkdirSync(join(folder, '.keelson'))
  expect((await keelson(['run', 'p.yaml'], folder)).code).toBe(0)
  const other = new DatabaseSync(join(folder, '.keelson', 'keelson.db'))
  try {
    other.exec('BEGIN EXCLUSIVE')
    const { code, stderr } = await keelson(['run', 'p.yaml'], folder)
    expect(code).toBe(6)
    expect(stderr).toMatch(/^STORE_LOCKED {2}/)
  } finally {
    other.close()
  }
})

it('a file that is no database is STORE_CORRUPT, exit code 6', async () => {
  const folder = folderWith({
    'p.yaml': GOOD,
    'keelson.steps.ts': STEPS,
    'keelson.db': 'these are not the bytes of a database',
  })
  const { code, stderr } = await keelson(['run', 'p.yaml', '--dir', '.'], folder)
  expect(code).toBe(6)
  expect(stderr).toMatch(/^STORE_CORRUPT {2}/)
})

it('help shows the page of a code, and the help of a command', async () => {
  const folder = folderWith({})
  const page = await keelson(['help', 'STORE_LOCKED'], folder)
  expect(page).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^STORE_LOCKED\n {2}what happened .*\n[\s\S]*what to do/) as string,
  })
  expect((await keelson(['help', 'run'], folder)).stdout).toContain('--request-id <id>')
  expect((await keelson(['--help'], folder)).stdout).toMatch(/Exit codes: 0 completed, 1 failed/)
})

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
    for (const args of [
      ['init', place],
      ['archive', 'last', '--to', place],
      ['export', 'last', '--out', `${place}/run.jsonl`],
      ['restore', 'p.yaml', '--dir', place],
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
    const piped = spawnSync(process.execPath, [join(ROOT, 'bin', 'keelson.js'), 'plan', 'check', 'p.yaml'], {
      cwd: folder,
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
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
    const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { cwd: folder, encoding: 'utf8' })
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
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', place])
  if (mounted.status !== 0) return undefined
  return { folder: place, release: () => void spawnSync('umount', [place]) }
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
    const [major = 0, minor = 0] = spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' })
      .stdout?.split('.')
      .map(Number) ?? [99]
    return major > 0 && (major < 22 || (major === 22 && minor < 19))
  })
  if (old === undefined) return context.skip('there is no old Node here; test/arch/command.test.ts pretends to be one')
  const { status, stdout, stderr } = spawnSync(old, [join(ROOT, 'bin', 'keelson.js'), 'run', 'p.yaml'], {
    encoding: 'utf8',
  })
  expect({ status, stdout, lines: linesOf(stderr).length }).toEqual({ status: 6, stdout: '', lines: 1 })
  expect(stderr).toMatch(/^NODE_TOO_OLD {2}Keelson needs Node 22\.19 or newer/)
})
