/** Secrets that steps try to get out in writing, of others or of their own: in every code, over every cut, however many. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Redactor } from '../../src/app/redact/redact.ts'
import { RunRedactors } from '../../src/app/redact/run-redactors.ts'
import { SEED as seed } from '../setup/seed.ts'
import { cpuMsOf } from '../fixtures/cpu-time.ts'

const hex = (text: string): string => Buffer.from(text).toString('hex')
const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64')
const json = (text: string): string => JSON.stringify(text)
const each = (text: string, write: (char: string, unit: number) => string): string =>
  Array.from(text, (char) => [...char].map((one) => write(one, one.codePointAt(0) ?? 0)).join('')).join('')
const units = (text: string, write: (unit: number) => string): string =>
  Array.from({ length: text.length }, (_, at) => write(text.charCodeAt(at))).join('')
const bytes = (text: string, write: (byte: number) => string, between = ''): string =>
  [...Buffer.from(text)].map(write).join(between)
const two = (byte: number): string => byte.toString(16).padStart(2, '0')
const percent = (text: string): string => bytes(text, (byte) => `%${two(byte)}`)
const NAMED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const html = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => NAMED[char] ?? char)
const wrapped = (text: string, columns: number, end: string): string =>
  text.replaceAll(new RegExp(`.{${columns}}`, 'g'), (line) => line + end)

/** How each is written, and by whom. */
const CODES: Readonly<Record<string, (secret: string) => string>> = {
  plain: (s) => s,
  JSON: json,
  'JSON in JSON': (s) => json(json(s)),
  'JSON in JSON in JSON': (s) => json(json(json(s))),
  'JSON four times': (s) => json(json(json(json(s)))),
  '\\u escapes': (s) => units(s, (unit) => `\\u${unit.toString(16).padStart(4, '0')}`),
  '\\U escapes in capitals': (s) => units(s, (unit) => `\\u${unit.toString(16).padStart(4, '0').toUpperCase()}`),
  '\\u escapes in JSON': (s) => json(units(s, (unit) => `\\u${unit.toString(16).padStart(4, '0')}`)),
  '\\u{} escapes': (s) => units(s, (unit) => `\\u{${unit.toString(16)}}`),
  '\\x escapes of bytes': (s) => bytes(s, (byte) => `\\x${two(byte)}`),
  'octal escapes': (s) => bytes(s, (byte) => `\\${byte.toString(8).padStart(3, '0')}`),
  'a URL component': encodeURIComponent,
  'a whole URL': encodeURI,
  'a form': (s) => new URLSearchParams({ a: s }).toString().slice(2),
  'percent signs for every byte': percent,
  'percent signs in capitals': (s) => percent(s).toUpperCase(),
  'percent signs twice': (s) => encodeURIComponent(percent(s)),
  'percent signs in JSON': (s) => json(encodeURIComponent(s)),
  HTML: html,
  'HTML in HTML': (s) => html(html(s)),
  'decimal entities': (s) => each(s, (_, unit) => `&#${unit};`),
  'hex entities': (s) => each(s, (_, unit) => `&#x${unit.toString(16)};`),
  'hex entities in capitals': (s) => each(s, (_, unit) => `&#X${unit.toString(16).toUpperCase()};`),
  'HTML in JSON': (s) => json(html(s)),
  base64,
  'base64 behind one byte': (s) => base64(`x${s}`),
  'base64 behind two bytes': (s) => base64(`xy${s}`),
  'base64 of user and password': (s) => `Basic ${base64(`ana:${s}`)}`,
  'base64 for URLs': (s) => Buffer.from(`{"k":"${s}"}`).toString('base64url'),
  'base64 in lines of 76': (s) => wrapped(base64(`${'padding '.repeat(9)}${s}`), 76, '\r\n'),
  'base64 in lines of 20 in JSON': (s) => json(wrapped(base64(`${'padding '.repeat(9)}${s}`), 20, '\n')),
  'base64 in base64': (s) => base64(base64(s)),
  'base64 of JSON': (s) => base64(JSON.stringify({ key: s })),
  'base64 of a form': (s) => base64(`token=${encodeURIComponent(s)}`),
  'base64 of UTF-16': (s) => base64(Buffer.from(s, 'utf16le')),
  hex,
  'hex in capitals': (s) => hex(s).toUpperCase(),
  'hex behind a digit': (s) => `f${hex(s)}`,
  'hex with colons': (s) => bytes(s, two, ':'),
  'hex with blanks': (s) => bytes(s, two, ' '),
  'hex with 0x and commas': (s) => bytes(s, (byte) => `0x${two(byte)}`, ', '),
  'a list of bytes': (s) => JSON.stringify([...Buffer.from(s)]),
  'a buffer as JSON': (s) => JSON.stringify(Buffer.from(s)),
  'a typed array as JSON': (s) => JSON.stringify(new Uint8Array(Buffer.from(s))),
  'UTF-8 read as Latin-1': (s) => Buffer.from(s).toString('latin1'),
  'UTF-8 read as UTF-16': (s) => Buffer.from(`${s}${s.length % 2 === 0 ? '' : ' '}`).toString('utf16le'),
  'UTF-16 read as Latin-1': (s) => Buffer.from(s, 'utf16le').toString('latin1'),
  'a shell': (s) => `'${s.replaceAll("'", `'\\''`)}'`,
  'a shell with backslashes': (s) => s.replaceAll(/[^\w]/g, (char) => `\\${char}`),
  'YAML or SQL': (s) => `'${s.replaceAll("'", "''")}'`,
  CSV: (s) => `"${s.replaceAll('"', '""')}"`,
  'quoted-printable': (s) => bytes(s, (byte) => `=${two(byte).toUpperCase()}`),
}

