import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cutText } from './cut-text.ts'

it('a text is cut between characters, never inside one', () => {
  expect(cutText('a😀b', 2)).toBe('a')
  expect(cutText('a😀b', 3)).toBe('a😀')
  expect(cutText('abc', 3)).toBe('abc')
  expect(cutText('a\ud800b\udc00', 9)).toBe('a\ufffdb\ufffd')
})

it('what is left of any text at all is well-formed and short enough, and a text that is both is left as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), fc.nat({ max: 40 }), (one, other, chars) => {
      const text = one + '\ud83d' + other
      const cut = cutText(text, chars)
      expect([cut.isWellFormed(), cut.length <= chars]).toEqual([true, true])
      expect(cutText(one, one.length)).toBe(one.toWellFormed())
    }),
  )
})
