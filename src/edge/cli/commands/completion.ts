/** `keelson completion`: the script that teaches a shell this command's words. */
import { fail } from '../../../core/problems/problem.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import type { Call } from '../terminal/command.ts'
import { completionScript, SHELLS } from './completion-script.ts'
import { EXIT } from '../terminal/exit-codes.ts'

export async function completion({ args, options, terminal, table }: Call): Promise<number> {
  const name = args[0] ?? ''
  const shell = SHELLS.find((one) => one === name)
  if (shell === undefined)
    return fail('USAGE', `'${name}' is not a shell; it is one of ${SHELLS.join(', ')}`, didYouMean(name, SHELLS))
  const script = completionScript(shell, table)
  if (options.json) terminal.json({ shell, script })
  else terminal.write(script)
  return EXIT.completed
}
