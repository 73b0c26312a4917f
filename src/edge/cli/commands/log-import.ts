/**
 * `keelson log import`: the log of a run that was made elsewhere, taken in to be read and verified. It is refused whole, with its
 * lines, if one is bad; the same file again adds nothing.
 */
import type { ImportedLog } from '../../../app/import/import-log.ts'
import { KEY_VERSIONS, type KeyVersion } from '../../../core/events/imported.ts'
import { fail } from '../../../core/problems/problem.ts'
import { readText } from '../files/text-file.ts'
import { openOrCreate } from '../open/session.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { plural } from '../terminal/format.ts'
import { nextCommand } from '../terminal/next-command.ts'
import type { Terminal } from '../terminal/terminal.ts'

export async function logImport({ args, options, terminal }: Call): Promise<number> {
  const file = args[0] ?? ''
  const text = readText(file, 'SCHEMA_VALIDATION_FAILED')
  const keyVersion = versionOf(options.text('keyVersion'))
  const keelson = await openOrCreate(options)
  try {
    const log = await keelson.importLog(text, { keyVersion, strict: options.flag('strict'), file })
    if (options.json) terminal.json(log)
    else tell(terminal, log)
    // The first event was kept; whoever sent the other one should look.
    return log.mismatches.length === 0 ? EXIT.completed : EXIT.failed
  } finally {
    await keelson.close()
  }
}

function versionOf(written = 'v1'): KeyVersion {
  const version = KEY_VERSIONS.find((one) => one === written)
  return version ?? fail('USAGE', `--key-version is ${KEY_VERSIONS.join(' or ')}, not '${written}'`)
}

const SHOWN = 5

function tell(terminal: Terminal, log: ImportedLog): void {
  const { green, red, bold } = terminal.paint
  const { runId, status, added, known, mismatches, ignored, leftOut } = log
  const mark = mismatches.length === 0 ? green('✔') : red('✖')
  const stored = known === 0 ? '' : `, ${plural(known, 'event')} stored before`
  terminal.line(`${mark} ${bold('imported')}   run ${runId}, ${status}, ${plural(added, 'new event')}${stored}`)
  tellSome(terminal, mismatches, ({ line, eventType, runSeq }) =>
    red(`  line ${line}: ${eventType} has the key of event ${runSeq} and other content; event ${runSeq} was kept`),
  )
  tellSome(
    terminal,
    ignored,
    ({ line, eventType }) => `  line ${line}: ${eventType} is not known here and was left out`,
  )
  tellSome(terminal, leftOut, ({ line, fields }) => `  line ${line}: not known here and left out: ${fields.join(', ')}`)
  nextCommand(terminal, 'look at', `keelson show ${runId}`)
  nextCommand(terminal, 'check', `keelson verify ${runId}`)
}

function tellSome<T>(terminal: Terminal, all: readonly T[], text: (one: T) => string): void {
  for (const one of all.slice(0, SHOWN)) terminal.line(text(one))
  if (all.length > SHOWN) terminal.line(`  … and ${all.length - SHOWN} more: --json`)
}
