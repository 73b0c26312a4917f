/** `keelson restore`: puts a backup in place and says what may have happened since that the backup does not know. */
import { restoreKeelson } from '../../../main.ts'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { plural, shortId } from '../output/format.ts'

export async function restore({ args, options, terminal }: Call): Promise<number> {
  const { live, adopted, indeterminate, keptAt } = await restoreKeelson({
    file: args[0] ?? '',
    directory: options.dir,
    force: options.flag('force'),
  })
  if (options.json) {
    const inFlight = adopted.map(({ runId }) => runId)
    terminal.json({ live, inFlight, indeterminate, ...(keptAt === undefined ? {} : { keptAt }) })
    return EXIT.completed
  }
  const { green, bold, yellow, cyan } = terminal.paint
  terminal.line(
    `${green('✔')} ${bold('restored')}   ${plural(live, 'run')} not ended, ${adopted.length} with work in flight`,
  )
  for (const { runId, slot, attempt } of indeterminate) {
    const id = shortId(runId)
    terminal.line(
      `${yellow('!')} run ${id}   ${slot}, attempt ${attempt}, may have happened after the backup: the run holds`,
    )
    terminal.line(`                   ${cyan(`keelson why ${id} ${slot}`)}`)
  }
  if (keptAt !== undefined) terminal.line(`  kept             ${keptAt}`)
  if (live > 0) terminal.line(`  go on            ${cyan('keelson resume')}`)
  return EXIT.completed
}
