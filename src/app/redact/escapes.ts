/**
 * Undoes escapes, one layer at a time: backslashes (JSON, JavaScript, shells), percent signs, HTML entities,
 * quoted-printable. An escaped byte becomes the character of that number: UTF-8 bytes are searched in that form.
 */
import { Reading, type Decoded } from './decoded-text.ts'

export type Family = 'backslash' | 'percent' | 'entity' | 'printable'

/** The character and the length of its escape; a unit of -1 stands for none. */
type Unit = readonly [unit: number, length: number]
type Undo = (text: string, at: number) => Unit | undefined

const LETTERS: Readonly<Record<string, number>> = { b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }
/** In the order of ASCII and of Latin-1, since most names belong to those. */
const ASCII_NAMES = `Tab:9 NewLine:10 excl:33 quot:34 QUOT:34 num:35 dollar:36 percnt:37 amp:38 AMP:38 apos:39 lpar:40 rpar:41 ast:42
midast:42 plus:43 comma:44 hyphen:45 dash:45 period:46 sol:47 colon:58 semi:59 lt:60 LT:60 equals:61 gt:62 GT:62 quest:63 commat:64
lsqb:91 lbrack:91 bsol:92 rsqb:93 rbrack:93 Hat:94 lowbar:95 UnderBar:95 grave:96 lcub:123 lbrace:123 verbar:124 vert:124 rcub:125
rbrace:125`
const LATIN_NAMES = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para
middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml
Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave
aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde
ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`
const ENTITIES: ReadonlyMap<string, number> = new Map([
  ...ASCII_NAMES.split(/\s+/).map((entry) => [entry.split(':')[0] ?? '', Number(entry.split(':')[1])] as const),
  ...LATIN_NAMES.split(/\s+/).map((name, index) => [name, 160 + index] as const),
])

const MARKS: Readonly<Record<Family, string>> = { backslash: '\\', percent: '%', entity: '&', printable: '=' }
/** Whether there is anything to undo: most texts contain the marks without being escaped. */
const ESCAPED: Readonly<Record<Family, RegExp>> = {
  backslash: /\\/,
  percent: /%(?:[0-9a-f]{2}|u[0-9a-f]{4})/i,
  entity: /&(?:#[0-9x]|[a-z0-9]{2,8};)/i,
  printable: /=(?:[0-9a-f]{2}|\r?\n)/i,
}
const UNDO: Readonly<Record<Family, Undo>> = {
  backslash: (text, at) => {
    const letter = text.charAt(at + 1)
    if (letter === 'u') return hexUnit(text, at, 2, 4) ?? bracedUnit(text, at)
    if (letter === 'x') return hexUnit(text, at, 2, 2)
    const octal = /^[0-3][0-7]{2}$/.exec(text.slice(at + 1, at + 4))
    if (octal !== null) return [Number.parseInt(octal[0], 8), 4]
    if (letter === '\n') return [-1, 2]
    if (letter === '\r') return [-1, text.charAt(at + 2) === '\n' ? 3 : 2]
    return letter === '' ? undefined : [LETTERS[letter] ?? text.charCodeAt(at + 1), 2]
  },
  percent: (text, at) => (text.charAt(at + 1) === 'u' ? hexUnit(text, at, 2, 4) : hexUnit(text, at, 1, 2)),
  entity: (text, at) => {
    const written = /^&(?:#([xX]?)([0-9a-fA-F]{1,8});?|([A-Za-z0-9]{2,8});)/.exec(text.slice(at, at + 14))
    if (written === null) return undefined
    const [whole, hex = '', digits, name = ''] = written
    const unit = digits === undefined ? ENTITIES.get(name) : numberIn(hex, digits)
    return unit === undefined ? undefined : [unit, digitsRead(whole, hex, digits)]
  },
  printable: (text, at) => {
    const lineEnd = /^=\r?\n/.exec(text.slice(at, at + 3))
    return lineEnd === null ? hexUnit(text, at, 1, 2) : [-1, lineEnd[0].length]
  },
}

function numberIn(hex: string, digits: string): number | undefined {
  const read = hex === '' ? /^\d+/.exec(digits)?.[0] : digits
  return read === undefined ? undefined : Number.parseInt(read, hex === '' ? 10 : 16)
}

/** `&#65B` is `A` and a `B`: a decimal number ends before the first letter. */
function digitsRead(whole: string, hex: string, digits: string | undefined): number {
  if (digits === undefined || hex !== '') return whole.length
  const decimal = /^\d+/.exec(digits)?.[0].length ?? 0
  return decimal === digits.length ? whole.length : 2 + decimal
}

function hexUnit(text: string, at: number, skip: number, digits: number): Unit | undefined {
  let unit = 0
  for (let place = at + skip; place < at + skip + digits; place += 1) {
    const value = Number.parseInt(text.charAt(place), 16)
    if (Number.isNaN(value)) return undefined
    unit = unit * 16 + value
  }
  return [unit, skip + digits]
}

function bracedUnit(text: string, at: number): Unit | undefined {
  const braced = /^\\u\{([0-9a-fA-F]{1,6})\}/.exec(text.slice(at, at + 10))
  return braced === null ? undefined : [Number.parseInt(braced[1] ?? '', 16), braced[0].length]
}

/** Removes one layer of these families; undefined when there is none. */
export function unescaped(of: Decoded, families: readonly Family[]): Decoded | undefined {
  const { text } = of
  if (!families.some((family) => ESCAPED[family].test(text))) return undefined
  const byMark = new Map(families.map((family) => [MARKS[family].charCodeAt(0), UNDO[family]]))
  const reading = new Reading(of)
  let changed = false
  for (let at = 0; at < text.length;) {
    const unit = text.charCodeAt(at)
    const read = unit > 92 ? undefined : byMark.get(unit)?.(text, at)
    const [made, length] = read ?? [unit, 1]
    if (made >= 0) addPoint(reading, made, at, at + length)
    if (read !== undefined) changed = true
    at += length
  }
  return changed ? reading.done() : undefined
}

/** Characters beyond the first 65,536 are two units of UTF-16. */
function addPoint(reading: Reading, point: number, begin: number, end: number): void {
  const beyond = point - 0x10000
  if (beyond < 0 || point > 0x10ffff) return reading.add(point & 0xffff, begin, end)
  reading.add(0xd800 + (beyond >> 10), begin, end)
  reading.add(0xdc00 + (beyond & 0x3ff), begin, end)
}
