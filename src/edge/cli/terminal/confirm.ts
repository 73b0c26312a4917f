/** Asks before an action that deserves a second thought. Where nobody can be asked, `--yes` is required. */
import { fail } from '../../../core/problems/problem.ts'
import type { Options } from './command.ts'
import type { Terminal } from './terminal.ts'

/** False when the person says no. `why` it is asked, as a sentence without its end. */
export async function confirm(
  question: string,
  options: Options,
  terminal: Terminal,
  why = 'this cannot be undone',
): Promise<boolean> {
  if (options.flag('yes')) return true
  if (!terminal.canAsk || options.json) fail('USAGE', `${why}, and nobody can be asked here: say --yes`)
  return /^y(es)?$/i.test((await terminal.ask(`${question} [y/N] `)).trim())
}
