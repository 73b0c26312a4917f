import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { compilePlan } from './compile.ts'

function told(text: string): readonly string[] {
  const compiled = compilePlan(text)
  return compiled.ok ? [] : compiled.problems.map(({ code, pointer }) => `${code} ${pointer}`)
}

const plan = (...steps: string[]): string =>
  `plan: a\nversion: "1"\nsteps:\n${steps.map((step) => `  - ${step}\n`).join('')}`

describe('a compiled plan', () => {
  it('is identified by the SHA-256 of its canonical text, whatever the order of its fields', () => {
    const one = compilePlan('plan: a\nversion: "1"\nsteps: [{ id: s, run: f, with: { b: 1, a: é } }]')
    const two = compilePlan('{"steps":[{"with":{"a":"\\u00e9","b":1},"run":"f","id":"s"}],"version":"1","plan":"a"}')
    if (!one.ok || !two.ok) throw new Error('both must compile')
    expect(one.value.text).toBe(two.value.text)
    expect(one.value.sha256).toBe(createHash('sha256').update(two.value.text, 'utf8').digest('hex'))
    expect(one.value.text.startsWith('{"context":{},"metadata":{"fallbackBehavior":"reject"')).toBe(true)
  })
})

describe('expressions', () => {
  it.each([
    ['bad syntax', '{ id: s, run: f, if: "input.[" }', 'EXPR_INVALID_SYNTAX /steps/0/if'],
    ['an open brace', '{ id: s, run: f, with: { a: "x ${input.b" } }', 'EXPR_INVALID_SYNTAX /steps/0/with/a'],
    ['an unknown function', '{ id: s, run: f, unless: "eval(input.a)" }', 'EXPR_INVALID_SYNTAX /steps/0/unless'],
    ['a prototype', '{ id: s, run: f, if: "input.__proto__.x" }', 'EXPR_INVALID_SYNTAX /steps/0/if'],
    [
      'a constructor',
      '{ id: s, run: f, with: { a: "${input.\\"constructor\\"}" } }',
      'EXPR_INVALID_SYNTAX /steps/0/with/a',
    ],
    [
      'eleven levels',
      `{ id: s, run: f, if: "${'to_array('.repeat(11)}input${')'.repeat(11)}" }`,
      'EXPR_TOO_COMPLEX /steps/0/if',
    ],
    ['too long a text', `{ id: s, run: f, if: "input.${'a'.repeat(5000)}" }`, 'EXPR_TOO_COMPLEX /steps/0/if'],
    ['an unknown step', '{ id: s, run: f, if: "steps.t.output" }', 'EXPR_STEP_NOT_FOUND /steps/0/if'],
    ['itself', '{ id: s, run: f, if: "steps.s.output" }', 'EXPR_STEP_NOT_COMPLETED /steps/0/if'],
    ['an unknown field of a step', '{ id: s, run: f, if: "steps.s.outptu" }', 'EXPR_PATH_NOT_FOUND /steps/0/if'],
    ['an unknown root', '{ id: s, run: f, if: "env.HOME" }', 'EXPR_ROOT_UNKNOWN /steps/0/if'],
    ['a variable of its own', '{ id: s, run: f, if: "let $a = input in $a" }', 'EXPR_INVALID_SYNTAX /steps/0/if'],
    ['all steps at once', '{ id: s, run: f, if: "length(steps)" }', 'EXPR_INVALID_SYNTAX /steps/0/if'],
    [
      'a transform that is none',
      '{ id: s, run: f, capture: [{ destination: a, transform: "a.[" }] }',
      'EXPR_INVALID_SYNTAX /steps/0/capture/0/transform',
    ],
  ])('with %s are refused [DFL-09]', (_, step, expected) => {
    expect(told(plan(step))).toEqual([expected])
  })

  it.each([
    'http: { url: "https://x.example/${nope.id}" }',
    'http: { url: "https://x.example", headers: { h: "${nope}" } }',
    'http: { url: "https://x.example", query: { q: "${nope}" } }',
    'http: { url: "https://x.example", body: [{ b: "${nope}" }] }',
    'command: { argv: [ls, "${nope}"] }',
    'command: { argv: [ls], cwd: "${nope}" }',
    'command: { argv: [ls], env: { E: "${nope}" } }',
    'command: { argv: [ls], stdin: "${nope}" }',
    'wait: { forMs: "${nope}" }',
    'wait: { until: "${nope}" }',
    'manual: { title: "${nope}" }',
    'manual: { title: t, instructions: "${nope}" }',
    'manual: { title: t, assignees: ["${nope}"] }',
    'dbt: { project: p, select: "${nope}" }',
    'run: f, with: { deep: { list: [1, "${nope}"] } }',
    'run: f, forEach: nope',
    'run: f, compensate: { run: g, with: { a: "${nope}" } }',
    'run: f, fallback: { run: g, with: { a: "${nope}" } }',
  ])('are found wherever they may stand: %s [DFL-09]', (fields) => {
    expect(told(plan(`{ id: s, ${fields} }`)).map((line) => line.split(' ')[0])).toEqual(['EXPR_ROOT_UNKNOWN'])
  })

  it('may read input, context and run anywhere, and $${ is a literal', () => {
    expect(
      told(plan('{ id: s, run: f, with: { a: "${input.a || context.b}", b: "${run.id}", c: "$${nope}" } }')),
    ).toEqual([])
  })

  it('in a sequential plan read only earlier steps, by order and not by position [DFL-09]', () => {
    expect(told(plan('{ id: a, run: f }', '{ id: b, run: f, with: { x: "${steps.a.output}" } }'))).toEqual([])
    expect(told(plan('{ id: a, run: f, with: { x: "${steps.b.output}" } }', '{ id: b, run: f }'))).toEqual([
      'EXPR_STEP_NOT_COMPLETED /steps/0/with/x',
    ])
    const turned = plan('{ id: a, order: 2, run: f, with: { x: "${steps.b.output}" } }', '{ id: b, order: 1, run: f }')
    expect(told(turned)).toEqual([])
  })

  it('in a graph read only ancestors, near or far [DFL-09]', () => {
    const graph = (expression: string): string =>
      plan(
        '{ id: a, run: f, dependsOn: [] }',
        '{ id: b, run: f, dependsOn: [a] }',
        '{ id: c, run: f, dependsOn: [b] }',
        `{ id: d, run: f, dependsOn: [c], if: "${expression}" }`,
        '{ id: e, run: f, dependsOn: [a] }',
      )
    expect(told(graph('steps.a.output && steps.b.output && steps.c.output'))).toEqual([])
    expect(told(graph('steps.e.output'))).toEqual(['EXPR_STEP_NOT_COMPLETED /steps/3/if'])
  })

  it('read previous only where there is exactly one predecessor [X-74]', () => {
    const uses = 'with: { x: "${previous.id}" }'
    expect(told(plan('{ id: a, run: f }', `{ id: b, run: f, ${uses} }`))).toEqual([])
    expect(told(plan(`{ id: a, run: f, ${uses} }`))).toEqual(['EXPR_PREVIOUS_AMBIGUOUS /steps/0/with/x'])
    const join = (dependsOn: string): string =>
      plan('{ id: a, run: f }', '{ id: b, run: f }', `{ id: c, run: f, dependsOn: [${dependsOn}], ${uses} }`)
    expect(told(join('a'))).toEqual([])
    expect(told(join('a, b'))).toEqual(['EXPR_PREVIOUS_AMBIGUOUS /steps/2/with/x'])
    expect(told(join(''))).toEqual(['EXPR_PREVIOUS_AMBIGUOUS /steps/2/with/x'])
  })

  it('read item and index only in a forEach step, and not in what decides it', () => {
    expect(told(plan('{ id: a, run: f, forEach: input.l, with: { x: "${item.a}", y: "${index}" } }'))).toEqual([])
    expect(told(plan('{ id: a, run: f, with: { x: "${item.a}" } }'))).toEqual(['EXPR_ROOT_UNKNOWN /steps/0/with/x'])
    expect(told(plan('{ id: a, run: f, forEach: input.l, if: item.a }'))).toEqual(['EXPR_ROOT_UNKNOWN /steps/0/if'])
    expect(told(plan('{ id: a, run: f, forEach: item.l }'))).toEqual(['EXPR_ROOT_UNKNOWN /steps/0/forEach'])
  })

  it('of a compensation may read the output of its own step', () => {
    const own = 'with: { x: "${steps.a.output.id}" }'
    expect(told(plan(`{ id: a, run: f, compensate: { run: g, ${own} } }`))).toEqual([])
    expect(told(plan(`{ id: a, run: f, fallback: { run: g, ${own} } }`))).toEqual([
      'EXPR_STEP_NOT_COMPLETED /steps/0/fallback/with/x',
    ])
  })

  it('of the output read any step, but no item and no previous', () => {
    const output = (expression: string): string => `${plan('{ id: a, run: f }')}output: { x: "\${${expression}}" }`
    expect(told(output('steps.a.output'))).toEqual([])
    expect(told(output('steps.b.output'))).toEqual(['EXPR_STEP_NOT_FOUND /output/x'])
    expect(told(output('item'))).toEqual(['EXPR_ROOT_UNKNOWN /output/x'])
    expect(told(output('previous'))).toEqual(['EXPR_PREVIOUS_AMBIGUOUS /output/x'])
  })
})

