/**
 * Where the command writes: plain text to stdout, refusals to stderr, colour only on a terminal. It is the only way
 * out: no character that a terminal acts on leaves unless it is our own. The output of step functions goes through it
 * too, and can be caught, so that it neither breaks a redrawn picture nor mixes into JSON lines.
 */
import { StringDecoder } from 'node:string_decoder'
import type { WriteStream } from 'node:tty'
import { visibleJson, visibleLines, visibleText } from '../../../core/visible-text.ts'
import { EXIT } from './exit-codes.ts'
import { markedPaint, screenWith, shown, withoutColours, type Paint, type Screen } from './paint.ts'
import { endProcess } from './process-guard.ts'

export interface Terminal {
  /** Stdout is a terminal that can be redrawn. */
  readonly isTty: boolean
  /** A person is present who can be asked. */
  readonly canAsk: boolean
  /** The reader of stdout has gone: nothing is shown any more. */
  readonly isLeft: boolean
  readonly columns: number
  readonly rows: number
  readonly paint: Paint
  readonly errorPaint: Paint
  readonly screen: Screen
  /** Several lines, or a part of one. */
  write(text: string): void
  /** One line: a line feed in it is shown as text, so that no name or message can look like another line. */
  line(text?: string): void
  errorLine(text: string): void
  errorLines(text: string): void
  /** The output of other code. */
  othersText(text: string, stream: 'stdout' | 'stderr'): void
  json(value: unknown): void
  /** For a program that reads stdout: exact bytes. On a terminal, only what is safe to show. */
  exact(text: string): void
  /** The person's answer; only where a person can be asked. */
  ask(question: string): Promise<string>
  /** From now on writes of other code go to `take`; the returned function ends that. */
  catchOthers(take: (text: string, stream: 'stdout' | 'stderr') => void): () => void
  /** Resolves when everything written has left the process. */
  flush(): Promise<void>
}

const WIDTH_WITHOUT_TERMINAL = 120
const HEIGHT_WITHOUT_TERMINAL = 40

function colourful(stream: WriteStream): boolean {
  const { NO_COLOR, TERM } = process.env
  // A pipe has no `isTTY` at all, and the paint library would guess: in colour wherever CI is set.
  return Boolean(stream.isTTY) && (NO_COLOR === undefined || NO_COLOR === '') && TERM !== 'dumb'
}

export function processTerminal(): Terminal {
  const { stdout, stderr } = process
  const { writers, mark, isLeft } = openWriters(stdout, stderr)
  const { show, tell, one, several, others } = writers
  const release = (): void => catchOthers(stdout, stderr, others)
  release()
  const isTty = Boolean(stdout.isTTY) && process.env['TERM'] !== 'dumb' && process.env['CI'] === undefined
  return {
    isTty,
    canAsk: isTty && process.stdin.isTTY,
    get isLeft() {
      return isLeft()
    },
    get columns() {
      return stdout.isTTY ? stdout.columns : WIDTH_WITHOUT_TERMINAL
    },
    get rows() {
      return stdout.isTTY ? stdout.rows : HEIGHT_WITHOUT_TERMINAL
    },
    paint: markedPaint(colourful(stdout), mark),
    errorPaint: markedPaint(colourful(stderr), mark),
    screen: screenWith(mark),
    write: (text) => show(several(text)),
    line: (text = '') => show(one(text)),
    errorLine: (text) => tell(one(text)),
    errorLines: (text) => tell(`${several(text)}\n`),
    othersText: others,
    json: (value) => show(`${visibleJson(JSON.stringify(value))}\n`),
    exact: (text) => show(stdout.isTTY ? visibleJson(text) : text),
    async ask(question) {
      show(several(question))
      const { createInterface } = await import('node:readline/promises')
      const asking = createInterface({ input: process.stdin })
      try {
        return await asking.question('')
      } finally {
        asking.close()
      }
    },
    catchOthers(take) {
      catchOthers(stdout, stderr, take)
      return release
    },
    flush: writers.flush,
  }
}

interface Writers {
  readonly show: (text: string) => void
  readonly tell: (text: string) => void
  /** For one line, and for text of several lines: safe to show. */
  readonly one: (text: string) => string
  readonly several: (text: string) => string
  readonly others: Take
  readonly flush: () => Promise<void>
}

/** The original streams, before writes of other code are caught. */
function openWriters(
  stdout: WriteStream,
  stderr: WriteStream,
): { readonly writers: Writers; readonly mark: string; readonly isLeft: () => boolean } {
  const writeOut = stdout.write.bind(stdout)
  const writeErr = stderr.write.bind(stderr)
  const mark = `\u0001${crypto.randomUUID()}\u0002`
  let isLeft = false
  const show = (text: string): void => {
    if (!isLeft) writeOut(text)
  }
  const tell = (text: string): void => void writeErr(text)
  const one = (text: string): string => `${shown(text, mark, visibleText)}\n`
  stderr.on('error', () => undefined)
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closed its end (`keelson verify … | head -1`) has all it wants; the work continues and sets the
    // exit code.
    if (error.code === 'EPIPE') isLeft = true
    if (isLeft) return
    // Runs are in their log, watched or not; a failure to show them is worth only one line.
    tell(one(`FILE_UNUSABLE  standard output cannot be written (${error.message}); runs are kept`))
    endProcess(EXIT.environment)
  })
  const flush = async (): Promise<void> => {
    if (!isLeft) await new Promise<void>((resolve) => void writeOut('', () => resolve()))
    await new Promise<void>((resolve) => void writeErr('', () => resolve()))
  }
  const several = (text: string): string => shown(text, mark, visibleLines)
  const others: Take = (text, stream) => (stream === 'stdout' ? show : tell)(visibleLines(withoutColours(text)))
  return { writers: { show, tell, one, several, others, flush }, mark, isLeft: () => isLeft }
}

type Take = (text: string, stream: 'stdout' | 'stderr') => void

/** From now on, everything written to the streams of this process goes to `take`. */
function catchOthers(stdout: WriteStream, stderr: WriteStream, take: Take): void {
  const catching = (name: 'stdout' | 'stderr'): WriteStream['write'] => {
    // A character may arrive in two parts.
    const decoder = new StringDecoder('utf8')
    return (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
      const encoding = typeof rest[0] === 'string' ? (rest[0] as BufferEncoding) : 'utf8'
      const isText = typeof chunk === 'string' && /^utf-?8$/i.test(encoding)
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk)
      take(isText ? chunk : decoder.write(bytes), name)
      const done = rest.findLast((one) => typeof one === 'function') as (() => void) | undefined
      if (done !== undefined) queueMicrotask(done)
      return true
    }
  }
  stdout.write = catching('stdout')
  stderr.write = catching('stderr')
}
