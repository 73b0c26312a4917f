/** The command in a terminal: a pty of a given width, keys that a person types, and the screen they see. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/terminal.ts'
import { startChild } from '../fixtures/child.ts'
import { until } from './command.ts'

const BIN = join(ROOT, 'bin', 'keelson.js')
/** Of util-linux, or of bsdutils: every Linux has it. */
const SCRIPT = '/usr/bin/script'
export const CTRL_C = '\u0003'

export interface Seen {
  readonly code: number | null
  /** All that was written, with its cursor moves. */
  readonly text: string
  /** What the screen shows at the end. */
  readonly screen: string
}

export class TypedTerminal {
  readonly #child: ReturnType<typeof startChild>
  readonly finished: Promise<Seen>
  text = ''

  constructor(args: readonly string[], cwd: string, columns: number, rows = 24) {
    if (!existsSync(SCRIPT))
      throw new Error(`${SCRIPT} is missing: install util-linux, or no test can type in a terminal`)
    const { CI: _ci, ...env } = process.env
    const quoted = [process.execPath, BIN, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
    // No shell waits beside the command: it has the terminal to itself, and its exit code is that of `script`.
    writeFileSync(join(cwd, '.typed.sh'), `stty cols ${columns} rows ${rows}\nexec ${quoted}\n`)
    const words = ['-qefc', 'exec sh .typed.sh', '/dev/null']
    this.#child = startChild(SCRIPT, words, { cwd, env: { ...env, TERM: 'xterm', NO_COLOR: '1' } }, null)
    this.#child.stdout.on('data', (chunk: Buffer) => (this.text += chunk.toString('utf8')))
    this.finished = new Promise((resolve) => {
      this.#child.on('close', (code) => resolve({ code, text: this.text, screen: screenOf(this.text) }))
    })
  }

  async shows(pattern: RegExp): Promise<RegExpExecArray> {
    return until(
      `${String(pattern)} in ${JSON.stringify(this.text.slice(-2000))}`,
      () => pattern.exec(this.text) ?? undefined,
    )
  }

  type(keys: string): void {
    this.#child.stdin.write(keys)
  }
}

const ESCAPE = '\u001b'
const MOVE = new RegExp(`^${ESCAPE}\\[([\\d;?]*)([A-Za-z])$`)
const PARTS = new RegExp(`(${ESCAPE}\\[[\\d;?]*[A-Za-z]|\\r\\n|\\n)`)

/** Plays the few cursor moves that the command makes: to the first column, up, and clear what is below. */
export function screenOf(text: string): string {
  const lines: string[] = ['']
  let row = 0
  for (const part of text.split(PARTS)) {
    const [, amount = '', move] = MOVE.exec(part) ?? []
    if (move === 'A') row = Math.max(0, row - Number(amount))
    else if (move === 'J') lines.splice(row, lines.length, '')
    else if (move !== undefined || part === '\r') continue
    else if (part === '\n' || part === '\r\n') {
      row += 1
      lines[row] ??= ''
    } else lines[row] = (lines[row] ?? '') + part
  }
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()
}

/** Lines of anything that was ever on the screen and did not fit on it. */
export function tooWide(text: string, columns: number): readonly string[] {
  // What was typed is shown by the terminal itself, wherever the picture was at that moment.
  const written = text.replaceAll('^C', '')
  return written.split(PARTS).filter((line) => !line.startsWith(ESCAPE) && [...line].length > columns)
}
