/** The first minutes: a project from nothing that runs at once, and what can be asked about its plan. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, linesOf } from './command.ts'

beforeAll(ensureBuilt)

describe('keelson init', () => {
  it('makes a project whose plan is whole and runs at once, with retries, a fan-out and undoing', async () => {
    const folder = folderWith({})
    const made = await keelson(['init'], folder)
    expect({ code: made.code, stderr: made.stderr }).toEqual({ code: 0, stderr: '' })
    expect(linesOf(made.stdout).filter((line) => /^ {2}(npx )?keelson /.test(line))).toHaveLength(3)
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('.keelson/\n')

    expect((await keelson(['plan', 'check', 'plan.yaml'], folder)).code).toBe(0)
    const good = await keelson(['run', 'plan.yaml', '--json'], folder)
    expect({ code: good.code, stderr: good.stderr }).toEqual({ code: 0, stderr: '' })
    const types = jsonLines(good.stdout).map((line) => line['eventType'])
    expect(types.filter((type) => type === 'StepFailed')).toHaveLength(2)
    expect(types).toContain('FanOutExpanded')

    const bad = await keelson(['run', 'plan.yaml', '--set', 'dock=full'], folder)
    expect(bad.code).toBe(1)
    expect(bad.stdout).toMatch(/✖ failed after .* ship {2,3}DOCK_FULL[\s\S]*undone +pack \(3\), charge, reserve\n/)
    const why = await keelson(['why', 'last'], folder)
    expect(why.stdout).toMatch(/ship has failed\n +1 {2}it failed in attempt 1 with DOCK_FULL "the dock is full"/)
  })

  it('gives the editor a schema file that is there, without a network', async () => {
    const folder = folderWith({})
    await keelson(['init', 'orders'], folder)
    const [first = ''] = linesOf(readFileSync(join(folder, 'orders', 'plan.yaml'), 'utf8'))
    const path = /^# yaml-language-server: \$schema=(.+)$/.exec(first)?.[1] ?? ''
    const schema = JSON.parse(readFileSync(join(folder, 'orders', path), 'utf8')) as Readonly<Record<string, unknown>>
    expect(schema).toHaveProperty('$schema')
    expect(schema['properties']).toHaveProperty('steps')
  })

  it('points to the installed package where there is one, and copies nothing', async () => {
    const folder = folderWith({})
    mkdirSync(join(folder, 'node_modules', 'keelson', 'schemas'), { recursive: true })
    writeFileSync(join(folder, 'node_modules', 'keelson', 'schemas', 'plan.schema.json'), '{}')
    await keelson(['init', 'orders'], folder)
    expect(readFileSync(join(folder, 'orders', 'plan.yaml'), 'utf8')).toContain(
      '$schema=../node_modules/keelson/schemas/plan.schema.json',
    )
    expect(existsSync(join(folder, 'orders', 'plan.schema.json'))).toBe(false)
    expect(readFileSync(join(folder, 'orders', 'keelson.steps.mts'), 'utf8')).toContain(
      "import type { StepContext } from 'keelson'",
    )
  })

  it('overwrites nothing: it names what is there, and writes none of the rest', async () => {
    const folder = folderWith({ 'plan.yaml': 'mine', 'keelson.steps.ts': 'mine too' })
    const { code, stderr } = await keelson(['init'], folder)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^FILES_IN_THE_WAY {2}this folder already has plan\.yaml, keelson\.steps\.ts\n/)
    expect(readFileSync(join(folder, 'plan.yaml'), 'utf8')).toBe('mine')
    expect(existsSync(join(folder, '.gitignore'))).toBe(false)
  })

  it('adds its line to a .gitignore once, and answers as JSON', async () => {
    const folder = folderWith({ '.gitignore': 'node_modules' })
    const [line] = jsonLines((await keelson(['init', '--json'], folder)).stdout)
    expect(line).toMatchObject({ folder: '.', created: ['plan.yaml', 'keelson.steps.mts', 'plan.schema.json'] })
    expect(line?.['next']).toHaveLength(3)
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('node_modules\n.keelson/\n')
  })
})

const STEPS = 'export const f = () => 1\nexport const slow = () => new Promise((go) => setTimeout(go, 60_000))\n'
const DIAMOND = `plan: p
version: 1.0.0
steps:
  - { id: a, run: f, dependsOn: [] }
  - { id: b, run: f, dependsOn: [a] }
  - { id: c, run: f, dependsOn: [a] }
  - { id: d, manual: { title: Look }, dependsOn: [b, c] }
`

describe('keelson plan', () => {
  it('compile gives the very bytes that its hash is of, to a pipe and to a file', async () => {
    const folder = folderWith({ 'p.yaml': DIAMOND })
    const piped = await keelson(['plan', 'compile', 'p.yaml'], folder)
    const written = await keelson(['plan', 'compile', 'p.yaml', '--out', 'p.json', '--json'], folder)
    const [{ sha256 } = {}] = jsonLines(written.stdout)
    expect(createHash('sha256').update(piped.stdout).digest('hex')).toBe(sha256)
    expect(readFileSync(join(folder, 'p.json'), 'utf8')).toBe(piped.stdout)
    const [again] = jsonLines(
      (
        await keelson(
          ['plan', 'check', 'p.json', '--steps', 's.mjs', '--json'],
          folderWith({ 'p.json': piped.stdout, 's.mjs': STEPS }),
        )
      ).stdout,
    )
    expect(again?.['sha256']).toBe(sha256)
  })

  it('graph draws the layers, and the edges for Mermaid and DOT', async () => {
    const folder = folderWith({ 'p.yaml': DIAMOND })
    const { stdout } = await keelson(['plan', 'graph', 'p.yaml'], folder)
    expect(linesOf(stdout).map((line) => line.trimEnd())).toEqual([
      'p 1.0.0   4 steps in 3 layers',
      '',
      '  1 ● a  f               3 attempts',
      '    │',
      '  2 ┬ b  f               3 attempts   after a',
      '    └ c  f               3 attempts   after a',
      '    │',
      '  3 ● d  a person: Look  after b, c',
    ])
    const mermaid = await keelson(['plan', 'graph', 'p.yaml', '--format', 'mermaid'], folder)
    expect(linesOf(mermaid.stdout).filter((line) => line.includes('-->'))).toHaveLength(4)
    const dot = await keelson(['plan', 'graph', 'p.yaml', '--format', 'dot'], folder)
    expect(dot.stdout).toMatch(/^digraph "p 1\.0\.0" \{\n[\s\S]* {2}s1 -> s3;\n[\s\S]*\}\n$/)
    const json = jsonLines((await keelson(['plan', 'graph', 'p.yaml', '--json'], folder)).stdout)
    expect(json.map(({ stepId, layer }) => [stepId, layer])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 2],
      ['d', 3],
    ])
  })

  it('diff tells steps and fields in words, and which runs stay on the old version and where they stand', async () => {
    const changed = DIAMOND.replace('1.0.0', '1.1.0').replace(
      'id: b, run: f',
      'id: b, run: f, retry: { maxAttempts: 5 }',
    )
    const folder = folderWith({
      'old.yaml': DIAMOND.replace('run: f, dependsOn: [a] }\n  - { id: d', 'run: slow, dependsOn: [a] }\n  - { id: d'),
      'new.yaml': changed.replace(/.*id: d.*\n/, '  - { id: e, run: f, dependsOn: [c] }\n'),
      'keelson.steps.mjs': STEPS,
    })
    const nothing = await keelson(['plan', 'diff', 'old.yaml', 'old.yaml'], folder)
    expect(nothing.stdout).toBe('the plans are the same\n')
    expect(existsSync(join(folder, '.keelson'))).toBe(false)
    const run = new Command(['run', 'old.yaml'], folder)
    await run.shows(/▸ c/)
    const { code, stdout } = await keelson(['plan', 'diff', 'old.yaml', 'new.yaml'], folder)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^~ metadata\.planVersion: "1\.0\.0" → "1\.1\.0"\n- step d is gone.*\n\+ step e is new/)
    expect(stdout).toMatch(/~ step b\n {4}retry\.maxAttempts: 3 → 5\n/)
    expect(stdout).toMatch(
      /1 run of an older version goes on .*\n {2}[0-9a-f]{8} {2}1\.0\.0 {2}RUNNING {2}\d\/4 {2}at .*c/,
    )
    const [json] = jsonLines((await keelson(['plan', 'diff', 'old.yaml', 'new.yaml', '--json'], folder)).stdout)
    expect(json).toMatchObject({ added: ['e'], removed: ['d'], runs: [{ version: 'old', status: 'RUNNING' }] })
  })
})
