/** What is typed or written into files reaches the run as it is, or is refused with its place and exit code 2. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson } from './command.ts'
import { runChild } from '../fixtures/child.ts'

const PLAN = `plan: p
version: 1.0.0
output: "\${steps.a.output}"
steps: [{ id: a, run: echo, with: { given: "\${input}" } }]
`
const FILES = { 'p.yaml': PLAN, 'keelson.steps.ts': 'export const echo = (input) => input.given\n' }

beforeAll(ensureBuilt)

async function refused(args: readonly string[], folder: string, input?: string): Promise<string> {
  const { code, stdout, stderr } = await keelson(['run', 'p.yaml', ...args], folder, input)
  expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' })
  return stderr
}

describe('--input', () => {
  it.each([
    ['{"id": 9007199254740993}', 'in.json:1:8  RUN_INPUT_INVALID'],
    ['{"a": 1,\n "b": [1e400]}', 'in.json:2:8  RUN_INPUT_INVALID'],
    ['{"a": 1, "a": 2}', 'in.json:1:10  RUN_INPUT_INVALID'],
    ['{"a": "\\ud800"}', 'in.json:1:7  RUN_INPUT_INVALID'],
  ])('%s is refused where it would be changed', async (text, told) => {
    const folder = folderWith({ ...FILES, 'in.json': text })
    expect(await refused(['--input', 'in.json'], folder)).toContain(told)
    expect(await refused(['--input', '-'], folder, text)).toContain('RUN_INPUT_INVALID')
  })

  it('that is not UTF-8 is refused at its byte, whatever the file is for', async () => {
    const folder = folderWith(FILES)
    writeFileSync(join(folder, 'in.json'), Buffer.from('{"name": "Andr\u00e9"}', 'latin1'))
    expect(await refused(['--input', 'in.json'], folder)).toContain('in.json:1:15  RUN_INPUT_INVALID')
    writeFileSync(join(folder, 'in.json'), Buffer.from('\uFEFF{"name": 1}', 'utf16le'))
    expect(await refused(['--input', 'in.json'], folder)).toContain('this is UTF-16; only UTF-8 is read')
    writeFileSync(join(folder, 'p.yaml'), Buffer.from(`${PLAN}# Andr\u00e9\n`, 'latin1'))
    expect(await refused([], folder)).toContain('p.yaml:5:7  PLAN_SYNTAX')
  })

  it('with a byte order mark, and with numbers that can be kept, is taken', async () => {
    const folder = folderWith({ ...FILES, 'in.json': '\uFEFF{"id": 9007199254740991, "big": "9007199254740993"}' })
    const { code, stdout, stderr } = await keelson(['run', 'p.yaml', '--input', 'in.json', '--json'], folder)
    expect(code, stderr).toBe(0)
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      result: { output: { id: 9007199254740991, big: '9007199254740993' } },
    })
  })
})

describe('--input on the command line itself', () => {
  it.each([
    ['{"a": 1}', { a: 1 }],
    [' [1, 2]', [1, 2]],
    ['"text"', 'text'],
    ['@in.json', { from: 'a file' }],
    ['in.json', { from: 'a file' }],
    ['@-', { from: 'a pipe' }],
    ['./{odd}.json', { from: 'an odd name' }],
    ['@{odd}.json', { from: 'an odd name' }],
  ])('%s is taken', async (given, output) => {
    const folder = folderWith({ ...FILES, 'in.json': '{"from":"a file"}', '{odd}.json': '{"from":"an odd name"}' })
    const { code, stdout, stderr } = await keelson(
      ['run', 'p.yaml', '--input', given, '--json'],
      folder,
      '{"from":"a pipe"}',
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(jsonLines(stdout).at(-1)).toMatchObject({ result: { output } })
  })

  it.each([
    [
      '{a: 1}',
      /^USAGE {2}--input: .*\(line 1, column 2\), in \{a: 1\}; JSON has its names in double quotes, and the shell/,
    ],
    ['{"a": 9007199254740993}', /^RUN_INPUT_INVALID {2}--input: .*put the number in quotes/],
    ['no.json', /^FILE_NOT_FOUND {2}--input: there is no file no\.json; JSON that stands here begins with \{, \[ or "/],
    ['@no.json', /^FILE_NOT_FOUND {2}--input: there is no file no\.json/],
    ['a=1', /^FILE_NOT_FOUND .*--set name=value/],
    ['42', /^FILE_NOT_FOUND {2}--input: there is no file 42; for a single field: --set/],
    ['@', /^USAGE {2}--input takes JSON, a file/],
    ['.', /^FILE_NOT_FOUND {2}\. is a folder/],
  ])('%s is refused in words', async (given, told) => {
    expect(await refused(['--input', given], folderWith(FILES))).toMatch(told)
  })
})

describe('--set', () => {
  it.each(['id=9007199254740993', 'id={"deep":[12345678901234567890]}', 'id=1e999'])(
    '%s is refused by its name; in quotes it is text',
    async (setting) => {
      expect(await refused(['--set', setting], folderWith(FILES))).toMatch(/RUN_INPUT_INVALID {2}--set id: the number/)
    },
  )

  it('with bytes that are not UTF-8 is refused', () => {
    const bin = join(ROOT, 'bin', 'keelson.js')
    const shell = `"${process.execPath}" "${bin}" run p.yaml --set "name=Andr$(printf '\\351')"`
    const { status, stderr } = runChild('sh', ['-c', shell], { cwd: folderWith(FILES) })
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining('--set name holds bytes that are not UTF-8') as string,
    })
  })

  it('keeps text as text and numbers as numbers', async () => {
    const args = ['run', 'p.yaml', '--json', '--set', 'a="9007199254740993"', '--set', 'b=7', '--set', 'c=plain {text']
    const { stdout } = await keelson(args, folderWith(FILES))
    expect(jsonLines(stdout).at(-1)).toMatchObject({
      result: { output: { a: '9007199254740993', b: 7, c: 'plain {text' } },
    })
  })
})
