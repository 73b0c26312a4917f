/** JSON text from outside is read exactly as written, or refused. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJsonText } from './read-json-text.ts'
import { SEED as seed } from '../../../test/setup/seed.ts'

const fault = (text: string) => {
  const reading = readJsonText(text)
  return reading.ok ? undefined : reading.fault
}

describe('a number', () => {
  it.each([
    '0',
    '-0',
    '0.0',
    '0e5',
    '9007199254740991',
    '-9007199254740991',
    '0.1',
    '1.10',
    '0.10000000000000001',
    '3.14159265358979323846',
    '1e20',
    '1.5e300',
    '1E+22',
    '1.7976931348623157e308',
    '5e-324',
    '100e-2',
  ])('%s is kept', (written) => {
    expect(readJsonText(written)).toEqual({ ok: true, value: Number(written) })
  })

  it.each([
    ['9007199254740992', /beyond/],
    ['9007199254740993', /9007199254740993 is beyond ±9007199254740991/],
    ['-9007199254740993', /beyond/],
    ['12345678901234567890', /beyond/],
    ['9007199254740993.0', /beyond/],
    ['9007199254740993e0', /beyond/],
    ['900719925474099.3e1', /beyond/],
    ['12345678901234567890.5', /beyond/],
    ['1e400', /too large/],
    ['-1e400', /too large/],
    ['1e-400', /too small/],
    [`${'9'.repeat(400)}`, /too large/],
  ])('%s would be changed, and is refused', (written, message) => {
    expect(fault(written)).toMatchObject({ kind: 'loss', message: expect.stringMatching(message) as string })
  })

  it('that is whole and too large is text with the same digits where that is asked for; others are refused still', () => {
    const text = '{"id": 9007199254740993, "n": [-12345678901234567890, 7], "f": 0.5}'
    expect(readJsonText(text, { bigints: 'text' })).toEqual({
      ok: true,
      value: { id: '9007199254740993', n: ['-12345678901234567890', 7], f: 0.5 },
    })
    expect(readJsonText('1e400', { bigints: 'text' })).toMatchObject({ ok: false, fault: { kind: 'loss' } })
  })
})

describe('what cannot be kept is refused with its place', () => {
  it.each([
    ['{"a": 1,\n "b": {"a~/c": [1, 9007199254740993]}}', 2, 20, '/b/a~0~1c/1'],
    ['["\\ud800"]', 1, 2, '/0'],
    ['["\\udc00\\ud800"]', 1, 2, '/0'],
    ['{"\\ud83d": 1}', 1, 2, ''],
    ['{"a": 1, "b": 2,\n"a": 3}', 2, 1, '/a'],
    ['{"a": 1, "\\u0061": 3}', 1, 10, '/a'],
    ['{"__proto__": 1, "__proto__": 2}', 1, 18, '/__proto__'],
  ])('%s', (text, line, column, pointer) => {
    expect(fault(text)).toMatchObject({ kind: 'loss', line, column, pointer })
  })

  it('nesting of thousands of levels', () => {
    expect(fault('['.repeat(5_000) + ']'.repeat(5_000))).toMatchObject({ kind: 'loss' })
  })
})

it.each([
  '',
  ' ',
  '{',
  '[1,]',
  '{"a":}',
  "{'a':1}",
  '01',
  '+1',
  '.5',
  '1.',
  'NaN',
  'Infinity',
  'tru',
  '1 2',
  '"\t"',
  '"\\x"',
  '"a',
])('%s is no JSON for JSON.parse, and none here', (text) => {
  expect(() => {
    JSON.parse(text)
  }).toThrow()
  expect(fault(text)).toMatchObject({ kind: 'syntax' })
})

it('a byte order mark in front is no part of the value', () => {
  expect(readJsonText('\uFEFF{"a":1}')).toEqual({ ok: true, value: { a: 1 } })
})

it('a key named __proto__ is a field like any other', () => {
  const reading = readJsonText('{"__proto__": {"admin": true}}')
  if (!reading.ok) throw new Error(reading.fault.message)
  expect(JSON.stringify(reading.value)).toBe('{"__proto__":{"admin":true}}')
  expect((reading.value as { admin?: unknown }).admin).toBeUndefined()
})

it(`of any JSON value it reads what JSON.parse reads (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      const reading = readJsonText(text)
      if (reading.ok) expect(reading.value).toEqual(JSON.parse(text))
      else expect(reading.fault.kind).toBe('loss')
    }),
    { seed, numRuns: 500 },
  )
})
