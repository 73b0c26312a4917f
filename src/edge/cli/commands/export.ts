/** `keelson export`: a run as one self-contained bundle, to a file or to stdout. Nothing is deleted. */
import { basename, dirname, resolve } from 'node:path'
import { visibleJson } from '../../../core/visible-text.ts'
import type { Client } from '../../../client/connect.ts'
import { writeLines } from '../remote/written-lines.ts'
import { RemoteRuns } from '../remote/remote-runs.ts'
import { serverClient } from '../remote/server-client.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { plural, shortId } from '../terminal/format.ts'
import { openToExamine } from '../open/session.ts'
import type { Terminal } from '../terminal/terminal.ts'

export async function exportBundle(call: Call): Promise<number> {
  const { args, options, terminal } = call
  const client = await serverClient(options)
  if (client !== undefined) return exportAfar(client, call)
  const keelson = await openToExamine(options)
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const { row } = handle
    const out = options.text('out')
    if (out === undefined) {
      for await (const line of keelson.maintenance.bundle(row)) terminal.line(visibleJson(line))
      noteDamage((await handle.trouble())?.error.problems[0].message, terminal)
      return EXIT.completed
    }
    const path = resolve(out)
    const { events, damage } = await keelson.maintenance.export(row, dirname(path), basename(path))
    noteDamage(damage, terminal)
    return tellExported(row.runId, { out, events, damage }, options, terminal)
  } finally {
    await keelson.close()
  }
}

interface Exported {
  readonly out: string
  readonly events: number
  readonly damage: string | undefined
}

function tellExported(runId: string, { out, events, damage }: Exported, options: Options, terminal: Terminal): number {
  if (options.json) terminal.json({ runId, bundle: out, events, ...(damage === undefined ? {} : { damage }) })
  else {
    const { green, bold, cyan } = terminal.paint
    terminal.line(`${green('✔')} ${bold('exported')}   run ${shortId(runId)}, ${plural(events, 'event')}`)
    terminal.line(`  check            ${cyan(`keelson verify ${out}`)}`)
  }
  return EXIT.completed
}

/** As the server sends it. */
async function exportAfar(client: Client, { args, options, terminal }: Call): Promise<number> {
  const run = await findRun(new RemoteRuns(client), args[0] ?? '')
  const out = options.text('out')
  const lines = client.run(run.runId).bundle()
  if (out === undefined) for await (const line of lines) terminal.line(visibleJson(line))
  else await writeLines(resolve(out), lines)
  const damage = (await run.trouble())?.error.problems[0].message
  noteDamage(damage, terminal)
  return out === undefined
    ? EXIT.completed
    : tellExported(run.runId, { out, events: run.row.nextSeq - 1, damage }, options, terminal)
}

/** A damaged log is evidence too: it is exported as stored, and reported as damaged. */
function noteDamage(damage: string | undefined, terminal: Terminal): void {
  if (damage !== undefined) terminal.errorLine(`exported as it is stored, and it does not verify: ${damage}`)
}
