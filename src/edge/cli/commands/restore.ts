/**
 * `keelson restore`: puts a backup in place and reports what may have happened since then that the backup does not
 * know.
 */
import { fail } from '../../../core/problems/problem.ts'
import { restoreKeelson } from '../../../main.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { tellRecovered } from '../output/recovered.ts'
import { storeUrl } from '../files/place.ts'

export async function restore({ args, options, terminal }: Call): Promise<number> {
  if (storeUrl(options) !== undefined)
    fail(
      'BACKUP_ELSEWHERE',
      'a PostgreSQL database is restored by its own tools; `keelson recover` then recovers its runs',
    )
  const { keptAt, ...recovered } = await restoreKeelson({
    file: args[0] ?? '',
    directory: options.dir,
    force: options.flag('force'),
  })
  tellRecovered('restored', recovered, options, terminal, keptAt)
  return EXIT.completed
}
