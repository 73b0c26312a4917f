/** Lines and columns of a text as places in it, and what a line break brings with it. */
import type { Position } from '../../../src/core/problems/problem.ts'

/** As the styles say. */
export const LINE_PX = 20

/** From 0; behind the end where the text is shorter. */
export function offsetOf(text: string, { line, column }: Pick<Position, 'line' | 'column'>): number {
  let at = 0
  for (let passed = 1; passed < line; passed += 1) {
    const next = text.indexOf('\n', at)
    if (next < 0) return text.length
    at = next + 1
  }
  return Math.min(text.length, at + column - 1)
}

export function lineCount(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

/** The blanks that the next line begins with: as this one, deeper after a colon, and beside what stands after a dash. */
export function indentAfter(text: string, caret: number): string {
  const line = text.slice(text.lastIndexOf('\n', caret - 1) + 1, caret)
  const [lead = ''] = /^ *(?:- +)*/.exec(line) ?? []
  const blanks = ' '.repeat(lead.length)
  return /:\s*$/.test(line) ? `${blanks}  ` : blanks
}

/** Line and column, from 1. */
export function placeOf(text: string, caret: number): Pick<Position, 'line' | 'column'> {
  const before = text.slice(0, caret)
  return { line: lineCount(before), column: caret - before.lastIndexOf('\n') }
}
