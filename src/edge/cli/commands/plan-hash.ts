/**
 * `keelson plan hash`: the SHA-256 of a file as it is, which a reference to it says, and of the plan that is made of it. A document
 * of another project is imported for that.
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { madeOf } from '../../../app/plans/plan-source.ts'
import { unwrap } from '../../../core/result.ts'
import { readSourceText } from '../../../library/plans/compile-apart.ts'
import { hashesOf, planPath } from '../files/plan-file.ts'
import { readPlanBytes } from '../files/text-file.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'

export async function planHash({ args, options, terminal }: Call): Promise<number> {
  const file = planPath(args[0] ?? '')
  const { text, source } = readPlanBytes(file)
  const read = unwrap(readSourceText(text, { file }))
  const { from } = read.compiled.source ?? {}
  const compiled = madeOf(read.compiled, source)
  const { planId, planVersion } = compiled.plan.metadata
  const { schemaVersion = compiled.plan.schemaVersion } = read
  const { sha256, sourceSha256 } = hashesOf(compiled)
  if (options.json) {
    const { sizeBytes } = source
    const uri = pathToFileURL(resolve(file)).href
    const planRef = { uri, sha256: sourceSha256, schemaVersion, planId, planVersion, sizeBytes }
    terminal.json({ file, planId, planVersion, sha256, sourceSha256, ...(from === undefined ? {} : { from }), planRef })
    return EXIT.completed
  }
  const { bold, dim } = terminal.paint
  terminal.line(`${sourceSha256}   ${file} ${dim(`as it is, ${source.sizeBytes} bytes`)}`)
  const made = from === undefined ? 'compiled' : `imported from ${from} and compiled`
  terminal.line(`${sha256}   ${bold(planId)} ${planVersion} ${dim(made)}`)
  return EXIT.completed
}
