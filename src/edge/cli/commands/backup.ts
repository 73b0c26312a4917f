/** `keelson backup`: a consistent copy of the database in one file, while runs go on. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { openExisting } from '../open/session.ts'

const KIB = 1024

export async function backup({ args, options, terminal }: Call): Promise<number> {
  const file = args[0] ?? ''
  const keelson = await openExisting(options)
  try {
    await keelson.maintenance.backup(file)
    const { size } = statSync(file)
    if (options.json) terminal.json({ file, bytes: size })
    else {
      const { green, bold, cyan } = terminal.paint
      terminal.line(`${green('✔')} ${bold('backed up')}   ${file}, ${Math.ceil(size / KIB)} KiB`)
      terminal.line(
        `  not in it        ${join(options.dir, 'keys')} and ${join(options.dir, 'receipts')}: copy them too, elsewhere`,
      )
      terminal.line(`  restore          ${cyan(`keelson restore ${file}`)}`)
    }
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
