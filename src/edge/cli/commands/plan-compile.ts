/** `keelson plan compile`: the canonical JSON that is a plan's identity, byte for byte, and its SHA-256. */
import { writeFileSync } from 'node:fs'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { readPlanFile } from '../plan-file.ts'

export async function planCompile({ args, options, terminal }: Call): Promise<number> {
  const { compiled } = readPlanFile(args[0] ?? '')
  const { planId, planVersion } = compiled.plan.metadata
  const out = options.text('out')
  if (out !== undefined) writeFileSync(out, compiled.text)
  const { green, bold, dim } = terminal.paint
  if (options.json)
    terminal.json({
      planId,
      planVersion,
      sha256: compiled.sha256,
      ...(out === undefined ? { plan: compiled.plan } : { file: out }),
    })
  else if (out !== undefined)
    terminal.line(`${green('✔')} ${out}   ${bold(planId)} ${planVersion}   ${dim(`sha256 ${compiled.sha256}`)}`)
  else {
    // Piped, the bytes are the hashed ones: nothing is added to them.
    terminal.write(compiled.text + (terminal.isTty ? '\n' : ''))
    if (terminal.isTty) terminal.line(dim(`sha256 ${compiled.sha256}`))
  }
  return EXIT.completed
}
