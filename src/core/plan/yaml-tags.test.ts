/** A YAML tag asks for a value that JSON does not have; none is read as another type. */
import { describe, expect, it } from 'vitest'
import { readDocument } from './read/read-document.ts'

const read = (value: string, head = ''): readonly string[] => {
  const { problems } = readDocument(`${head}a: ${value}\n`, {})
  return problems.map(({ code, message, at }) => `${code} ${at?.line}:${at?.column} ${message}`)
}

describe('a tag is refused by its name, at its place', () => {
  it.each([
    ['!!binary aGVsbG8=', '!!binary'],
    ['!!binary', '!!binary'],
    ['&x !!binary aGVsbG8=', '!!binary'],
    ['!<tag:yaml.org,2002:binary> aGVsbG8=', '!!binary'],
    ['[!!binary aGk=]', '!!binary'],
    ['{ b: !!binary aGk= }', '!!binary'],
    ['{ !!binary aGk=: 1 }', '!!binary'],
    ['{ !!timestamp 2001-12-14: 1 }', '!!timestamp'],
    ['!!timestamp 2001-12-14', '!!timestamp'],
    ['!!set { b, c }', '!!set'],
    ['!!omap [b: 1]', '!!omap'],
    ['!!pairs [b: 1]', '!!pairs'],
    ['!!merge b', '!!merge'],
  ])('%s', (value, tag) => {
    const [first = '', ...others] = read(value)
    expect(first).toMatch(new RegExp(`^PLAN_VALUE_UNSUPPORTED 1:\\d+ the YAML tag ${tag} is not supported$`))
    expect(others).toEqual([])
  })

  it('under another name for it', () => {
    expect(read('!binary aGk=', '%TAG ! tag:yaml.org,2002:\n---\n')[0]).toContain(
      'the YAML tag !!binary is not supported',
    )
  })

  it.each(['!!js/function "x"', '!!python/object x', '!own x', '!<x> y', '!!bool yes', '!!float one'])(
    '%s, which nobody knows',
    (value) => expect(read(value)[0]).toMatch(/^PLAN_SYNTAX 1:4 .*tag/i),
  )
})

it('a tag that says what the value is anyway changes nothing', () => {
  const { root } = readDocument(
    'a: !!str 5\nb: !!int 5\nc: !!null ~\nd: !!map { e: 1 }\nf: !!seq [1]\ng: ! x\nh: !!bool true\n',
    {},
  )
  expect(root?.value).toEqual({ a: '5', b: 5, c: null, d: { e: 1 }, f: [1], g: 'x', h: true })
})
