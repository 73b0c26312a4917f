/**
 * Where the command writes: plain text to stdout, refusals to stderr, colour only on a terminal. What step functions
 * print themselves can be caught, so that it neither tears a redrawn picture nor mixes into JSON lines.
 */
import type { WriteStream } from 'node:tty'
import picocolors from 'picocolors'
import { EXIT } from './exit-codes.ts'
import { endProcess } from './process-guard.ts'

export type Paint = ReturnType<typeof picocolors.createColors>

export interface Terminal {
  /** Stdout is a terminal that can be redrawn. */
  readonly isTty: boolean
  /** Whoever read stdout has gone: nothing is shown to anybody any more. */
  readonly isLeft: boolean
  readonly columns: number
  readonly rows: number
  readonly paint: Paint
  readonly errorPaint: Paint
  /** Writes to stdout as it is. */
  write(text: string): void
  line(text?: string): void
  errorLine(text: string): void
  errorText(text: string): void
  json(value: unknown): void
  /** From now on writes of others go to `take`; the answer gives them back. */
  catchOthers(take: (text: string, stream: 'stdout' | 'stderr') => void): () => void
  /** Resolves when all that was written has left the process. */
  flush(): Promise<void>
}

const WIDTH_WITHOUT_TERMINAL = 120
const HEIGHT_WITHOUT_TERMINAL = 40

function colourful(stream: WriteStream): boolean {
  const { NO_COLOR, TERM } = process.env
  // A pipe has no `isTTY` at all, and paint that is not told guesses by itself: in colour wherever CI is set.
  return Boolean(stream.isTTY) && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb'
}

export function processTerminal(): Terminal {
  const { stdout, stderr } = process
  const writeOut = stdout.write.bind(stdout)
  const writeErr = stderr.write.bind(stderr)
  let isLeft = false
  const show = (text: string): void => {
    if (!isLeft) writeOut(text)
  }
  stderr.on('error', () => undefined)
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closed its end (`keelson verify … | head -1`) has all it wants; the work and its exit code go on.
    if (error.code === 'EPIPE') isLeft = true
    if (isLeft) return
    // Runs are in their log, whoever watches; what cannot be shown is not worth more than a line.
    writeErr(`FILE_UNUSABLE  standard output cannot be written (${error.message}); runs are kept\n`)
    endProcess(EXIT.environment)
  })
  return {
    isTty: Boolean(stdout.isTTY) && process.env['TERM'] !== 'dumb' && process.env['CI'] === undefined,
    get isLeft() {
      return isLeft
    },
    get columns() {
      return stdout.isTTY ? stdout.columns : WIDTH_WITHOUT_TERMINAL
    },
    get rows() {
      return stdout.isTTY ? stdout.rows : HEIGHT_WITHOUT_TERMINAL
    },
    paint: picocolors.createColors(colourful(stdout)),
    errorPaint: picocolors.createColors(colourful(stderr)),
    write: show,
    line: (text = '') => show(`${text}\n`),
    errorLine: (text) => void writeErr(`${text}\n`),
    errorText: (text) => void writeErr(text),
    json: (value) => show(`${JSON.stringify(value)}\n`),
    catchOthers(take) {
      const catching =
        (name: 'stdout' | 'stderr') =>
        (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
          take(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'), name)
          const done = rest.findLast((one) => typeof one === 'function') as (() => void) | undefined
          if (done !== undefined) queueMicrotask(done)
          return true
        }
      stdout.write = catching('stdout')
      stderr.write = catching('stderr')
      return () => {
        stdout.write = writeOut
        stderr.write = writeErr
      }
    },
    flush: async () => {
      if (!isLeft) await new Promise<void>((resolve) => void writeOut('', () => resolve()))
      await new Promise<void>((resolve) => void writeErr('', () => resolve()))
    },
  }
}
