/** The result of a restore or a recovery, for a person or a script: adopted runs, and effects that are uncertain. */
import type { Recovered } from '../../../app/archive/recover-runs.ts'
import type { Options } from '../terminal/command.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { plural, shortId } from '../terminal/format.ts'

export function tellRecovered(
  done: string,
  found: Recovered,
  options: Options,
  terminal: Terminal,
  keptAt?: string,
): void {
  const { live, adopted, indeterminate } = found
  if (options.json) {
    const inFlight = adopted.map(({ runId }) => runId)
    terminal.json({ live, inFlight, indeterminate, ...(keptAt === undefined ? {} : { keptAt }) })
    return
  }
  const { green, bold, yellow, cyan } = terminal.paint
  terminal.line(`${green('✔')} ${bold(done)}   ${plural(live, 'run')} not ended, ${adopted.length} with work in flight`)
  for (const { runId, slot, attempt } of indeterminate) {
    const id = shortId(runId)
    terminal.line(
      `${yellow('!')} run ${id}   ${slot}, attempt ${attempt}, may have happened after the backup: the run holds`,
    )
    terminal.line(`                   ${cyan(`keelson why ${id} ${slot}`)}`)
  }
  if (keptAt !== undefined) terminal.line(`  kept             ${keptAt}`)
  if (live > 0) terminal.line(`  go on            ${cyan('keelson resume')}`)
}