const SECRETS = [
  'hunter2-and-more',
  'p@ss/w0rd+"x" <é> & \'y\' %41 \\n',
  'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
  'Zürich-Straße~42!',
  'a\tb\\c"d\'e',
]

function knowing(...values: readonly string[]): Redactor {
  const redactor = new Redactor()
  for (const value of values) redactor.hold(value)
  return redactor
}

/** Nothing between the words around it but masks and what codes leave at their edges. */
function leaves(masked: string): string {
  return masked.replaceAll('***', '')
}

describe.each(SECRETS)('a step that writes the secret %j', (secret) => {
  it.each(Object.entries(CODES))('in %s shows none of it [SEC-03, SEC-08]', (_code, write) => {
    const written = write(secret)
    const masked = knowing(secret).text(`log: ${written} end`)
    expect(masked).toContain('***')
    expect(masked.startsWith('log: ')).toBe(true)
    // What the code writes around nothing, and at most a few characters at its edges.
    expect(leaves(masked).length).toBeLessThanOrEqual('log:  end'.length + write('').length + 8)
    expect(knowing('another-secret-value').text(written)).toBe(written)
  })

  it('in each code as part of its output, its keys and lists hides it there too [SEC-08]', () => {
    for (const [code, write] of Object.entries(CODES)) {
      const value = { [`k ${write(secret)}`]: ['x', { deep: `a ${write(secret)} b` }] }
      const shown = JSON.stringify(knowing(secret).value(value))
      expect([code, shown.includes('***')]).toEqual([code, true])
      expect([code, shown.includes(JSON.stringify(write(secret)).slice(1, -1))]).toEqual([code, false])
    }
    const list = [...Buffer.from(secret)]
    expect(knowing(secret).value({ list, more: { ...list } })).toEqual({ list: '***', more: '***' })
  })
})

it('any secret in any code at any place of any text is masked [SEC-03, SEC-08]', () => {
  const words = fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' }).filter((text) => text.trim().length >= 8)
  fc.assert(
    fc.property(words, fc.constantFrom(...Object.entries(CODES)), fc.string(), (secret, [code, write], around) => {
      const written = write(secret)
      expect([code, knowing(secret).text(`${around} ${written} ${around}`).includes(written)]).toEqual([code, false])
    }),
    { numRuns: 1500, seed },
  )
})

it('a document that holds secrets, an address with a password and a key file are masked by their parts [SEC-08]', () => {
  const document = knowing(
    '{ "user": "ana-the-user", "password": "in-the-document", "db": { "apiKey": "deep-inside" } }',
  )
  expect(document.text('ana-the-user in-the-document deep-inside')).toBe('ana-the-user *** ***')
  expect(knowing('postgres://ana:p%40ss-word@db/x').text('as ana with p@ss-word or p%40ss-word')).toBe(
    'as ana with *** or ***',
  )
  const pem = `-----BEGIN KEY-----\n${wrapped(randomBytes(300).toString('base64'), 64, '\n')}\n-----END KEY-----\n`
  for (const form of [pem, pem.trim(), pem.replaceAll('\n', ''), pem.replaceAll('\n', ' '), json(pem), base64(pem)])
    expect(leaves(knowing(pem).text(`x ${form} y`)).length).toBeLessThan(50)
  for (const line of pem.split('\n').filter((one) => one.length === 64))
    expect(knowing(pem).text(`x ${line} y`)).toBe('x *** y')
})

