/** What an expression reads of a root, told from its syntax: never less than it reads. */
import { expect, it } from 'vitest'
import { fieldsRead } from './read-fields.ts'

it.each([
  ['input.a.b', ['a']],
  ['input.items[0].x', ['items']],
  ['input.items[*].x', ['items']],
  ['input.items[?qty > `1`].id', ['items']],
  ['input.items[]', ['items']],
  ['$.input.a', ['a']],
  ['@.input.a', ['a']],
  ['input."a b"', ['a b']],
  ['input.a || input.b.c', ['a', 'b']],
  ['{ one: input.a, two: length(input.b) }', ['a', 'b']],
  ['steps.pack.output.a', []],
  ['context.x', []],
  ['step.input', []],
  ['steps.pack.output.input.a', []],
  ['context.list[?input == `1`].input', []],
  ['context.list[?sku == $.input.sku]', ['sku']],
  ['map(&input, context.list)', []],
  ['input.input', ['input']],
  ['@ | input.a', ['a']],
])('%s reads %j of the input', (expression, fields) => {
  expect([...fieldsRead(expression, 'input')]).toEqual(fields)
})

it.each(['input', 'input | a', 'input.*', 'input.{ a: a }', 'length(input)', '{ a: input }', 'keys(input) | [0]'])(
  '%s reads the whole input',
  (expression) => {
    expect(fieldsRead(expression, 'input')).toBe('all')
  },
)

it('tells fields of other roots apart', () => {
  expect([...fieldsRead('input.a == context.b', 'context')]).toEqual(['b'])
  expect([...fieldsRead('run.planVersion', 'run')]).toEqual(['planVersion'])
})
