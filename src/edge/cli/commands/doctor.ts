/** `keelson doctor`: is everything in order here? One line for each finding, with what to do. */
import { greatest } from '../../../core/collections/extremes.ts'
import type { Call } from '../terminal/command.ts'
import { checkup } from '../doctor/checkup.ts'
import type { Health } from '../doctor/finding.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { plural } from '../terminal/format.ts'

const SYMBOL: Readonly<Record<Health, string>> = { well: '✔', warning: '⚠', bad: '✖' }

export async function doctor({ options, terminal }: Call): Promise<number> {
  const findings = await checkup(options, Date.now())
  const bad = findings.filter(({ health }) => health === 'bad').length
  const warnings = findings.filter(({ health }) => health === 'warning').length
  const code = bad === 0 ? EXIT.completed : EXIT.environment
  if (options.json) {
    for (const finding of findings) terminal.json(finding)
    return code
  }
  const { green, yellow, red, bold, dim } = terminal.paint
  const colour = { well: green, warning: yellow, bad: red } as const
  const width = greatest(findings.map(({ name }) => name.length))
  for (const { name, health, says, todo } of findings) {
    terminal.line(`${colour[health](SYMBOL[health])} ${name.padEnd(width)}   ${says}`)
    if (todo !== undefined) terminal.line(`  ${' '.repeat(width)}   ${dim(`→ ${todo}`)}`)
  }
  terminal.line()
  if (bad + warnings === 0) terminal.line(`${green('✔')} ${bold('all is well')}`)
  else terminal.line(`${bold(plural(bad, 'thing'))} to mend, ${plural(warnings, 'warning')}`)
  return code
}
