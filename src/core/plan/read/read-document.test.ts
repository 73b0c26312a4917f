import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../limits.ts'
import { readDocument, type ReadOptions } from './read-document.ts'

function told(text: string, options: ReadOptions = {}): readonly string[] {
  return readDocument(text, options).problems.map(({ code, at }) => `${code} ${at?.line}:${at?.column}`)
}

function valueOf(text: string, options: ReadOptions = {}): unknown {
  const { root, problems } = readDocument(text, options)
  return problems.length === 0 ? root?.value : problems
}

describe('reading YAML', () => {
  it('gives the values of YAML 1.2: yes and no are text, a date is text, 0o17 is a number', () => {
    expect(valueOf('a: yes\nb: 2001-01-01\nc: 0o17\nd: ~\ne: [1.5, true]\n')).toEqual({
      a: 'yes',
      b: '2001-01-01',
      c: 15,
      d: null,
      e: [1.5, true],
    })
  })

  it('follows aliases, and points into the anchor they refer to', () => {
    const document = readDocument('a: &x { n: 1 }\nb: *x\n', {})
    expect(document.root?.value).toEqual({ a: { n: 1 }, b: { n: 1 } })
    expect(document.positionOf('/b/n')).toEqual({ line: 1, column: 12, length: 1 })
  })

  it.each([
    ['an alias of nothing', 'a: *x\n', ['PLAN_SYNTAX 1:4']],
    ['an alias inside its own anchor', 'a: &x [1, *x]\n', ['PLAN_ALIAS_LIMIT 1:11']],
    ['a duplicate key', 'a: 1\nb: 2\na: 3\n', ['PLAN_DUPLICATE_KEY 3:1']],
    ['a key that is a number', '1: a\n', ['PLAN_KEY_REFUSED 1:1']],
    ['a key that is a list', '? [a]\n: b\n', ['PLAN_KEY_REFUSED 1:3']],
    ['a merge key', 'a: &x {b: 1}\nc:\n  <<: *x\n', ['PLAN_KEY_REFUSED 3:3']],
    ['__proto__', 'a:\n  __proto__: 1\n', ['PLAN_KEY_REFUSED 2:3']],
    ['constructor', '{constructor: 1}', ['PLAN_KEY_REFUSED 1:2']],
    ['prototype', '{a: {prototype: 1}}', ['PLAN_KEY_REFUSED 1:6']],
    ['NaN', 'a: .nan\n', ['PLAN_VALUE_UNSUPPORTED 1:4']],
    ['Infinity', 'a: -.inf\n', ['PLAN_VALUE_UNSUPPORTED 1:4']],
    ['1e400', 'a: 1e400\n', ['PLAN_VALUE_UNSUPPORTED 1:4']],
    ['a number beyond 2^53', 'a: 9007199254740993\n', ['PLAN_VALUE_UNSUPPORTED 1:4']],
    ['half a character', 'a: "\\ud800"\n', ['PLAN_VALUE_UNSUPPORTED 1:4']],
    ['half a character in a key', '"\\udc00": 1\n', ['PLAN_KEY_REFUSED 1:1']],
    ['two documents', 'a: 1\n---\nb: 2\n', ['PLAN_SYNTAX 2:1']],
    ['nothing', '# only a comment\n', ['PLAN_SYNTAX 1:1']],
    ['YAML 1.1', '%YAML 1.1\n---\na: yes\n', ['PLAN_SYNTAX 1:1']],
    ['a tag of one’s own', 'a: !js/function x\n', ['PLAN_SYNTAX 1:4']],
    ['bad indentation', 'a:\n  - b\n c: d\n', ['PLAN_SYNTAX 3:1']],
  ])('refuses %s', (_, text, expected) => {
    expect(told(text)).toEqual(expected)
  })

  it('tells all duplicate and refused keys of a document at once', () => {
    expect(told('a: 1\na: 2\nb: { constructor: 1, c: .nan }\n')).toEqual([
      'PLAN_DUPLICATE_KEY 2:1',
      'PLAN_KEY_REFUSED 3:6',
      'PLAN_VALUE_UNSUPPORTED 3:25',
    ])
  })

  it('refuses a small text whose aliases would expand without end', () => {
    const levels = Array.from(
      { length: 12 },
      (_, i) => `l${i + 1}: &l${i + 1} [${Array(10).fill(`*l${i}`).join(', ')}]`,
    )
    const bomb = `l0: &l0 [boom, boom, boom]\n${levels.join('\n')}\n`
    expect(bomb.length).toBeLessThan(1_000)
    expect(told(bomb).map((line) => line.split(' ')[0])).toEqual(['PLAN_ALIAS_LIMIT'])
  })

  it('refuses too many aliases, and aliases that nest too deeply', () => {
    expect(told(`a: &a 1\nb: [${Array(10_001).fill('*a').join(',')}]`)[0]).toMatch(/^PLAN_ALIAS_LIMIT/)
    const levels = Array.from({ length: 70 }, (_, i) => `l${i + 1}: &l${i + 1} [*l${i}]`)
    expect(told(`l0: &l0 []\n${levels.join('\n')}\n`)[0]).toMatch(/^PLAN_TOO_DEEP/)
  })

  it('never throws on text nested without end', () => {
    for (const opening of ['[', '{a: ', '- ', '? ', 'a: ', '[*a,', '&a ', '!a ']) {
      expect(told(opening.repeat(20_000)).length).toBeGreaterThan(0)
    }
  })
})

