/**
 * A terminal's screen, as far as our own command writes on one: text, colours, line ends, the cursor moved up, lines erased. What it
 * shows at an instant is a list of rows of coloured pieces.
 */
export interface Piece {
  readonly text: string
  /** A class of the picture: `green`, `bold dim`, … */
  readonly style: string
}
export type Row = readonly Piece[]

interface Cell {
  readonly char: string
  readonly style: string
}

const COLOURS: Readonly<Record<number, string>> = {
  30: 'dim',
  31: 'red',
  32: 'green',
  33: 'yellow',
  34: 'blue',
  35: 'magenta',
  36: 'cyan',
  37: '',
  90: 'dim',
}
/** A sequence of the terminal, or one character. */
const ESC = String.fromCharCode(27)
const PART = new RegExp(`${ESC}\\[([?\\d;]*)([A-Za-z])|${ESC}[=>78]|[\\s\\S]`, 'gu')

export class Screen {
  readonly #columns: number
  readonly #height: number
  #rows: Cell[][] = [[]]
  #x = 0
  #y = 0
  #bold = false
  #dim = false
  #colour = ''

  constructor(columns: number, height: number) {
    this.#columns = columns
    this.#height = height
  }

  write(text: string): void {
    for (const [part, parameters, letter] of text.matchAll(PART)) {
      if (letter !== undefined) this.#sequence(parameters ?? '', letter)
      else if (part === '\n') this.#down()
      else if (part === '\r') this.#x = 0
      else if (!part.startsWith(ESC) && part >= ' ') this.#put(part)
    }
  }

  /** What is on the screen now: the last rows. */
  rows(): readonly Row[] {
    return this.#rows.slice(-this.#height).map(piecesOf)
  }

  #put(char: string): void {
    if (this.#x >= this.#columns) this.#down()
    const row = (this.#rows[this.#y] ??= [])
    while (row.length < this.#x) row.push({ char: ' ', style: '' })
    row[this.#x] = { char, style: [this.#colour, this.#bold && 'bold', this.#dim && 'dim'].filter(Boolean).join(' ') }
    this.#x += 1
  }

  #down(): void {
    this.#x = 0
    this.#y += 1
    this.#rows[this.#y] ??= []
  }

  #sequence(parameters: string, letter: string): void {
    const [first = 0] = parameters.split(';').map(Number)
    if (letter === 'A') this.#y = Math.max(0, this.#y - (first || 1))
    else if (letter === 'G') this.#x = Math.max(0, first - 1)
    else if (letter === 'K') this.#eraseLine(first)
    else if (letter === 'J') {
      this.#eraseLine(0)
      this.#rows.length = this.#y + 1
    } else if (letter === 'm') for (const code of parameters.split(';')) this.#style(Number(code))
  }

  #eraseLine(how: number): void {
    this.#rows[this.#y] = how === 0 ? (this.#rows[this.#y] ?? []).slice(0, this.#x) : []
  }

  #style(code: number): void {
    if (code === 0) [this.#bold, this.#dim, this.#colour] = [false, false, '']
    else if (code === 1) this.#bold = true
    else if (code === 2) this.#dim = true
    else if (code === 22) [this.#bold, this.#dim] = [false, false]
    else if (code === 39) this.#colour = ''
    else this.#colour = COLOURS[code] ?? this.#colour
  }
}

/** Neighbours of one style are one piece; trailing spaces are none. */
function piecesOf(row: readonly Cell[]): Row {
  const pieces: { text: string; readonly style: string }[] = []
  for (const { char, style } of row) {
    const last = pieces.at(-1)
    if (last?.style === style) last.text += char
    else pieces.push({ text: char, style })
  }
  return pieces.filter(({ text }, at) => at < pieces.length - 1 || text.trim() !== '')
}
