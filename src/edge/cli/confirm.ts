/** Asks before what cannot be undone. Where nobody can be asked, `--yes` must have been said. */
import { createInterface } from 'node:readline/promises'
import { fail } from '../../core/problems/problem.ts'
import type { Options } from './command.ts'
import type { Terminal } from './terminal.ts'

/** False when the person says no. */
export async function confirm(question: string, options: Options, terminal: Terminal): Promise<boolean> {
  if (options.flag('yes')) return true
  if (!terminal.isTty || !process.stdin.isTTY || options.json)
    fail('USAGE', 'this cannot be undone, and nobody can be asked here: say --yes')
  const asking = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const answer = await asking.question(`${question} [y/N] `)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    asking.close()
  }
}
