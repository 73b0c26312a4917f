/** Every way to write a secret value is masked; other text stays. */
import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { Redactor } from './redact.ts'
import { SEED as seed } from '../../../test/setup/seed.ts'

function knowing(...values: readonly string[]): Redactor {
  const redactor = new Redactor()
  for (const value of values) redactor.hold(value)
  return redactor
}

const SECRET = 'p@ss/w0rd+"x" é'
const base64 = (text: string): string => Buffer.from(text).toString('base64')

describe('a text', () => {
  it.each([
    ['plain', SECRET],
    ['base64', base64(SECRET)],
    ['base64 inside a Basic header', base64(`user:${SECRET}`)],
    ['base64 after two other bytes', base64(`ab${SECRET}cd`)],
    ['base64url', Buffer.from(SECRET).toString('base64url')],
    ['URL-encoded', encodeURIComponent(SECRET)],
    ['form-encoded', new URLSearchParams({ a: SECRET }).toString().slice(2)],
    ['escaped in JSON', JSON.stringify({ a: SECRET })],
    ['escaped twice', JSON.stringify(JSON.stringify({ a: SECRET }))],
    ['hex', Buffer.from(SECRET).toString('hex')],
  ])('does not tell it %s [SEC-08]', (_how, written) => {
    const shown = knowing(SECRET).text(`before ${written} after`)
    expect(shown).toMatch(/^before .*\*\*\*.* after$/)
    for (const form of [SECRET, SECRET.slice(1, -1), base64(SECRET).slice(2, -4)]) expect(shown).not.toContain(form)
  })

  it('tells no line of a key of several lines [SEC-08]', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END KEY-----\n'
    expect(knowing(key).text('read MIIEvQIBADANBgkqhkiG9w0B, then failed')).toBe('read ***, then failed')
  })

  it('leaves nothing of the longer of two that overlap [SEC-08]', () => {
    expect(knowing('token', 'token-of-production').text('it is token-of-production')).toBe('it is ***')
  })

  it('leaves nothing of two that share their ends, wherever they stand [SEC-08]', () => {
    const redactor = knowing('abcdef', 'defghi')
    expect(['abcdefghi', 'xabcdefghix', 'abcdefabcdef', 'defghi abcdef'].map((text) => redactor.text(text))).toEqual([
      '***',
      'x***x',
      '******',
      '*** ***',
    ])
  })

  it('knows every one that an attempt in flight uses, and of those used before the last thousand at least', () => {
    const all = Array.from({ length: 5000 }, (_, index) => `secret-number-${index};`)
    const redactor = knowing(...all)
    const left = (): readonly string[] => all.filter((value) => redactor.text(value) !== '***')
    expect(left()).toEqual([])
    for (const value of all.slice(0, 4000)) redactor.release(value)
    expect(left().length).toBeLessThanOrEqual(3000)
    expect(left().filter((value) => all.indexOf(value) >= 3000)).toEqual([])
    for (const value of all.slice(0, 10)) redactor.hold(value)
    expect(left().filter((value) => all.indexOf(value) < 10)).toEqual([])
  })

  it('masks a very short one only where it stands alone', () => {
    const redactor = knowing('42')
    expect([redactor.text('42'), redactor.text('answer 42'), redactor.value([42, 'x42'])]).toEqual([
      '***',
      'answer 42',
      ['***', 'x42'],
    ])
  })

  it('masks any value in any text, in every encoding of the list [SEC-03, SEC-08]', () => {
    const words = fc
      .string({ minLength: 6, maxLength: 40, unit: 'binary' })
      .filter((text) => text.isWellFormed() && text.trim().length >= 6)
    fc.assert(
      fc.property(words, fc.string(), fc.string(), (secret, before, after) => {
        const redactor = knowing(secret)
        for (const form of [secret, base64(secret), encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
          expect(redactor.text(before + form + after)).not.toContain(form)
      }),
      { numRuns: 300, seed },
    )
  })
})

describe('a value', () => {
  it('is masked in its strings, its keys and its numbers, at any depth [SEC-08]', () => {
    const value = { deep: [{ 'a-canary-b': 'x a-canary y' }], id: 123456, other: 7 }
    expect(knowing('a-canary', '123456').value(value)).toEqual({
      deep: [{ '***-b': 'x *** y' }],
      id: '***',
      other: 7,
    })
  })

  it('is masked where an object writes it down in a way of its own [SEC-08]', () => {
    class Answer {
      toJSON(): unknown {
        return { header: 'Bearer a-canary' }
      }
    }
    expect(knowing('a-canary').value(new Answer())).toEqual({ header: 'Bearer ***' })
  })

  it('is the very same when there is nothing to mask', () => {
    const value = { a: [1, 'two'] }
    expect(knowing('a-canary').value(value)).toBe(value)
    expect(new Redactor().value(value)).toBe(value)
    expect(new Redactor().knowsAny).toBe(false)
  })
})
