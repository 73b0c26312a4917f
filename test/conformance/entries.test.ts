/** Entries as people write them: what is wrong is told where it is; a plan by itself is an entry. */
import { describe, expect, it } from 'vitest'
import { compareEngines } from '../../src/app/conformance/compare-engines.ts'
import { readEntry } from '../../src/app/conformance/read-entry.ts'
import { PLAYING } from '../../src/compose/conformance-engines.ts'
import { compileText, importText } from '../../src/library/plans/compile-apart.ts'
import { engineOf, entryOf, nothingBeside, playOn } from './played.ts'

const DOORS = { compile: compileText, importForeign: importText }

function problemsOf(text: string): readonly string[] {
  const read = readEntry({ file: 'bad.yaml', name: 'bad', text, readBeside: nothingBeside, ...DOORS })
  if (read.ok) return []
  return read.problems.map(({ code, message, at, hint }) => {
    const where = at === undefined ? '' : `${at.file ?? ''}:${at.line}:${at.column} `
    return `${where}${code} ${message}${hint === undefined ? '' : ` (${hint})`}`
  })
}

const PLAN = 'plan: { plan: p, version: 1.0.0, steps: [{ id: a, run: f }] }'

describe('a bad entry', () => {
  it.each([
    [
      'an unknown field',
      `${PLAN}\nscrpt: {}`,
      `bad.yaml:2:1 ENTRY_INVALID 'scrpt' is not a field of an entry (did you mean 'script'?)`,
    ],
    [
      'a wrong act',
      `${PLAN}\nscript:\n  a: [{ fail: BUSY }]`,
      `bad.yaml:3:15 ENTRY_INVALID 'fail' must be an object (a failure), not 'BUSY'`,
    ],
    [
      'no act',
      `${PLAN}\nscript: { a: [] }`,
      `bad.yaml:2:14 ENTRY_INVALID 'a' must be a list of at least 1 × an object (an act), not an empty list`,
    ],
    ['an unknown event', `${PLAN}\nuntil:\n  - { event: StepDelayed }`, 'bad.yaml:3:14 ENTRY_INVALID'],
    [
      'an unknown signal',
      `${PLAN}\nmoves: [{ when: { event: RunStarted }, send: HALT }]`,
      'bad.yaml:2:46 ENTRY_INVALID',
    ],
    [
      'a move that does nothing',
      `${PLAN}\nmoves:\n  - { when: { event: RunStarted } }`,
      `bad.yaml:3:5 ENTRY_INVALID a move needs exactly one of 'send', 'event', 'complete' and 'fork'`,
    ],
    [
      'a fault in its plan',
      'plan:\n  plan: p\n  version: 1.0.0\n  steps: [{ id: a, rum: f }]',
      `bad.yaml:4:20 INVALID_STEP_SCHEMA 'rum' is not a field of a step (did you mean 'run'?)`,
    ],
    [
      'a fault in a child plan',
      `${PLAN}\nplans:\n  - { plan: c, version: 1.0.0, steps: [{ id: a, run: f, if: 'nothing.here' }] }`,
      'bad.yaml:3:61 EXPR_ROOT_UNKNOWN',
    ],
    ['no YAML', 'plan: { plan: [', 'bad.yaml:1:'],
  ])('is refused at its line and column: %s', (_what, text, expected) => {
    expect(problemsOf(text).join('\n')).toContain(expected)
  })

  it('tells all its problems at once', () => {
    const all = problemsOf(`${PLAN}\nmoves: [{ send: HALT }]\nexpect: { status: DONE }\nsteps: []`)
    expect(all.map((line) => line.split(' ')[0])).toEqual([
      'bad.yaml:2:9',
      'bad.yaml:2:17',
      'bad.yaml:3:19',
      'bad.yaml:4:1',
    ])
  })
})

it('a plan by itself is an entry whose steps give back their input', async () => {
  const entry = entryOf(
    'plan: bare\nversion: 1.0.0\nsteps: [{ id: a, run: f, with: { n: 3 } }]\noutput: "${steps.a.output}"',
  )
  expect(await playOn('mock', entry)).toMatchObject({ status: 'COMPLETED', output: { n: 3 } })
})

it('an entry may name the file its plan is in', () => {
  const asked: string[] = []
  const read = readEntry({
    file: 'entries/one.yaml',
    name: 'one',
    text: 'planFile: ../plan.yaml\nscript: { a: [{ output: 1 }] }',
    ...DOORS,
    readBeside: (path) => {
      asked.push(path)
      return { file: 'plan.yaml', text: 'plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f }]' }
    },
  })
  expect(asked).toEqual(['../plan.yaml'])
  expect(read).toMatchObject({ ok: true, value: { name: 'one', plan: { plan: { metadata: { planId: 'p' } } } } })
})

it('an entry may name a workflow of another project, with its matrices, and is refused at the lines of these', () => {
  const files: Readonly<Record<string, string>> = {
    'flow.json': '{ "id": "flow", "version": "1.0.0", "steps": [{ "id": "a", "agentId": "f" }] }',
    'wrong.json': '{ "id": "flow", "version": "1.0.0",\n"steps": [{ "id": "a" }] }',
  }
  const beside = 'plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f }]'
  const readBeside = (path: string) => ({ file: path, text: files[path] ?? beside })
  const read = (text: string) => readEntry({ file: 'one.yaml', name: 'one', text, ...DOORS, readBeside })
  expect(read('importFile: flow.json\ninput: { n: 1 }')).toMatchObject({
    ok: true,
    value: { input: { n: 1 }, plan: { plan: { metadata: { planId: 'flow' }, steps: [{ run: 'f' }] } } },
  })
  expect(read('importFile: wrong.json')).toMatchObject({
    problems: [{ code: 'WORKFLOW_INVALID', at: { file: 'wrong.json', line: 2 } }],
  })
  expect(read('planFile: plan.yaml\nimportFile: flow.json')).toMatchObject({
    problems: [{ message: "an entry has one of 'plan', 'planFile' and 'importFile'" }],
  })
  expect(read('planFile: plan.yaml\nmatrixFiles: [m.json]').ok).toBe(false)
})

it('an entry that never ends is given up, with what it waits for', async () => {
  const entry = entryOf(
    `${PLAN}\nscript: { a: [{ until: { event: RunPaused } }] }\nmoves: [{ when: { event: RunFailed }, send: CANCEL }]`,
  )
  const report = await compareEngines([await engineOf('embedded')], [entry], { ...PLAYING, patienceMs: 1_000 })
  expect(report).toMatchObject({ plans: 1, equal: 0, different: 1 })
  expect(report.differences[0]).toMatchObject({ kind: 'stuck', entry: 'entry' })
  expect(report.differences[0]?.message).toContain('move 1 waits for {"event":"RunFailed"}')
  expect(report.differences[0]?.message).toContain('a handler waits for {"event":"RunPaused"}')
})

it('what an entry expects is held against every engine, with the end of the log', async () => {
  const entry = entryOf(`${PLAN}\nexpect: { status: FAILED }`)
  const report = await compareEngines([await engineOf('mock')], [entry], PLAYING)
  expect(report.differences[0]).toMatchObject({
    kind: 'expectation',
    message: 'its status is not what the entry expects',
    left: { found: '"COMPLETED"' },
    right: { found: '"FAILED"' },
  })
  expect(report.differences[0]?.left.around).toContain('RunCompleted RUN#1')
})
