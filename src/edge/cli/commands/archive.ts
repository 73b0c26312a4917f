/** `keelson archive`: moves the logs of ended runs into bundle files; each is verified before its log is deleted. */
import { fail } from '../../../core/problems/problem.ts'
import type { KeptBundle } from '../../../app/archive/archive-run.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Keelson } from '../../../main.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { plural, shortId, timeOfDay } from '../terminal/format.ts'
import { printTable } from '../terminal/table.ts'
import { openExisting } from '../open/session.ts'
import type { Terminal } from '../terminal/terminal.ts'

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 24 * 3_600_000 }
const DEFAULT_AGE = '90d'

export async function archive({ args, options, terminal }: Call): Promise<number> {
  const age = ageMs(options.text('olderThan') ?? DEFAULT_AGE)
  const keelson = await openExisting(options)
  try {
    if (args[0] !== undefined) return await archiveOne(keelson, args[0], options, terminal)
    if (options.flag('dryRun')) return await tellOld(keelson, age, options, terminal)
    let count = 0
    let failed = 0
    await keelson.maintenance.archiveOlderThan(age, options.text('to'), {
      force: options.flag('force'),
      onArchived: (kept) => {
        count += 1
        tellKept(kept, options, terminal)
      },
      onFailed: (row, { code, message }) => {
        failed += 1
        if (options.json) terminal.json({ runId: row.runId, failed: { code, message } })
        else terminal.line(`${terminal.paint.red('✖')} run ${shortId(row.runId)}   ${code}  ${message}; its log stays`)
      },
    })
    if (!options.json) terminal.line(`${plural(count, 'run')} archived${failed === 0 ? '' : `, ${failed} left`}`)
    return failed === 0 ? EXIT.completed : EXIT.failed
  } finally {
    await keelson.close()
  }
}

async function archiveOne(keelson: Keelson, name: string, options: Options, terminal: Terminal): Promise<number> {
  const { row } = await findRun(keelson, name)
  if (options.flag('dryRun')) tellRows([row], options, terminal)
  else {
    const kept = await keelson.maintenance.archive(row, options.text('to'), { force: options.flag('force') })
    tellKept(kept, options, terminal)
  }
  return EXIT.completed
}

async function tellOld(keelson: Keelson, age: number, options: Options, terminal: Terminal): Promise<number> {
  tellRows(await keelson.maintenance.archivable(age), options, terminal)
  return EXIT.completed
}

function tellRows(rows: readonly RunRow[], options: Options, terminal: Terminal): void {
  if (options.json) {
    for (const { runId, planId, status, endedAt } of rows) terminal.json({ runId, planId, status, endedAt })
    return
  }
  if (rows.length === 0) {
    terminal.line('no run is old enough to be archived')
    return
  }
  const cells = ({ runId, planId, status, endedAt, nextSeq }: RunRow): readonly string[] => [
    shortId(runId),
    planId,
    status,
    endedAt === undefined ? '' : timeOfDay(endedAt),
    String(nextSeq - 1),
  ]
  printTable(terminal, ['RUN', 'PLAN', 'STATUS', 'ENDED', 'EVENTS'], rows.map(cells))
  terminal.line(`${plural(rows.length, 'run')} would be archived; nothing was done`)
}

function tellKept({ row, place, events }: KeptBundle, options: Options, terminal: Terminal): void {
  if (options.json) terminal.json({ runId: row.runId, bundle: place, events })
  else {
    const { green, dim } = terminal.paint
    terminal.line(`${green('✔')} run ${shortId(row.runId)}   ${plural(events, 'event')}   ${dim(place)}`)
  }
}

function ageMs(text: string): number {
  const [, amount, unit = 'd'] = /^(\d{1,6})(s|min|m|h|d)?$/.exec(text) ?? []
  if (amount === undefined) return fail('USAGE', `--older-than takes an age such as 90d or 12h, not '${text}'`)
  return Number(amount) * (UNITS_MS[unit] ?? 0)
}
