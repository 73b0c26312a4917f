/** `keelson plan compile`: the canonical JSON that is a plan's identity, byte for byte, and its SHA-256. */
import { writeFileSync } from 'node:fs'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { hashesOf, readPlanFile } from '../files/plan-file.ts'

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
      ...hashesOf(compiled),
      ...(out === undefined ? { plan: compiled.plan } : { file: out }),
    })
  else if (out !== undefined)
    terminal.line(`${green('✔')} ${out}   ${bold(planId)} ${planVersion}   ${dim(`sha256 ${compiled.sha256}`)}`)
  else {
    // Piped, the bytes are exactly the hashed ones: nothing is added.
    terminal.exact(compiled.text)
    if (terminal.isTty) terminal.line()
    if (terminal.isTty) terminal.line(dim(`sha256 ${compiled.sha256}`))
  }
  return EXIT.completed
}
