/** Parts of the pages of plans that need no browser: two versions in one drawing, the fields offered in a text, inputs as form and as JSON. */
import { describe, expect, it } from 'vitest'
import { layersOf } from '../../src/core/plan/compile/layers.ts'
import { parsePlan } from '../../src/core/plan/compile/parse-plan.ts'
import type { Plan } from '../../src/core/plan/plan.ts'
import { completionsAt } from '../../web/src/editor/completion.ts'
import { indentAfter, offsetOf, placeOf } from '../../web/src/editor/text-places.ts'
import { bothPlans } from '../../web/src/plans/both-plans.ts'
import { fieldProblems } from '../../web/src/plans/field-problems.ts'
import { changedOver, draftOf, emptyDraft, readDraft } from '../../web/src/plans/input-draft.ts'
import { inputFields } from '../../web/src/plans/input-fields.ts'

function plan(...steps: readonly (readonly [id: string, after?: readonly string[]])[]): Plan {
  const written = steps.map(([id, dependsOn]) => ({ id, run: id, ...(dependsOn === undefined ? {} : { dependsOn }) }))
  const read = parsePlan(JSON.stringify({ plan: 'p', version: '1', steps: written }))
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.value.plan
}

describe('two versions in one drawing', () => {
  const layers = (before: Plan, after: Plan): Readonly<Record<string, number>> => {
    const graph = bothPlans(before, after)
    return Object.fromEntries(layersOf(graph).map((layer, at) => [graph.stepIds[at] ?? '', layer]))
  }

  it('puts a step that is gone where it was, also among steps that only have an order', () => {
    expect(layers(plan(['a'], ['x'], ['b']), plan(['a'], ['b']))).toEqual({ a: 0, x: 1, b: 2 })
  })

  it('draws no circle where steps around one that is gone changed places', () => {
    const drawn = layers(plan(['a', []], ['x', ['a']], ['b', ['x']]), plan(['b', []], ['a', ['b']]))
    // In a circle nobody would be first, and all would lie in the first layer.
    expect(drawn).toEqual({ b: 0, a: 1, x: 2 })
  })
})

describe('the fields offered in a text', () => {
  /** `|` is where one writes. */
  const offered = (written: string): readonly string[] | undefined => {
    const caret = written.indexOf('|')
    return completionsAt(written.replace('|', ''), caret)?.options.map(({ name }) => name)
  }

  it.each([
    ['at the top', 'plan: a\nver|', ['version']],
    ['in a step of a list', 'steps:\n  - id: a\n    retr|', ['retry']],
    ['right after the dash', 'steps:\n  - iso|', ['isolate', 'isolation']],
    ['in a list without depth', 'steps:\n- id: a\n  dependsO|', ['dependsOn']],
    ['below a step', 'steps:\n  - id: a\n    retry:\n      maxA|', ['maxAttempts']],
    ['after another part', 'policy:\n  retry:\n    maxAttempts: 2\n  conc|', ['concurrency']],
    ['in braces', 'steps:\n  - { id: a, retry: { maxA|', ['maxAttempts']],
    ['after braces', 'steps:\n  - { id: a, retry: { maxAttempts: 2 }, depen|', ['dependsOn']],
    [
      'in a block of steps',
      'steps:\n  - id: a\n    forEach:\n      in: input.items\n      steps:\n        - compen|',
      ['compensate'],
    ],
  ])('%s', (_, written, names) => {
    expect(offered(written)).toEqual(names)
  })

  it('nothing where a value stands, or names are one’s own', () => {
    expect(offered('steps:\n  - id: ret|')).toBeUndefined()
    expect(offered('steps:\n  - { id: ret|')).toBeUndefined()
    expect(offered('context:\n  pol|')).toBeUndefined()
  })

  it('not what stands in the same braces already', () => {
    expect(offered('steps:\n  - { retry: { maxAttempts: 2 }, retr|')).toBeUndefined()
  })
})

describe('places in a text', () => {
  it('lines and columns lead to the letter and back', () => {
    const text = 'a: 1\nbc: 2\n'
    for (const at of [0, 3, 5, 7, text.length]) expect(offsetOf(text, placeOf(text, at))).toBe(at)
  })

  it('a line begins as deep as the one before, deeper after a colon', () => {
    const text = 'steps:\n  - id: a\n    retry:'
    expect(indentAfter(text, 6)).toBe('  ')
    expect(indentAfter(text, 16)).toBe('    ')
    expect(indentAfter(text, text.length)).toBe('      ')
  })
})

describe('an input as a form and as JSON', () => {
  const fields = inputFields({
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string' },
      n: { type: 'number', exclusiveMinimum: 0 },
      any: {},
      kind: { enum: ['a', 'b'], default: 'a' },
    },
  })

  it.each([
    [{ id: 'x', kind: 'b' }],
    [{ id: 'x', n: 1.5, any: 'text', kind: 'a' }],
    [{ id: '1', any: { deep: [1] }, other: true }],
  ])('%j is the same after both ways', (input) => {
    const form = draftOf(input, fields, false)
    expect(readDraft(form, fields).input).toEqual(input)
    const json = changedOver(form, fields).draft
    expect([json.isJson, readDraft(json, fields).input]).toEqual([true, input])
    expect(readDraft(changedOver(json, fields).draft, fields).input).toEqual(input)
  })

  it('takes the defaults of the plan, and says which field is needed', () => {
    expect(readDraft(emptyDraft(fields), fields).problems).toEqual({ id: 'is needed' })
    const draft = { ...emptyDraft(fields), values: { id: 'x' } }
    expect(readDraft(draft, fields).input).toEqual({ id: 'x', kind: 'a' })
  })

  it('runs no pattern of a stranger, which could take for ever', () => {
    const slow = inputFields({ type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } })
    expect(fieldProblems(slow ?? [], { a: `${'a'.repeat(40)}!` })).toEqual({})
    const broken = inputFields({ type: 'object', properties: { a: { type: 'string', pattern: '(' } } })
    expect(fieldProblems(broken ?? [], { a: 'b' })).toEqual({})
  })

  it('tells the limits of numbers that are no whole ones', () => {
    expect(fieldProblems(fields ?? [], { id: 'x', n: '0' })).toEqual({ n: 'must be more than 0' })
    expect(fieldProblems(fields ?? [], { id: 'x', n: '1,5' })).toEqual({ n: 'must be a number, such as 12.5' })
  })
})
