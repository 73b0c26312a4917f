/**
 * `keelson recover`: after a database was restored or failed over by its own tools. Says what may have happened since that
 * the database no longer knows; such runs hold until a person decides.
 */
import type { Call } from '../command.ts'
import { confirm } from '../confirm.ts'
import { EXIT } from '../exit-codes.ts'
import { tellRecovered } from '../output/recovered.ts'
import { placeName, signsReceipts } from '../place.ts'
import { openExisting } from '../session.ts'

export async function recover({ options, terminal }: Call): Promise<number> {
  const keelson = await openExisting(options)
  try {
    const question = `Was ${placeName(options)} restored or failed over, and shall its runs be taken from all who drive them?`
    if (!(await confirm(question, options, terminal))) {
      terminal.line('nothing was done')
      return EXIT.completed
    }
    const recovered = await keelson.upkeep.recover({ witness: signsReceipts(options) })
    tellRecovered('recovered', recovered, options, terminal)
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
