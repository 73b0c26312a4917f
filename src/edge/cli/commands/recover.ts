/**
 * `keelson recover`: for a database that was restored or failed over by its own tools. Reports what may have happened
 * since then that the database no longer knows; such runs are held until a person decides.
 */
import type { Call } from '../terminal/command.ts'
import { confirm } from '../terminal/confirm.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { tellRecovered } from '../output/recovered.ts'
import { placeName, signsReceipts } from '../files/place.ts'
import { openExisting } from '../open/session.ts'

export async function recover({ options, terminal }: Call): Promise<number> {
  const keelson = await openExisting(options)
  try {
    const question = `Was ${placeName(options)} restored or failed over, and shall its runs be taken from all who drive them?`
    if (!(await confirm(question, options, terminal))) {
      terminal.line('nothing was done')
      return EXIT.completed
    }
    const recovered = await keelson.maintenance.recover({ witness: signsReceipts(options) })
    tellRecovered('recovered', recovered, options, terminal)
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
