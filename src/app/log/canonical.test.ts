import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeelsonError } from '../../core/problems/problem.ts'
import { canonicalText } from './canonical.ts'
import { SEED as seed } from '../../../test/setup/seed.ts'

describe('canonical text', () => {
  it(`is what canonicalize writes, for any JSON value (seed ${seed})`, () => {
    const json = fc
      .jsonValue({ maxDepth: 6, stringUnit: 'binary' })
      .filter((value) => JSON.stringify(value).isWellFormed())
    const wellFormed = json.filter((value) => !JSON.stringify(value).includes('\\ud'))
    fc.assert(
      fc.property(wellFormed, (value) => {
        expect(canonicalText(value)).toBe(canonicalize(value))
      }),
      { seed, numRuns: 5_000 },
    )
  })

  it.each([
    [{ b: 1, a: [true, null, 'x'], '10': 1, '9': 2 }, '{"10":1,"9":2,"a":[true,null,"x"],"b":1}'],
    [{ '\u{1F600}': 1, '\uFB33': 2, ö: 3, a: 4 }, '{"a":4,"ö":3,"\u{1F600}":1,"\uFB33":2}'],
    [
      [-0, 1e21, 1e-7, 0.1, 333333333.33333329, 9007199254740993],
      '[0,1e+21,1e-7,0.1,333333333.3333333,9007199254740992]',
    ],
    ['\u2028\u0007\n"\\/', '"\u2028\\u0007\\n\\"\\\\/"'],
    [{ a: undefined, b: [undefined] }, '{"b":[null]}'],
    [{ when: new Date(0) }, '{"when":"1970-01-01T00:00:00.000Z"}'],
  ])('follows RFC 8785 in the corner cases: %j', (value, text) => {
    expect(canonicalText(value)).toBe(text)
    expect(canonicalize(value)).toBe(text)
  })

  it('takes a value nested deeper than the stack would', () => {
    let deep: unknown = 1
    for (let i = 0; i < 50_000; i++) deep = { a: deep }
    expect(canonicalText(deep).length).toBe(50_000 * 6 + 1)
  })

  it('refuses what JSON cannot say, with a code', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    for (const value of [NaN, Infinity, '\ud800', { '\udc00': 1 }, 1n, undefined, cycle, [cycle], () => 1]) {
      expect(() => canonicalText(value)).toThrow(KeelsonError)
    }
  })
})