describe('JSON Schemas in a plan', () => {
  it.each([
    ['inputs', `inputs: { type: objekt }\n${plan('{ id: s, run: f }')}`, '/inputs'],
    ['inputSchema', plan('{ id: s, run: f, inputSchema: { required: x } }'), '/steps/0/inputSchema'],
    ['outputSchema', plan('{ id: s, run: f, outputSchema: { properties: [] } }'), '/steps/0/outputSchema'],
    [
      'evidenceSchema',
      plan('{ id: s, manual: { title: t, evidenceSchema: { type: 5 } } }'),
      '/steps/0/manual/evidenceSchema',
    ],
    [
      'a reference to elsewhere',
      plan('{ id: s, run: f, inputSchema: { $ref: "https://x.example/s" } }'),
      '/steps/0/inputSchema',
    ],
  ])('must be valid: %s', (_, text, pointer) => {
    expect(told(text)).toEqual([`PLAN_SCHEMA_INVALID ${pointer}`])
  })

  it('may use what 2020-12 brought', () => {
    expect(
      told(plan('{ id: s, run: f, inputSchema: { prefixItems: [{ type: string }], unevaluatedItems: false } }')),
    ).toEqual([])
  })
})

describe('problems of all checks', () => {
  it('are told together, in the order of the text', () => {
    const compiled = compilePlan(`plan: a
version: "1"
inputs: { type: objekt }
steps:
  - id: s
    runn: f
    run: f
    if: "steps.x.output"
  - id: t
    dependsOn: [q]
    run: g
`)
    const lines = compiled.ok ? [] : compiled.problems.map(({ code, at }) => `${at?.line} ${code}`)
    expect(lines).toEqual([
      '3 PLAN_SCHEMA_INVALID',
      '6 INVALID_STEP_SCHEMA',
      '8 EXPR_STEP_NOT_FOUND',
      '10 PLAN_UNKNOWN_DEPENDENCY',
    ])
  })
})
