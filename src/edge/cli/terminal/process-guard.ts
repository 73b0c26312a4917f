/**
 * Guards the process of a command, which also runs the user's code. An uncaught error fails the step that it came from;
 * where no step can be named, or code calls process.exit, the command ends with one message and its own exit code.
 */
import { writeSync } from 'node:fs'
import { problem, type Problem } from '../../../core/problems/problem.ts'
import { REGISTRY } from '../../../core/problems/registry.ts'
import { inWords, strayError } from '../../../core/problems/stray-error.ts'
import { visibleJson, visibleLines, visibleText } from '../../../core/visible-text.ts'
import { allAtWork, whoseContext, type AtWork } from './at-work.ts'
import { whenLoopRunsEmpty } from './empty-loop.ts'
import { EXIT } from './exit-codes.ts'
import { shortId } from './format.ts'

export interface Guarded {
  readonly argv: readonly string[]
  readonly json: boolean
  readonly debug: boolean
}

let isOver = false
/** The original one: while a steps file is loaded, process.exit is replaced. */
const exit = process.exit.bind(process)

/** The command has ended: from here on an exit is no mistake. */
export function endProcess(code: number): never {
  isOver = true
  return exit(code)
}

/** Only our own process may be guarded like this: a program that uses the library has its own listeners. */
export function guardProcess(guarded: Guarded): void {
  process.on('uncaughtException', (thrown) => takeStray(guarded, thrown))
  process.on('unhandledRejection', (thrown) => takeStray(guarded, thrown))
  process.on('exit', (code) => {
    if (isOver) return
    const whose = whoseContext()
    const who = whose === undefined ? 'something' : whose.name
    tell(
      guarded,
      problem('EXITED_EARLY', `${who} called process.exit(${code}) in ${processName(guarded)}${others(whose)}`),
    )
    process.exitCode = EXIT.cutShort
  })
  whenLoopRunsEmpty(() => {
    tell(guarded, problem('NOTHING_LEFT', `nothing can happen any more in ${processName(guarded)}${others()}`))
    endProcess(EXIT.cutShort)
  })
  keepContextOfMicrotasks(guarded)
}

function takeStray(guarded: Guarded, thrown: unknown, whose = whoseContext()): void {
  if (whose === undefined) {
    tell(guarded, problem('STRAY_ERROR', `${inWords(thrown)}, in ${processName(guarded)}${others()}`), thrown)
    endProcess(EXIT.cutShort)
  }
  if (!whose.isOver) return whose.fail(strayError(thrown))
  // Nothing waits for it any more; one line is enough.
  write(2, `STRAY_ERROR  ${inWords(thrown)}: left behind by ${whose.name}, which had ended; nothing was changed\n`)
}

/** Only for microtasks does Node forget the async context before it reports the error. */
function keepContextOfMicrotasks(guarded: Guarded): void {
  const original = globalThis.queueMicrotask
  globalThis.queueMicrotask = (callback) => {
    const whose = whoseContext()
    if (whose === undefined) return original(callback)
    original(() => {
      try {
        callback()
      } catch (thrown) {
        takeStray(guarded, thrown, whose)
      }
    })
  }
}

/** Values of options may be secret: the words before them are enough to name the command. */
function processName({ argv }: Guarded): string {
  const options = argv.findIndex((one) => one.startsWith('-'))
  const words = options < 0 ? argv : argv.slice(0, options)
  return `process ${process.pid} (${['keelson', ...words].join(' ')})`
}

function others(but?: AtWork): string {
  const names = allAtWork().flatMap((one) => (one === but ? [] : [one.name]))
  return names.length === 0 ? '' : `; at work ${but === undefined ? 'were' : 'were also'} ${names.join('; ')}`
}

/** At once: this process may have no further turn. */
function tell({ json, debug }: Guarded, told: Problem, thrown?: unknown): void {
  const { todo } = REGISTRY[told.code]
  if (json) write(1, `${visibleJson(JSON.stringify({ problems: [{ ...told, todo }] }))}\n`)
  else {
    const runs = new Set(allAtWork().flatMap(({ runId }) => (runId === undefined ? [] : [shortId(runId)])))
    const ways = [...runs].map((run) => `  look: npx keelson show ${run}   go on: npx keelson resume ${run}\n`)
    write(2, `\n${told.code}  ${visibleText(told.message)}\n  ${todo}\n${ways.join('')}`)
  }
  if (debug && thrown instanceof Error) write(2, `${thrown.stack ?? thrown.message}\n`)
}

function write(stream: 1 | 2, text: string): void {
  try {
    writeSync(stream, visibleLines(text))
  } catch {
    // A reader that is gone cannot be told; the exit code still says it.
  }
}
