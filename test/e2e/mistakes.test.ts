/** Whatever is wrong, the person gets one clear message with a code, and scripts an exit code. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, it } from 'vitest'
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
      stdout: expect.stringMatching(
        /^✔ p\.yaml {3}p 1\.0\.0, 1 step {3}sha256 [0-9a-f]{64}\n\nWhat it can touch\n/,
      ) as string,
    })
  })
})

describe('a plan that does not fit the engine', () => {
  it.each([
    ['metadata: { targetAdapter: temporal }', /^INVALID_TARGET_ADAPTER {2}.*'temporal'.*'embedded'/],
    ['requires: [workflow.dance]', /^PLAN_VALIDATION_FAILED {2}.*no capability 'workflow.dance'/],
  ])('starts nothing, exit code 2: %s [CAP-02, ENG-12]', async (field, told) => {
    const folder = folderWith({ 'p.yaml': `${GOOD}${field}\n`, 'keelson.steps.ts': STEPS })
    for (const command of [['run'], ['run', '--queue'], ['plan', 'check']]) {
      const { code, stderr, stdout } = await keelson([...command, 'p.yaml'], folder)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(linesOf(stderr)[0]).toMatch(told)
    }
    const runs = jsonLines((await keelson(['runs', '--json'], folder)).stdout)
    expect(runs.filter(({ status }) => status !== 'FAILED')).toEqual([])
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

  it('that a block under forEach misses are told with their place in the file, at any depth', async () => {
    const plan = `plan: p
version: 1.0.0
steps:
  - { id: first, run: greet }
  - id: pack
    forEach:
      in: input.items
      steps:
        - { id: inner, run: stock.reserv }
        - id: deep
          forEach: { in: item, steps: [{ id: x, run: nowhere, compensate: { run: gone } }] }
`
    const folder = folderWith({ 'p.yaml': plan, 'keelson.steps.ts': STEPS })
    for (const command of [
      ['run', 'p.yaml'],
      ['plan', 'check', 'p.yaml'],
    ]) {
      const { code, stderr } = await keelson(command, folder)
      expect(code).toBe(2)
      expect(stderr.match(/^p\.yaml:\d+:\d+ {2}NO_HANDLER {2}.*$/gm)).toEqual([
        "p.yaml:9:29  NO_HANDLER  keelson.steps.ts has no function 'stock.reserv'",
        "p.yaml:11:54  NO_HANDLER  keelson.steps.ts has no function 'nowhere'",
        "p.yaml:11:82  NO_HANDLER  keelson.steps.ts has no function 'gone'",
      ])
    }
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
    [
      'half a command',
      ['plan'],
      /^USAGE {2}'plan' is not a whole command: check\|\S+ comes after it\n {2}See `keelson help plan`\./,
    ],
    [
      'half a command with an option',
      ['schedules', '--server', 'http://127.0.0.1:1'],
      /^USAGE {2}'schedules' is not a whole command: list\|\S+ comes after it\n {2}See `keelson help schedules`\./,
    ],
    [
      'an option that a command of a group does not have',
      ['triggers', 'test', 'push', '--body', '{}'],
      /^USAGE {2}unknown option '--body'\n {2}See `keelson help triggers test`\./,
    ],
    ['a count that is none', ['runs', '--limit', 'x'], /^USAGE {2}--limit takes a whole number, not 'x'/],
    ['a missing argument', ['plan', 'check'], /^USAGE {2}missing required argument 'file'/],
    ['a run of nothing', ['run'], /^USAGE {2}name a plan file, or a published plan by --plan-id/],
    ['a missing plan', ['run', 'nowhere.yaml'], /^FILE_NOT_FOUND {2}nowhere\.yaml does not exist/],
    [
      'a plan by its name',
      ['run', 'order@1.0.0'],
      /^FILE_NOT_FOUND [\s\S]*a published plan is named by --plan-id order@1\.0\.0/,
    ],
    [
      'a missing input file',
      ['run', 'p.yaml', '--input', 'no.json'],
      /^FILE_NOT_FOUND {2}--input: there is no file no\.json/,
    ],
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
  expect((await keelson(['help', 'log', 'import'], folder)).stdout).toMatch(
    /^Usage: keelson log import \[options\] <file>/,
  )
  expect((await keelson(['--help'], folder)).stdout).toMatch(/Exit codes: 0 completed, 1 failed/)
})
