/**
 * Problems for people: where, the code, what is wrong, the line itself with a caret, and what to do next. As JSON they
 * are one line with everything in it.
 */
import { readFileSync } from 'node:fs'
import { KeelsonError, problem, type Position, type Problem } from '../../../core/problems/problem.ts'
import { REGISTRY } from '../../../core/problems/registry.ts'
import { KILLS_PROCESS } from '../../../core/engine/last-words.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { oneLine, plural } from '../terminal/format.ts'

export interface Telling {
  readonly json: boolean
  /** Show stack traces. */
  readonly debug: boolean
}

/** The system's file errors in words; its own text for the rest. */
const REFUSALS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of this user is used up',
  EFBIG: 'the file would be larger than this user may make one',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read only',
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'it is a folder',
  EMFILE: 'this process has too many files open',
}

function fileProblem(thrown: unknown): Problem | undefined {
  if (!(thrown instanceof Error)) return undefined
  const { code = '', syscall, path } = thrown as NodeJS.ErrnoException
  if (syscall === undefined || !/^E[A-Z]+$/.test(code)) return undefined
  const why = REFUSALS[code] ?? thrown.message
  return problem('FILE_UNUSABLE', `${path ?? 'a file'}: ${why} (${code}, ${syscall})`)
}

/** Anything thrown, as problems: an unexpected error is INTERNAL. */
export function problemsOf(thrown: unknown): readonly [Problem, ...Problem[]] {
  if (thrown instanceof KeelsonError) {
    const [first, ...rest] = thrown.problems
    if (first !== undefined) return [first, ...rest]
  }
  return [fileProblem(thrown) ?? problem('INTERNAL', thrown instanceof Error ? thrown.message : String(thrown))]
}

export function tellProblems(terminal: Terminal, thrown: unknown, { json, debug }: Telling): void {
  const problems = problemsOf(thrown)
  if (json) terminal.json({ problems: problems.map((one) => ({ ...one, todo: todoOf(one) })) })
  else if (problems.some((one) => one.at !== undefined)) tellPlaced(terminal, problems)
  else tellPlain(terminal, problems)
  if (debug && thrown instanceof Error) terminal.errorLines(terminal.errorPaint.dim(stackOf(thrown)))
}

/** For a run that was set aside it depends on the reason, for wrong usage on the command that was typed. */
function todoOf({ code, details }: Problem): string {
  const command = code === 'USAGE' ? details?.['command'] : undefined
  if (typeof command === 'string') return `See \`keelson help ${command}\`.`
  const isKilling = code === 'RUN_QUARANTINED' && details?.['code'] === KILLS_PROCESS
  return REGISTRY[isKilling ? KILLS_PROCESS : code].todo
}

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : ''
  return `${error.stack ?? error.message}${cause}`
}

function tellPlain(terminal: Terminal, problems: readonly Problem[]): void {
  const { bold, red, dim } = terminal.errorPaint
  for (const one of problems) {
    terminal.errorLine(`${bold(red(one.code))}  ${one.message}${one.hint === undefined ? '' : `; ${one.hint}`}`)
    terminal.errorLine(dim(`  ${todoOf(one)}`))
  }
}

function tellPlaced(terminal: Terminal, problems: readonly Problem[]): void {
  const { bold, red, cyan, dim } = terminal.errorPaint
  for (const one of problems) {
    const place = one.at === undefined ? '' : `${cyan(placeText(one.at))}  `
    const excerpt = one.at === undefined ? undefined : sourceLine(one.at)
    const hint = one.hint === undefined || excerpt !== undefined ? '' : `; ${one.hint}`
    terminal.errorLine(`${place}${bold(red(one.code))}  ${one.message}${hint}`)
    if (one.at !== undefined && excerpt !== undefined) tellExcerpt(terminal, one.at, excerpt, one.hint)
  }
  const code = problems[0]?.code ?? 'INTERNAL'
  terminal.errorLine(`${plural(problems.length, 'problem')}, nothing was started.   ${dim(`keelson help ${code}`)}`)
}

/** Help for a problem whose line was already written: the source, or what to do. */
export function tellNote(terminal: Terminal, one: Problem): void {
  const { at, hint } = one
  const excerpt = at === undefined ? undefined : sourceLine(at)
  if (at !== undefined && excerpt !== undefined) tellExcerpt(terminal, at, excerpt, hint)
  else if (hint !== undefined) terminal.errorLine(`  ${hint}`)
  terminal.errorLine(terminal.errorPaint.dim(`  ${todoOf(one)}`))
}

export function placeText({ file, line, column }: Position): string {
  return `${file ?? 'plan'}:${line}:${column}`
}

function sourceLine({ file, line }: Position): string | undefined {
  if (file === undefined) return undefined
  try {
    return readFileSync(file, 'utf8').split('\n')[line - 1]
  } catch {
    return undefined
  }
}

const EXCERPT_CHARS = 100

function tellExcerpt(terminal: Terminal, { line, column, length = 1 }: Position, source: string, hint?: string): void {
  const { dim, red, yellow } = terminal.errorPaint
  const from = Math.max(0, column + Math.min(length, 20) - EXCERPT_CHARS)
  const shown = source
    .slice(from, from + EXCERPT_CHARS)
    .replaceAll('\t', ' ')
    .trimEnd()
  const at = column - 1 - from
  const carets = '^'.repeat(Math.max(1, Math.min(length, shown.length - at)))
  const gutter = String(line).padStart(5)
  terminal.errorLine(`${dim(`${gutter} │`)} ${oneLineKeepingStart(shown)}`)
  terminal.errorLine(
    `${dim(`${' '.repeat(gutter.length)} │`)} ${' '.repeat(at)}${red(carets)}${hint === undefined ? '' : ` ${yellow(hint)}`}`,
  )
}

/** The caret below counts characters, so the beginning of the text must keep its position. */
function oneLineKeepingStart(text: string): string {
  const indent = /^ */.exec(text)?.[0] ?? ''
  return indent + oneLine(text.slice(indent.length), EXCERPT_CHARS)
}