describe('a cut through a secret', () => {
  const secret = 'hunter2-and-rather-more'
  it.each(Object.entries(CODES))('in %s leaves no half of it on either side [SEC-08]', (_code, write) => {
    const redactor = knowing(secret)
    const written = write(secret)
    const text = `${'.'.repeat(50)}${written}${'.'.repeat(50)}`
    for (let at = 50; at <= 50 + written.length; at += 1) {
      const sides = [redactor.part(text, 0, at), redactor.part(text, at, text.length)]
      const whole = redactor.text(text)
      for (const side of sides) expect([at, leaves(side).length <= leaves(whole).length]).toEqual([at, true])
    }
    expect(redactor.reachChars).toBeGreaterThanOrEqual(_code === 'JSON four times' ? 0 : written.length / 6)
  })
})

describe('many secrets', () => {
  it('of an attempt are all masked, also the first of 5,000 [SEC-03]', () => {
    const values = Array.from({ length: 5000 }, (_, index) => `value-of-secret-${index}-`)
    const redactor = knowing(...values)
    expect(redactor.text(values.join(' '))).toBe(values.map(() => '***').join(' '))
  })

  it('take no more time over a large text than a few do, and texts made to be slow take none either', () => {
    const timeOf = (redactor: Redactor, text: string): number => {
      redactor.text(text.slice(0, 100))
      return cpuMsOf(() => redactor.text(text))
    }
    const few = knowing('value-of-secret-x')
    const many = knowing(...Array.from({ length: 1000 }, (_, index) => `value-of-secret-${index}-${'ab'.repeat(8)}`))
    const text = randomBytes(96 * 1024)
      .toString('base64')
      .replaceAll('A', ' \\"%41&amp;')
    expect(timeOf(many, text)).toBeLessThan(Math.max(2000, 20 * timeOf(few, text)))
    const slow = knowing(`${'a'.repeat(500)}b`, 'value-of-secret-')
    for (const hostile of ['a', 'value-of-secret', '\\', '\\u', '%', '&', '&#', '=', '0x', '1,', '00:', '"1":1,'])
      expect([hostile, timeOf(slow, hostile.repeat(200_000 / hostile.length)) < 3000]).toEqual([hostile, true])
  })
})

describe('two runs in one process', () => {
  it('know nothing of each other: what one may not show the other does, so neither can ask by masks [SEC-04]', () => {
    const redactors = new RunRedactors()
    const done = redactors.hold(1, ['hunter2-of-acme'])
    redactors.hold(2, ['another-of-globex'])
    expect(redactors.of(1)?.text('hunter2-of-acme another-of-globex')).toBe('*** another-of-globex')
    expect(redactors.of(2)?.text('hunter2-of-acme another-of-globex')).toBe('hunter2-of-acme ***')
    expect(redactors.of(3)).toBeUndefined()
    expect(redactors.text('store: hunter2-of-acme another-of-globex')).toBe('store: *** ***')
    done()
    expect(redactors.of(1)?.text('late: hunter2-of-acme')).toBe('late: ***')
  })

  it('keep a value for as long as an attempt that was given it is in flight, whatever else comes and goes [SEC-03]', () => {
    const redactors = new RunRedactors()
    redactors.hold(1, ['held-by-an-attempt'])
    for (let run = 2; run < 3000; run += 1) {
      redactors.hold(run, [`value-of-run-${run}`])()
      redactors.ended(run)
    }
    redactors.ended(1)
    for (let index = 0; index < 3000; index += 1) redactors.hold(1, [`passing-${index}`])()
    expect(redactors.of(1)?.text('held-by-an-attempt')).toBe('***')
    expect(redactors.of(2)).toBeUndefined()
    expect(redactors.of(2999)?.text('value-of-run-2999')).toBe('***')
  })
})
