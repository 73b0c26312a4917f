/** `keelson help <CODE>`: the page of an error code, from the registry that docs/errors is generated from. */
import { fail } from '../../../core/problems/problem.ts'
import { isProblemCode, REGISTRY } from '../../../core/problems/registry.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import type { Terminal } from '../terminal/terminal.ts'

export function helpCode(terminal: Terminal, topic: string, commands: readonly string[]): number {
  const code = topic.toUpperCase().replaceAll('-', '_')
  if (!isProblemCode(code)) {
    const known = topic === code ? Object.keys(REGISTRY) : commands
    return fail('USAGE', `'${topic}' is neither a command nor an error code`, didYouMean(topic, known))
  }
  const { title, did, todo, retryable } = REGISTRY[code]
  const { bold } = terminal.paint
  terminal.line(bold(code))
  terminal.line(`  what happened      ${title}`)
  terminal.line(`  what Keelson did   ${did}`)
  terminal.line(`  what to do         ${todo}`)
  terminal.line(`  trying again       ${retryable ? 'may help without a change' : 'will not help without a change'}`)
  return EXIT.completed
}
