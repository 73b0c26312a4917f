/**
 * The one reader of JSON text from outside: inputs, answers, outputs of programs. Unlike JSON.parse it refuses what it
 * could not keep exactly (numbers, half characters, duplicate keys) and says where; it never throws.
 */
import { isWholeNumber, numberLoss } from './exact-number.ts'

export interface JsonFault {
  /** `syntax`: this is not JSON. `loss`: it is, but it cannot be kept as written. */
  readonly kind: 'syntax' | 'loss'
  readonly message: string
  readonly line: number
  readonly column: number
  /** Where in the value, as a JSON pointer; empty at its root. */
  readonly pointer: string
}

export type JsonReading =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly fault: JsonFault }

export interface JsonTextOptions {
  /** `text`: whole numbers too large for a number become text with the same digits. */
  readonly bigints?: 'text'
  /** So many keys, in all objects of it together: an object costs many times what its text does. Default: as many as there are. */
  readonly keys?: number
}

/** Thrown and caught only in this file. */
class Refused {
  readonly kind: JsonFault['kind']
  readonly message: string
  readonly at: number

  constructor(kind: JsonFault['kind'], message: string, at: number) {
    this.kind = kind
    this.message = message
    this.at = at
  }
}

interface Cursor {
  readonly text: string
  readonly options: JsonTextOptions
  readonly path: (string | number)[]
  at: number
  keysLeft: number
}

const DEPTH = 1_000
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** A text without escapes, the usual case: no control character, quote or backslash. */
const PLAIN = /"[ !#-[\]-\uffff]*"/y
const ESCAPED = /"(?:[ !#-[\]-\uffff]|\\.)*"/y
const LONE_SURROGATE = /\p{Surrogate}/u
const WORDS: readonly (readonly [string, unknown])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

export function readJsonText(text: string, options: JsonTextOptions = {}): JsonReading {
  const { keys = Infinity } = options
  const cursor: Cursor = { text, options, path: [], at: text.startsWith('\uFEFF') ? 1 : 0, keysLeft: keys }
  try {
    skipBlank(cursor)
    const value = readValue(cursor)
    skipBlank(cursor)
    if (cursor.at < text.length) refuse('syntax', 'there is more text after the end of the value', cursor.at)
    return { ok: true, value }
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown
    return { ok: false, fault: faultOf(cursor, thrown) }
  }
}

/** `line 2, column 7, at /orders/0/id`: for people. */
export function placeOfFault({ line, column, pointer }: JsonFault): string {
  return `line ${line}, column ${column}${pointer === '' ? '' : `, at ${pointer}`}`
}

function faultOf({ text, path }: Cursor, { kind, message, at }: Refused): JsonFault {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  const pointer = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  return { kind, message, line, column: at - before.lastIndexOf('\n'), pointer: pointer.slice(0, 500) }
}

function readValue(cursor: Cursor): unknown {
  switch (cursor.text.charAt(cursor.at)) {
    case '{':
      return nested(cursor, readObject)
    case '[':
      return nested(cursor, readList)
    case '"':
      return readText(cursor)
    default:
      return readPlain(cursor)
  }
}

function nested(cursor: Cursor, read: (cursor: Cursor) => unknown): unknown {
  if (cursor.path.length >= DEPTH) refuse('loss', `it is nested more than ${DEPTH} levels deep`, cursor.at)
  return read(cursor)
}

function readObject(cursor: Cursor): unknown {
  const value: Record<string, unknown> = {}
  if (opensEmpty(cursor, '}')) return value
  do {
    const start = cursor.at
    if (cursor.text.charAt(start) !== '"') refuse('syntax', 'a key in double quotes belongs here', start)
    const key = readText(cursor)
    cursor.keysLeft -= 1
    if (cursor.keysLeft < 0) refuse('loss', `it has more than ${cursor.options.keys ?? 0} keys`, start)
    cursor.path.push(key)
    if (Object.hasOwn(value, key)) refuse('loss', `the key '${key.slice(0, 100)}' is written twice`, start)
    skipBlank(cursor)
    if (cursor.text.charAt(cursor.at) !== ':') refuse('syntax', "a ':' belongs after the key", cursor.at)
    cursor.at += 1
    skipBlank(cursor)
    own(value, key, readValue(cursor))
    cursor.path.pop()
  } while (goesOn(cursor, '}'))
  return value
}

/** Like JSON.parse: a key of any name is a field, never the prototype. */
function own(holder: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') holder[key] = value
  else Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true })
}

function readList(cursor: Cursor): unknown {
  const items: unknown[] = []
  if (opensEmpty(cursor, ']')) return items
  do {
    cursor.path.push(items.length)
    items.push(readValue(cursor))
    cursor.path.pop()
  } while (goesOn(cursor, ']'))
  return items
}

function opensEmpty(cursor: Cursor, close: string): boolean {
  cursor.at += 1
  skipBlank(cursor)
  if (cursor.text.charAt(cursor.at) !== close) return false
  cursor.at += 1
  return true
}

/** True after a comma, false after the closing bracket. */
function goesOn(cursor: Cursor, close: string): boolean {
  skipBlank(cursor)
  const char = cursor.text.charAt(cursor.at)
  if (char !== close && char !== ',') refuse('syntax', `a ',' or '${close}' belongs here`, cursor.at)
  cursor.at += 1
  if (char === close) return false
  skipBlank(cursor)
  return true
}

function readText(cursor: Cursor): string {
  const start = cursor.at
  const plain = take(cursor, PLAIN)
  const text = plain === undefined ? unescaped(cursor, start) : plain.slice(1, -1)
  if (LONE_SURROGATE.test(text)) refuse('loss', 'this text holds half of a Unicode character', start)
  return text
}

function unescaped(cursor: Cursor, start: number): string {
  const quoted = take(cursor, ESCAPED)
  try {
    if (quoted !== undefined) return String(JSON.parse(quoted))
  } catch {
    // An escape that JSON does not know; reported like any other invalid text.
  }
  return refuse('syntax', 'this text has no end, or holds what JSON does not allow in a text', start)
}

function readPlain(cursor: Cursor): unknown {
  for (const [word, value] of WORDS) {
    if (!cursor.text.startsWith(word, cursor.at)) continue
    cursor.at += word.length
    return value
  }
  const start = cursor.at
  const written = take(cursor, NUMBER)
  if (written === undefined)
    return refuse(
      'syntax',
      start >= cursor.text.length ? 'the text ends too early' : 'a JSON value belongs here',
      start,
    )
  const loss = numberLoss(written)
  if (loss === undefined) return Number(written)
  return cursor.options.bigints === 'text' && isWholeNumber(written) ? written : refuse('loss', loss, start)
}

function take(cursor: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at
  const found = pattern.exec(cursor.text)?.[0]
  if (found !== undefined) cursor.at += found.length
  return found
}

/** By codes: it runs before and after every value of the text. */
function skipBlank(cursor: Cursor): void {
  const { text } = cursor
  let { at } = cursor
  for (let code = text.charCodeAt(at); isBlank(code);) {
    at += 1
    code = text.charCodeAt(at)
  }
  cursor.at = at
}

/** Space, tab, line feed or return. */
function isBlank(code: number): boolean {
  return code === 32 || code === 10 || code === 9 || code === 13
}

function refuse(kind: JsonFault['kind'], message: string, at: number): never {
  throw new Refused(kind, message, at)
}