describe('reading JSON', () => {
  const json = { format: 'json' } as const

  it.each([
    ['a comment', '{"a": 1} // no', ['PLAN_SYNTAX 1:10']],
    ['single quotes', "{'a': 1}", ['PLAN_SYNTAX 1:2']],
    ['a comma too many', '{"a": [1,]}', ['PLAN_SYNTAX 1:10']],
    ['an octal number', '{"a": 017}', ['PLAN_SYNTAX 1:8']],
    ['a bare word', '{"a": yes}', ['PLAN_SYNTAX 1:7']],
    ['an unknown escape', '{"a": "\\x"}', ['PLAN_SYNTAX 1:7']],
    ['a line break in a text', '{"a": "\n"}', ['PLAN_SYNTAX 1:7']],
    ['text that ends too early', '{"a": ', ['PLAN_SYNTAX 1:7']],
    ['a duplicate key', '{"a": 1,\n "a": 2}', ['PLAN_DUPLICATE_KEY 2:2']],
    ['an escaped duplicate key', '{"a": 1, "\\u0061": 2}', ['PLAN_DUPLICATE_KEY 1:10']],
    ['__proto__', '{"__proto__": {"x": 1}}', ['PLAN_KEY_REFUSED 1:2']],
    ['1e400', '{"a": 1e400}', ['PLAN_VALUE_UNSUPPORTED 1:7']],
    ['half a character', '{"a": "\\ud83d"}', ['PLAN_VALUE_UNSUPPORTED 1:7']],
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`, ['PLAN_TOO_DEEP 1:65']],
  ])('refuses %s', (_, text, expected) => {
    expect(told(text, json)).toEqual(expected)
  })

  it('gives what JSON.parse gives', () => {
    const text = '\n{ "a" : [1, -0.5e-2, "\\u00e9\\n\\/", "😀"], "b": {"c": null, "": false} }\t'
    expect(valueOf(text, json)).toEqual(JSON.parse(text))
    expect(valueOf(text)).toEqual(JSON.parse(text))
  })

  it('is chosen by the name of the file, and tried first for text that opens with a brace', () => {
    expect(told('a: 1', { file: 'x.JSON' })).toEqual(['PLAN_SYNTAX 1:1'])
    expect(valueOf('{a: 1}')).toEqual({ a: 1 })
    expect(valueOf('{"a": 1}')).toEqual({ a: 1 })
  })
})

describe('a text that is too large', () => {
  it('is refused by its bytes in UTF-8, not its characters', () => {
    const filler = '#'.repeat(LIMITS.planBytes - 5)
    expect(told(`a: 1 ${filler}`)).toEqual([])
    expect(told(`a: 1 ${filler}#`)).toEqual(['PLAN_TOO_LARGE 1:1'])
    expect(told(`#é`, { maxBytes: 3 })).toEqual(['PLAN_SYNTAX 1:1'])
    expect(told(`#é`, { maxBytes: 2 })).toEqual(['PLAN_TOO_LARGE 1:1'])
    expect(told(`#😀`, { maxBytes: 5 })).toEqual(['PLAN_SYNTAX 1:1'])
    expect(told(`#😀`, { maxBytes: 4 })).toEqual(['PLAN_TOO_LARGE 1:1'])
  })
})
