import { expect, it } from 'vitest'
import { visibleJson, visibleLines, visibleText } from './visible-text.ts'

it('shows what would act on a terminal, and leaves the rest', () => {
  expect(visibleText('a\u001b[2Jb\u0007\b\r\n\t\u007f\u009b31m\u0085')).toBe(
    'a\\u001b[2Jb\\u0007\\u0008\\r\\n\\t\\u007f\\u009b31m\\u0085',
  )
  expect(visibleText('\u202eevil\u2066\u2069\u200f\u061c\u2028\u2029\u200b\ufeff\u{e0041}')).toBe(
    '\\u202eevil\\u2066\\u2069\\u200f\\u061c\\u2028\\u2029\\u200b\\ufeff\\u{e0041}',
  )
  const fine = 'Größe 漢字 עברית 👩‍👩‍👧 ✔ – “x” é'
  expect(visibleText(fine)).toBe(fine)
  expect(visibleLines('a\n\tb\r\u001b')).toBe('a\n\tb\\r\\u001b')
})

it('keeps the value of JSON', () => {
  const value = { '\u202ekey': ['\u009b', '\u2028', '\u{e0041}', '\u001b', 'é\n'] }
  const text = visibleJson(JSON.stringify(value, null, 2))
  expect(text).toMatch(/^[\n\t\u0020-\u007e\u00a0-\u00ff]*$/)
  expect(JSON.parse(text)).toEqual(value)
})
