/** `keelson doctor`: is everything here as it should be? A line for each finding, with what to do. */
import type { Call } from '../command.ts'
import { checkup } from '../checkup.ts'
import type { Health } from '../finding.ts'
import { EXIT } from '../exit-codes.ts'
import { plural } from '../output/format.ts'

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
  const width = Math.max(...findings.map(({ name }) => name.length))
  for (const { name, health, says, todo } of findings) {
    terminal.line(`${colour[health](SYMBOL[health])} ${name.padEnd(width)}   ${says}`)
    if (todo !== undefined) terminal.line(`  ${' '.repeat(width)}   ${dim(`→ ${todo}`)}`)
  }
  terminal.line()
  if (bad + warnings === 0) terminal.line(`${green('✔')} ${bold('all is well')}`)
  else terminal.line(`${bold(plural(bad, 'thing'))} to mend, ${plural(warnings, 'warning')}`)
  return code
}
