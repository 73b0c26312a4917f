/**
 * Before a foreign plan starts here for the first time: what it can reach is shown, and a person is asked. Foreign
 * means outside the current git work tree, or outside the current folder where there is none. Own plans need no
 * question.
 */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fail } from '../../../core/problems/problem.ts'
import type { Options } from '../terminal/command.ts'
import { reachLines, type UnusedFile } from '../output/reach.ts'
import type { PlanFile } from '../files/plan-file.ts'
import { isKnownPlan } from '../files/sources.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface FirstStart {
  readonly file: PlanFile
  readonly children: readonly PlanFile[]
  readonly unused?: readonly UnusedFile[]
  /** The file that functions would be loaded from. */
  readonly steps: string | undefined
  /** It was published here before. */
  readonly isOurs?: boolean
}

/**
 * False when the person says no. A lock says what is allowed, and `--trust` allows everything: then nobody is asked.
 */
export async function mayStart(
  { file, children, unused = [], steps, isOurs = false }: FirstStart,
  options: Options,
  terminal: Terminal,
): Promise<boolean> {
  const isAsked = options.flag('review')
  if (isAsked && options.flag('trust')) fail('USAGE', '--review asks you, --trust does not: use only one of them')
  const isStranger = !isOurs && isElsewhere(file.path) && !isKnownPlan(options.dir, file.compiled.sha256)
  if (!isAsked && (options.flag('trust') || options.flag('locked') || !isStranger)) return true
  const shown = steps === undefined ? undefined : relative('.', steps)
  const reaching = { plans: [file, ...children].map(({ compiled }) => compiled), steps: shown, unused }
  for (const line of reachLines(reaching, terminal.errorPaint)) terminal.errorLine(line)
  if (terminal.canAsk && !options.json) return /^y(es)?$/i.test((await terminal.ask('Run it? [y/N] ')).trim())
  if (isAsked) fail('USAGE', 'nobody can be asked here: say --trust, or --locked, instead of --review')
  return true
}

function isElsewhere(path: string): boolean {
  const own = workTreeOf(realpathSync('.'))
  const place = realpathSync(path)
  return !place.startsWith(own.endsWith(sep) ? own : own + sep)
}

/** The folder with `.git` in it, here or above; else the current one. */
function workTreeOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (dirname(at) === at) return folder
  }
}
