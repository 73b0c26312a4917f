/**
 * A strict JSON reader (RFC 8259) that remembers where every value was written and refuses duplicate keys, which
 * JSON.parse does not report. It stops at the first syntax error and never throws.
 */
import { problem, type Problem } from '../../problems/problem.ts'
import type { Json } from '../plan.ts'
import { PLAN_LIMITS } from '../plan-limits.ts'
import { keyProblem, writtenProblem } from './scalar-rules.ts'
import type { Locate, SourceEntry, SourceNode } from './source.ts'

export interface ReadOutcome {
  /** Absent when the text could not be read to its end. */
  readonly root?: SourceNode
  readonly problems: readonly Problem[]
}

interface Cursor {
  readonly text: string
  readonly locate: Locate
  readonly problems: Problem[]
  at: number
  depth: number
}

const BLANK = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORDS: readonly (readonly [string, Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

export function readJson(text: string, locate: Locate): ReadOutcome {
  const cursor: Cursor = { text, locate, problems: [], at: 0, depth: 0 }
  if (text.startsWith('\uFEFF')) cursor.at = 1
  skipBlank(cursor)
  const root = readValue(cursor)
  if (root === undefined) return { problems: cursor.problems }
  skipBlank(cursor)
  if (cursor.at < text.length) {
    syntaxError(cursor, 'there is more text after the end of the plan')
    return { problems: cursor.problems }
  }
  return { root, problems: cursor.problems }
}

function readValue(cursor: Cursor): SourceNode | undefined {
  const char = cursor.text.charAt(cursor.at)
  if (char === '{' || char === '[') return readNested(cursor, char)
  if (char === '"') return readText(cursor)
  return readWord(cursor) ?? readNumber(cursor)
}

function readNested(cursor: Cursor, char: string): SourceNode | undefined {
  if (cursor.depth >= PLAN_LIMITS.depth) {
    const at = cursor.locate(cursor.at, cursor.at + 1)
    cursor.problems.push(problem('PLAN_TOO_DEEP', `this is nested more than ${PLAN_LIMITS.depth} levels deep`, { at }))
    return undefined
  }
  cursor.depth += 1
  const node = char === '{' ? readObject(cursor) : readList(cursor)
  cursor.depth -= 1
  return node
}

function readObject(cursor: Cursor): SourceNode | undefined {
  const start = cursor.at
  const entries: SourceEntry[] = []
  const value: Record<string, Json> = {}
  let height = 0
  if (opensEmpty(cursor, '}')) return { start, end: cursor.at, value, entries, height, weight: 2 }
  for (;;) {
    const entry = readEntry(cursor)
    if (entry === undefined) return undefined
    if (acceptKey(cursor, value, entry)) {
      value[entry.key] = entry.node.value
      entries.push(entry)
      height = Math.max(height, entry.node.height + 1)
    }
    const end = endsOrGoesOn(cursor, '}')
    if (end === undefined) return undefined
    if (end) return { start, end: cursor.at, value, entries, height, weight: cursor.at - start }
  }
}

function readEntry(cursor: Cursor): SourceEntry | undefined {
  if (cursor.text.charAt(cursor.at) !== '"') return syntaxError(cursor, 'a key in double quotes belongs here')
  const key = readText(cursor)
  if (key === undefined) return undefined
  skipBlank(cursor)
  if (cursor.text.charAt(cursor.at) !== ':') return syntaxError(cursor, "a ':' belongs after the key")
  cursor.at += 1
  skipBlank(cursor)
  const node = readValue(cursor)
  return node === undefined ? undefined : { key: String(key.value), start: key.start, end: key.end, node }
}

function acceptKey(cursor: Cursor, value: Readonly<Record<string, Json>>, entry: SourceEntry): boolean {
  const refusal = Object.hasOwn(value, entry.key)
    ? problem('PLAN_DUPLICATE_KEY', `'${entry.key}' is written twice`)
    : keyProblem(entry.key)
  if (refusal === undefined) return true
  cursor.problems.push({ ...refusal, at: cursor.locate(entry.start, entry.end) })
  return false
}

function readList(cursor: Cursor): SourceNode | undefined {
  const start = cursor.at
  const items: SourceNode[] = []
  let height = 0
  if (opensEmpty(cursor, ']')) return { start, end: cursor.at, value: [], items, height, weight: 2 }
  for (;;) {
    const node = readValue(cursor)
    if (node === undefined) return undefined
    items.push(node)
    height = Math.max(height, node.height + 1)
    const end = endsOrGoesOn(cursor, ']')
    if (end === undefined) return undefined
    if (end) {
      const value = items.map((item) => item.value)
      return { start, end: cursor.at, value, items, height, weight: cursor.at - start }
    }
  }
}

function opensEmpty(cursor: Cursor, close: string): boolean {
  cursor.at += 1
  skipBlank(cursor)
  if (cursor.text.charAt(cursor.at) !== close) return false
  cursor.at += 1
  return true
}

/** True at the closing bracket, false after a comma, undefined when there is neither. */
function endsOrGoesOn(cursor: Cursor, close: string): boolean | undefined {
  skipBlank(cursor)
  const char = cursor.text.charAt(cursor.at)
  if (char !== close && char !== ',') return syntaxError(cursor, `a ',' or '${close}' belongs here`)
  cursor.at += 1
  if (char === close) return true
  skipBlank(cursor)
  return false
}

function readText(cursor: Cursor): SourceNode | undefined {
  const start = cursor.at
  const end = endOfText(cursor.text, start + 1)
  const value = end === undefined ? undefined : unescaped(cursor.text.slice(start, end))
  if (end === undefined || value === undefined) {
    return syntaxError(cursor, 'this text has no end, or holds what JSON does not allow in a text')
  }
  cursor.at = end
  return scalar(cursor, end - start, value)
}

function endOfText(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0x22) return at + 1
    if (unit < 0x20) return undefined
    if (unit === 0x5c) at += 1
  }
  return undefined
}

function unescaped(quoted: string): string | undefined {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return String(JSON.parse(quoted))
  } catch {
    return undefined
  }
}

function readWord(cursor: Cursor): SourceNode | undefined {
  for (const [word, value] of WORDS) {
    if (!cursor.text.startsWith(word, cursor.at)) continue
    cursor.at += word.length
    return scalar(cursor, word.length, value)
  }
  return undefined
}

function readNumber(cursor: Cursor): SourceNode | undefined {
  const written = take(cursor, NUMBER)
  if (written === undefined) return syntaxError(cursor, 'a JSON value belongs here')
  return scalar(cursor, written.length, Number(written))
}

function scalar(cursor: Cursor, length: number, value: Json): SourceNode {
  const start = cursor.at - length
  const refusal = writtenProblem(value, cursor.text.slice(start, cursor.at))
  if (refusal !== undefined) cursor.problems.push({ ...refusal, at: cursor.locate(start, cursor.at) })
  return { start, end: cursor.at, value: refusal === undefined ? value : '', height: 0, weight: length }
}

function take(cursor: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = cursor.at
  const found = pattern.exec(cursor.text)?.[0]
  if (found !== undefined) cursor.at += found.length
  return found
}

function skipBlank(cursor: Cursor): void {
  take(cursor, BLANK)
}

function syntaxError(cursor: Cursor, message: string): undefined {
  const at = cursor.locate(cursor.at, cursor.at + 1)
  const ended = cursor.at >= cursor.text.length
  cursor.problems.push(problem('PLAN_SYNTAX', ended ? `the text ends too early: ${message}` : message, { at }))
}
