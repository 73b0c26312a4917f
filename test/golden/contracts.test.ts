/** A change of a contract has a level, and its version says so: each rule on a small schema, then the real contracts. */
import { describe, expect, it } from 'vitest'
import { apiChanges } from '../../scripts/contracts/api-change.ts'
import { isAtLeast, levelOf, nextVersion, type Fields, type Json } from '../../scripts/contracts/change.ts'
import { CONTRACTS, judge, releasedOf, versions, type Contract } from '../../scripts/contracts/contracts.ts'
import { schemaChanges } from '../../scripts/contracts/schema-change.ts'

const OBJECT = {
  type: 'object',
  title: 'An order',
  properties: {
    id: { type: 'string', maxLength: 10, pattern: '^o' },
    count: { type: 'integer', minimum: 1 },
    status: { enum: ['NEW', 'PAID'] },
  },
  required: ['id'],
  additionalProperties: false,
} as const satisfies Json

const withProperty = (name: string, schema: Json): Json => ({
  ...OBJECT,
  properties: { ...OBJECT.properties, [name]: schema },
})
const { count: _count, ...withoutCount } = OBJECT.properties

const CASES: readonly (readonly [string, Json, string])[] = [
  ['nothing', OBJECT, 'none'],
  ['wording', { ...OBJECT, title: 'An order of goods' }, 'PATCH'],
  ['a new optional field', withProperty('note', { type: 'string' }), 'MINOR'],
  ['a new required field', { ...OBJECT, properties: { ...OBJECT.properties, a: {} }, required: ['id', 'a'] }, 'MAJOR'],
  ['a field that is required now', { ...OBJECT, required: ['id', 'count'] }, 'MAJOR'],
  ['a field that is optional now', { ...OBJECT, required: [] }, 'MINOR'],
  ['a removed field', { ...OBJECT, properties: withoutCount }, 'MAJOR'],
  ['a renamed field', { ...OBJECT, properties: { ...withoutCount, amount: OBJECT.properties.count } }, 'MAJOR'],
  ['a retyped field', withProperty('count', { type: 'string' }), 'MAJOR'],
  ['a type more', withProperty('count', { type: ['integer', 'null'], minimum: 1 }), 'MINOR'],
  ['numbers where whole ones were', withProperty('count', { type: 'number', minimum: 1 }), 'MINOR'],
  ['whole numbers where any were', withProperty('status', { type: 'integer' }), 'MAJOR'],
  ['a value more', withProperty('status', { enum: ['NEW', 'PAID', 'SENT'] }), 'MINOR'],
  ['a narrowed enum', withProperty('status', { enum: ['NEW'] }), 'MAJOR'],
  ['a constant instead of an enum', withProperty('status', { const: 'NEW' }), 'MAJOR'],
  ['a higher minimum', withProperty('count', { type: 'integer', minimum: 2 }), 'MAJOR'],
  ['a lower minimum', withProperty('count', { type: 'integer', minimum: 0 }), 'MINOR'],
  ['no minimum', withProperty('count', { type: 'integer' }), 'MINOR'],
  ['a shorter text', withProperty('id', { type: 'string', maxLength: 9, pattern: '^o' }), 'MAJOR'],
  ['a longer text', withProperty('id', { type: 'string', maxLength: 11, pattern: '^o' }), 'MINOR'],
  ['another pattern', withProperty('id', { type: 'string', maxLength: 10, pattern: '^p' }), 'MAJOR'],
  ['other fields are allowed now', { ...OBJECT, additionalProperties: true }, 'MINOR'],
  ['a keyword that nobody knows', { ...OBJECT, unevaluatedProperties: false }, 'MAJOR'],
]

it.each(CASES)('%s has the level of its rule [VER-01]', (_what, after, level) => {
  expect(levelOf(schemaChanges(OBJECT, after))).toBe(level)
})

it('alternatives: one more is MINOR, one less is MAJOR; of what holds together it is the other way round [VER-01]', () => {
  const [a, b, c] = [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] as const
  expect(levelOf(schemaChanges({ anyOf: [a, b] }, { anyOf: [a, b, c] }))).toBe('MINOR')
  expect(levelOf(schemaChanges({ oneOf: [a, b, c] }, { oneOf: [a, c] }))).toBe('MAJOR')
  expect(levelOf(schemaChanges({ allOf: [a] }, { allOf: [a, b] }))).toBe('MAJOR')
  expect(levelOf(schemaChanges({ allOf: [a, b] }, { allOf: [a] }))).toBe('MINOR')
  expect(schemaChanges({ items: a }, { items: b })).toEqual([
    { level: 'MAJOR', at: '/items/type', what: 'another or a narrower type' },
  ])
})

