/**
 * What a redactor searches for: a secret value as it is and as programs mangle it, and the characters of its base64
 * forms that depend on the value alone. All other codes are undone in the searched text and are not listed here.
 */
import { least } from '../../core/collections/extremes.ts'
import { isSecretName } from '../../core/plan/secret-names.ts'
import { readJsonText } from '../../core/json/read-json-text.ts'
import type { Decoded } from './decoded-text.ts'
import { unescaped } from './escapes.ts'
import { BLANKS, NEEDLE_MIN_CHARS } from './needles.ts'

export interface SecretForms {
  /** Searched as they are. */
  readonly plain: readonly string[]
  /** Searched in the text without its blanks and line ends of any kind. */
  readonly packed: readonly string[]
  /** Length of the shortest value that is searched for. */
  readonly shortest: number
}

/** A line of a key file reveals as much as the file. */
const LINE_MIN_CHARS = 16
/** A short piece of base64 occurs in other text by chance. */
const BASE64_MIN_CHARS = 6
/** Shorter values in another case are ordinary words. */
const CASE_MIN_CHARS = 12
/** A shorter one is made by the ends and beginnings of other words. */
const PACKED_MIN_CHARS = 8

export function secretForms(value: string): SecretForms {
  const long = valuesIn(value).filter(isLong)
  return {
    plain: [...new Set(long.flatMap(mangled))],
    packed: [...new Set(long.flatMap((one) => [...base64Forms(one), ...squeezed(one)]))],
    shortest: least(long.map(({ length }) => length)),
  }
}

/** Too short to be searched inside other text: only a text that is nothing else is masked. */
export function shortForms(value: string): readonly string[] {
  return valuesIn(value).filter((one) => !isLong(one))
}

function valuesIn(value: string): readonly string[] {
  return [...new Set([value, value.trim(), ...linesOf(value), ...partsOf(value)])].filter((one) => one !== '')
}

function linesOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim())
  return lines.length < 2 ? [] : lines.filter((line) => line.length >= LINE_MIN_CHARS)
}

/** The password of an address, and the secret-named fields of a document. */
function partsOf(value: string): readonly string[] {
  const text = value.trim()
  if (/^[a-z][\w+.-]*:\/\//i.test(text) && URL.canParse(text)) {
    const { password } = new URL(text)
    return [password, unescaped({ text: password }, ['percent'])?.text ?? ''].filter(isLong)
  }
  if (!text.startsWith('{')) return []
  const read = readJsonText(text, { bigints: 'text' })
  return read.ok ? secretLeaves(read.value).filter(isLong) : []
}

function secretLeaves(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) =>
    typeof one === 'string' ? (isSecretName(name) ? [one] : []) : secretLeaves(one),
  )
}

const isLong = (text: string): boolean => text.length >= NEEDLE_MIN_CHARS

/**
 * In the wrong charset, in the other case, unescaped, and each of those as forms, shells, YAML, SQL or CSV write it.
 */
function mangled(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  const charsets = bytes.length === value.length ? [value] : [value, ...misread(value, bytes)]
  const cases = value.length < CASE_MIN_CHARS ? [] : [value.toLowerCase(), value.toUpperCase()]
  // As UTF-16 reads two bytes as one character, from an even and from an odd offset.
  const wide = [bytes, bytes.subarray(1)].map((part) => part.subarray(0, part.length & ~1).toString('utf16le'))
  const all = [...charsets, ...cases, ...charsets.flatMap(undone)].flatMap(requoted)
  return [...new Set([...all, ...wide])].filter(isLong)
}

const QUOTES = [`''`, `'''`, String.raw`'\''`, `'"'"'`] as const

/** Quotes doubled, or closed and opened again; a blank as a plus. */
function requoted(value: string): readonly string[] {
  const single = value.includes(`'`) ? QUOTES.map((quote) => value.replaceAll(`'`, quote)) : []
  return [value, ...single, value.replaceAll('"', '""'), value.replaceAll(' ', '+')]
}

const WINDOWS = new TextDecoder('windows-1252')

function misread(value: string, bytes: Buffer): readonly string[] {
  const wide = Buffer.from(value, 'utf16le')
  return [
    bytes.toString('latin1'),
    WINDOWS.decode(bytes),
    value.replaceAll(/[^\0-\x7f]/gu, '\ufffd'),
    value.replaceAll(/[^\0-\x7f]/gu, '?'),
    value.normalize('NFC'),
    value.normalize('NFD'),
    wide.toString('latin1'),
    Buffer.from(wide).swap16().toString('latin1'),
  ]
}

/** The text is unescaped, so a value that looks escaped is searched unescaped too. */
function undone(value: string): readonly string[] {
  const forms: string[] = []
  let form: Decoded = { text: value }
  for (let layer = 0; layer < 2; layer += 1) {
    const next = unescaped(form, ['backslash', 'percent', 'entity'])
    if (next === undefined) break
    forms.push(next.text)
    form = next
  }
  return forms
}

/** As it is when it was wrapped into lines of whatever width, or a key file that was written in one. */
function squeezed(value: string): readonly string[] {
  const text = value.replaceAll(BLANKS, '')
  return text.length < PACKED_MIN_CHARS ? [] : [text]
}

/**
 * Base64 of the value at any offset in the encoded text: for each of the three alignments to groups of three bytes, the
 * characters that depend on the value alone.
 */
function base64Forms(value: string): readonly string[] {
  const forms = [Buffer.from(value), Buffer.from(value, 'utf16le'), ...latin1(value)].flatMap((bytes) => {
    const whole = bytes.toString('base64').replaceAll('=', '')
    const inside = [0, 1, 2].map((before) => {
      const text = Buffer.concat([Buffer.alloc(before), bytes])
        .toString('base64')
        .replaceAll('=', '')
      return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    })
    return [whole, ...inside]
  })
  const telling = forms.filter((form) => form.length >= BASE64_MIN_CHARS)
  return [...telling, ...telling.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))]
}

function latin1(value: string): readonly Buffer[] {
  return /^[\0-\xff]*$/.test(value) && /[\x80-\xff]/.test(value) ? [Buffer.from(value, 'latin1')] : []
}
