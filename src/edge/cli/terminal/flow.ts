/**
 * Text that fits the terminal: parts stand beside each other where there is room, otherwise below; words wrap under
 * each other. In a pipe nothing is wrapped: a line is a line there.
 */
import { cutMiddle } from './format.ts'
import type { Terminal } from './terminal.ts'

export interface Part {
  readonly text: string
  /** Applied after the text was cut. */
  readonly paint?: (text: string) => string
}

const GAP = '   '
const INDENT = '  '

export function widthOf({ isTty, columns }: Pick<Terminal, 'isTty' | 'columns'>): number {
  return isTty ? columns : Infinity
}

/** Parts on as few lines as they need; a part that is too long for a line of its own is cut in the middle. */
export function flow(parts: readonly Part[], width: number): readonly string[] {
  const lines: { painted: string; length: number }[] = []
  for (const { text, paint = (plain: string) => plain } of parts) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + GAP.length + text.length <= width) {
      last.painted += GAP + paint(text)
      last.length += GAP.length + text.length
      continue
    }
    const indent = last === undefined ? '' : INDENT
    const cut = cutMiddle(text, width - indent.length)
    lines.push({ painted: indent + paint(cut), length: indent.length + cut.length })
  }
  return lines.map(({ painted }) => painted)
}

/** Words on lines of at most `width` characters; later lines are indented. A longer word has a line of its own. */
export function wrapped(text: string, width: number, indent = ''): readonly string[] {
  const lines: string[] = []
  let line = ''
  // Two blanks or more keep their distance as long as they stay on a line.
  for (const [, gap = '', word = ''] of text.matchAll(/(\s*)(\S+)/g)) {
    if (line === '' && lines.length === 0) line = gap + word
    else if (line.length + gap.length + word.length <= width) line += gap + word
    else {
      lines.push(line)
      line = indent + word
    }
  }
  return [...lines, line]
}