describe('an interface', () => {
  const route = {
    summary: 'Reads',
    parameters: [{ in: 'query', name: 'limit', required: false, schema: { type: 'integer' } }],
    responses: { '200': { content: { 'application/json': { schema: OBJECT } } } },
  } as const satisfies Json
  const of = (get: Json, more: Fields = {}): Json => ({ paths: { '/v1/a': { get }, ...more } })
  const parameter = (name: string, required: boolean): Json => ({ in: 'query', name, required, schema: {} })

  it.each<readonly [string, Json, string]>([
    ['another summary', of({ ...route, summary: 'Gives' }), 'PATCH'],
    ['a new route', of(route, { '/v1/b': {} }), 'MINOR'],
    ['a removed route', { paths: {} }, 'MAJOR'],
    ['a new optional parameter', of({ ...route, parameters: [...route.parameters, parameter('a', false)] }), 'MINOR'],
    ['a new required parameter', of({ ...route, parameters: [...route.parameters, parameter('a', true)] }), 'MAJOR'],
    ['a removed parameter', of({ ...route, parameters: [] }), 'MAJOR'],
    ['a removed answer', of({ ...route, responses: {} }), 'MAJOR'],
    ['a new answer', of({ ...route, responses: { ...route.responses, '404': {} } }), 'MINOR'],
  ])('with %s has the level of its rule [VER-01]', (_what, after, level) => {
    expect(levelOf(apiChanges(of(route), after))).toBe(level)
  })
})

it('the least version of a change, before and after 1.0.0 [VER-01]', () => {
  const levels = ['none', 'PATCH', 'MINOR', 'MAJOR'] as const
  expect(levels.map((level) => nextVersion('1.2.3', level))).toEqual(['1.2.3', '1.2.4', '1.3.0', '2.0.0'])
  expect(levels.map((level) => nextVersion('0.1.0', level))).toEqual(['0.1.0', '0.1.1', '0.2.0', '0.2.0'])
  expect(isAtLeast('1.10.0', '1.9.9')).toBe(true)
  expect(isAtLeast('1.9.9', '1.10.0')).toBe(false)
})

function contract(name: string): Contract {
  const found = CONTRACTS.find((one) => one.name === name)
  if (found === undefined) throw new Error(`no contract ${name}`)
  return found
}

it.each(CONTRACTS.map(({ name }) => name))('%s: its next version says what changed since its release [VER-01]', (name) => {
  const one = contract(name)
  expect(judge(one, releasedOf(one), one.current(), versions()[name] ?? '').problems).toEqual([])
})

it('another move or another key is MAJOR, and fails without it [VER-01]', () => {
  const one = contract('execution-semantics')
  const released = releasedOf(one)
  const moved = { ...(one.current() as Fields), transitions: '0'.repeat(64) }
  expect(judge(one, released, moved, '1.9.0').problems).toEqual([
    'execution-semantics needs 2.0.0 or more, and says 1.9.0',
  ])
  const keyed = { ...(one.current() as Fields), keyVectors: {} }
  expect(judge(one, released, keyed, '1.9.0', () => true).least).toBe('2.0.0')
})

it('an event that is gone is MAJOR, a new one is MINOR [VER-01]', () => {
  const one = contract('run-events')
  const now = one.current() as Fields
  const { 'RunForked.record': _gone, ...rest } = now
  expect(levelOf(one.changes(now, rest))).toBe('MAJOR')
  expect(levelOf(one.changes(rest, now))).toBe('MINOR')
})

it('a first number that goes up needs tests of both ways, in the folder that is named for it [VER-04]', () => {
  const one = contract('run-events')
  const [released, now] = [releasedOf(one), one.current()]
  const asked: string[] = []
  const none = (folder: string): boolean => asked.push(folder) === 0
  expect(judge(one, released, now, '2.0.0', none).problems).toEqual([
    'run-events 2.0.0 needs tests of both ways in compat-tests/run-events/v1_to_v2',
  ])
  expect(asked).toEqual(['compat-tests/run-events/v1_to_v2'])
  expect(judge(one, released, now, '2.0.0', () => true).problems).toEqual([])
  expect(judge(one, released, now, '1.9.0', none).problems).toEqual([])
})

it('emittedAt keeps its name and its place: renamed, or replaced by occurredAt, it is MAJOR [VER-07]', () => {
  const one = contract('run-events')
  const released = releasedOf(one)
  const now = one.current() as Fields
  const schema = now['StepStarted.record'] as Fields
  const { emittedAt = {}, ...others } = schema['properties'] as Fields
  expect(schema['required']).toContain('emittedAt')
  const renamed = { ...now, 'StepStarted.record': { ...schema, properties: { ...others, emitted: emittedAt } } }
  const replaced = { ...now, 'StepStarted.record': { ...schema, properties: { ...others, occurredAt: emittedAt } } }
  for (const after of [renamed, replaced]) {
    const { problems, changes } = judge(one, released, after, '1.9.0')
    expect(changes).toContainEqual({
      level: 'MAJOR',
      at: '/StepStarted.record/properties/emittedAt',
      what: 'removed',
    })
    expect(problems).toEqual(['run-events needs 2.0.0 or more, and says 1.9.0'])
  }
})
