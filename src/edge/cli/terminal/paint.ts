/**
 * Colour and cursor moves of the command itself. They are written with a random mark per process instead of the escape
 * character; the terminal replaces the mark after it has escaped everything else, so no data can set colours.
 */
import picocolors from 'picocolors'

export type Paint = ReturnType<typeof picocolors.createColors>

export interface Screen {
  readonly hideCursor: string
  readonly showCursor: string
  /** To the start of the line that many lines above; clears everything below. */
  readonly clearFrom: (linesAbove: number) => string
}

const ESCAPE = '\u001b'
const BETWEEN = '\u0000'

export function markedPaint(isColourful: boolean, mark: string): Paint {
  const plain = picocolors.createColors(isColourful)
  if (!isColourful) return plain
  const names = Object.keys(plain).filter((name) => name !== 'isColorSupported') as Exclude<
    keyof Paint,
    'isColorSupported'
  >[]
  const marked = names.map((name) => {
    const [open = '', close = ''] = plain[name](BETWEEN).replaceAll(ESCAPE, mark).split(BETWEEN)
    // After inner paint ends, the outer paint continues.
    const paint = (text: unknown): string => open + String(text).replaceAll(close, close + open) + close
    return [name, paint] as const
  })
  return { ...plain, ...Object.fromEntries(marked) }
}

export function screenWith(mark: string): Screen {
  return {
    hideCursor: `${mark}[?25l`,
    showCursor: `${mark}[?25h`,
    clearFrom: (linesAbove) => `${mark}[1G${linesAbove === 0 ? '' : `${mark}[${linesAbove}A`}${mark}[0J`,
  }
}

/** Cleans everything except the marks, which become escape characters. */
export function shown(text: string, mark: string, clean: (part: string) => string): string {
  return text.split(mark).map(clean).join(ESCAPE)
}

const COLOURS = new RegExp(`${ESCAPE}\\[[\\d;]*m`, 'g')

/** The output of steps: its colours are removed, because its author is unknown. */
export function withoutColours(text: string): string {
  return text.replace(COLOURS, '')
}
