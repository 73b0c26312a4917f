/**
 * A steps file that cannot be loaded says why, and what to change; and the three ways to export step functions mean the same, on
 * the command line as in a program.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { openKeelson, loadPlan } from '../../src/main.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson, linesOf } from './command.ts'

const PLAN = 'plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: fast }]\noutput: "${steps.a.output}"\n'
const COMMON_JS = '{ "type": "commonjs" }'
const IMPORTING = "import { setTimeout } from 'node:timers/promises'\nexport const fast = () => typeof setTimeout\n"

beforeAll(ensureBuilt)

type Case = readonly [what: string, files: Readonly<Record<string, string>>, told: RegExp]

const CASES: readonly Case[] = [
  [
    'in a package of CommonJS',
    { 'package.json': COMMON_JS, 'keelson.steps.ts': IMPORTING },
    /^keelson\.steps\.ts:1:1 {2}STEPS_NOT_LOADED {2}keelson\.steps\.ts cannot be loaded: package\.json says "type": "commonjs", so Node reads this file as CommonJS, and it has import or export\n.*\n.*rename it to keelson\.steps\.mts, or write "type": "module" in package\.json\n/,
  ],
  [
    'in a package of CommonJS, as JavaScript',
    { 'package.json': COMMON_JS, 'keelson.steps.js': 'export const fast = () => 1\n' },
    /"type": "commonjs".*\n.*\n.*rename it to keelson\.steps\.mjs/,
  ],
  [
    'written as CommonJS',
    { 'keelson.steps.mts': "const fs = require('node:fs')\nexport const fast = () => fs\n" },
    /^STEPS_NOT_LOADED .*'require' is CommonJS, and the file is read as an ES module; use `import`\n/,
  ],
  [
    'that imports a package nobody installed',
    { 'keelson.steps.mts': "import pay from 'pay-sdk'\nexport const fast = () => pay\n" },
    /^STEPS_NOT_LOADED .*the package 'pay-sdk', which it imports, is not installed; npm install pay-sdk\n/,
  ],
  [
    'that imports a file without its ending',
    { 'keelson.steps.mts': "export { fast } from './fast'\n", 'fast.ts': 'export const fast = () => 1\n' },
    /keelson\.steps\.mts imports \.\/fast, which does not exist; write the ending of the file: '\.\/fast\.ts'\n/,
  ],
  [
    'that imports TypeScript by the name of what it would be compiled to',
    { 'keelson.steps.mts': "export { fast } from './fast.js'\n", 'fast.ts': 'export const fast = () => 1\n' },
    /imports \.\/fast\.js, which does not exist; write the ending of the file: '\.\/fast\.ts'\n/,
  ],
  [
    'that imports a type as a value',
    {
      'keelson.steps.mts': "import { Order } from './o.ts'\nexport const fast = () => 1 as Order\n",
      'o.ts': 'export type Order = 1\n',
    },
    /'\.\/o\.ts' exports no 'Order' at run time(?:; |[\s\S]*)if Order is a type, write `import type \{ Order \} from '\.\/o\.ts'`/,
  ],
  [
    'with TypeScript that Node does not run',
    { 'keelson.steps.mts': 'enum Kind { A }\nexport const fast = () => Kind.A\n' },
    /^keelson\.steps\.mts:1:1 {2}STEPS_NOT_LOADED.*\n.*\n.*Node only removes types: write no enum/,
  ],
]

describe('a steps file that cannot be loaded', () => {
  it.each(CASES)('%s says so, and what to do', async (_what, files, told) => {
    const folder = folderWith({ 'p.yaml': PLAN, ...files })
    const { code, stdout, stderr } = await keelson(['run', 'p.yaml'], folder)
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(told)
    expect(stderr).not.toMatch(/^Warning/m)
  })
})

it('a steps file under a Node without TypeScript says so', async () => {
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mts': 'export const fast = () => 1\n' })
  const bare = { NODE_OPTIONS: '--no-experimental-strip-types' }
  const { code, stderr } = await keelson(['run', 'p.yaml'], folder, undefined, bare)
  expect(code).toBe(2)
  expect(stderr).toMatch(
    /this Node \(\d+\.\d+\.\d+\) was started without its support for TypeScript; remove --no-experimental-strip-types/,
  )
})

const WAYS: readonly (readonly [way: string, text: string])[] = [
  ['named exports', 'export const fast = () => 42\nexport const card = { pay: () => 1 }\n'],
  ['export default', 'export default { fast: () => 42, card: { pay: () => 1 } }\n'],
  ['export const steps', 'export const steps = { fast: () => 42, card: { pay: () => 1 } }\n'],
]

describe.each(WAYS)('step functions as %s', (_way, text) => {
  it('are called by the command line, in a thread too', async () => {
    for (const plan of [PLAN, PLAN.replace('run: fast', 'run: fast, isolation: thread')]) {
      const folder = folderWith({ 'p.yaml': plan, 'keelson.steps.mts': text })
      expect((await keelson(['plan', 'check', 'p.yaml'], folder)).code).toBe(0)
      const { code, stdout, stderr } = await keelson(['run', 'p.yaml', '--json'], folder)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(jsonLines(stdout).at(-1)).toMatchObject({ result: { output: 42 } })
    }
  })

  it('are called by a program that hands over the module', async () => {
    const folder = folderWith({ 'keelson.steps.mts': text })
    const steps = (await import(join(folder, 'keelson.steps.mts'))) as never
    await using opened = await openKeelson({ directory: ':memory:', steps })
    expect(await (await opened.start(loadPlan(PLAN))).output()).toBe(42)
  })
})

it('two functions of one name are refused, by the command line and the library', async () => {
  const text = 'export const fast = () => 1\nexport default { fast: () => 2 }\n'
  const folder = folderWith({ 'p.yaml': PLAN, 'keelson.steps.mts': text })
  const { code, stderr } = await keelson(['run', 'p.yaml'], folder)
  expect(code).toBe(2)
  expect(linesOf(stderr)[0]).toBe(
    "STEPS_AMBIGUOUS  two different functions are called 'fast': one in the named exports, one in `export default`; keep one of them, or give one another name",
  )
  const steps = { fast: () => 1, steps: { fast: () => 2 } }
  await expect(openKeelson({ directory: ':memory:', steps })).rejects.toMatchObject({ code: 'STEPS_AMBIGUOUS' })
})

describe('keelson init fits the package it finds', () => {
  it.each([
    [
      '{ "type": "commonjs" }',
      'keelson.steps.mts',
      /keelson\.steps\.mts +the functions it calls \(\.mts, since package\.json says/,
    ],
    ['{ "type": "module" }', 'keelson.steps.ts', /keelson\.steps\.ts +the functions it calls\n/],
    ['{}', 'keelson.steps.mts', /keelson\.steps\.mts +the functions it calls\n/],
    ['not JSON', 'keelson.steps.mts', /keelson\.steps\.mts/],
  ])('with package.json %s', async (manifest, name, told) => {
    const folder = folderWith({ 'package.json': manifest })
    mkdirSync(join(folder, 'in'))
    const { code, stdout } = await keelson(['init', 'in/my orders'], folder)
    expect(code).toBe(0)
    expect(stdout).toMatch(told)
    expect(stdout).toContain(`keelson run 'in/my orders/plan.yaml' --set dock=full`)
    expect(readFileSync(join(folder, 'in', 'my orders', name), 'utf8')).toContain('export const card')
    if (manifest !== 'not JSON') expect((await keelson(['run', 'in/my orders'], folder)).code).toBe(0)
  })

  it('names a steps file of another ending, too', async () => {
    const folder = folderWith({})
    writeFileSync(join(folder, 'keelson.steps.js'), 'mine')
    const { code, stderr } = await keelson(['init'], folder)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^FILES_IN_THE_WAY {2}this folder already has keelson\.steps\.js\n/)
  })
})
