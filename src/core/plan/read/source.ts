/**
 * The plan's text as a tree that remembers where each value was written. Positions are computed only for a problem, so
 * that a plan without problems pays nothing for them.
 */
import type { Position } from '../../problems/problem.ts'
import type { Json } from '../plan.ts'

export interface SourceEntry {
  readonly key: string
  readonly start: number
  readonly end: number
  readonly node: SourceNode
}

export interface SourceNode {
  readonly start: number
  readonly end: number
  readonly value: Json
  readonly entries?: readonly SourceEntry[]
  readonly items?: readonly SourceNode[]
  /** Levels below this one, and characters when expanded: the cost of an alias to this node. */
  readonly height: number
  readonly weight: number
}

/** Turns offsets into lines and columns, both from 1; a column counts UTF-16 units as editors do. */
export type Locate = (start: number, end: number) => Position

export function locator(text: string, file: string | undefined): Locate {
  let lineStarts: number[] | undefined
  return (start, end) => {
    lineStarts ??= findLineStarts(text)
    const line = lastNotAfter(lineStarts, start)
    const lineEnd = text.indexOf('\n', start)
    const length = Math.max(1, Math.min(end, lineEnd === -1 ? text.length : lineEnd) - start)
    const position = { line: line + 1, column: start - (lineStarts[line] ?? 0) + 1, length }
    return file === undefined ? position : { file, ...position }
  }
}

function findLineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function lastNotAfter(starts: readonly number[], offset: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

export interface Span {
  readonly start: number
  readonly end: number
}

/** The span of a JSON pointer; `key` asks for the span of the key instead of the value. */
export function spanOf(root: SourceNode, pointer: string, part: 'key' | 'value'): Span | undefined {
  if (pointer === '') return root
  let node = root
  let entry: SourceEntry | undefined
  for (const segment of pointer.slice(1).split('/')) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~')
    entry = node.entries?.find((candidate) => candidate.key === key)
    const next = entry?.node ?? node.items?.[Number(key)]
    if (next === undefined) return undefined
    node = next
  }
  return part === 'key' && entry !== undefined ? entry : node
}

export function pointerSegment(key: string | number): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}
