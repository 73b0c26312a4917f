/** `keelson verify`: recomputes every hash and key of a run's log, and says what that proves and what it does not. */
import { hexOf } from '../../../app/sha256.ts'
import { verifyChain } from '../../../app/verify-chain.ts'
import type { Keelson, RunHandle } from '../../../main.ts'
import type { StoredEvent } from '../../../ports/run-store.ts'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { findRun } from '../find-run.ts'
import { plural, shortId } from '../output/format.ts'
import { openExisting } from '../session.ts'

export async function verify({ args, options, terminal }: Call): Promise<number> {
  const keelson = await openExisting(options.dir)
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const report = verifyChain(await storedEvents(keelson, handle))
    const row = (await keelson.services.store.getRun(handle.row.runKey)) ?? handle.row
    const cut = report.broken === undefined && report.headHash !== hexOf(row.headHash)
    const whole = report.broken === undefined && !cut && report.missingData.length === 0
    if (options.json) {
      terminal.json({ runId: handle.runId, whole, ...report, ...(cut ? { headExpected: hexOf(row.headHash) } : {}) })
      return whole ? EXIT.completed : EXIT.failed
    }
    const { green, red, bold, dim } = terminal.paint
    const events = plural(report.checked, 'event')
    if (whole) terminal.line(`${green('✔')} ${bold('the log is whole')}   run ${shortId(handle.runId)}, ${events}`)
    else terminal.line(`${red('✖')} ${bold('the log was altered')}   run ${shortId(handle.runId)}, ${events} fit`)
    if (report.broken !== undefined) terminal.line(`  event ${report.broken.runSeq}: ${report.broken.what}`)
    if (cut) terminal.line(`  its end is missing: the run row expects the head ${hexOf(row.headHash)}`)
    if (report.missingData.length > 0)
      terminal.line(`  data is gone without a recorded erasure: events ${report.missingData.join(', ')}`)
    if (report.erased.length > 0)
      terminal.line(`  data of ${plural(report.erased.length, 'event')} was erased, as recorded`)
    terminal.line(`  head             ${report.headHash}`)
    terminal.line(
      dim(
        '  proves           up to this head no event was changed, removed or put in between, and every key follows from its event',
      ),
    )
    terminal.line(
      dim(
        '  does not prove   that outcomes and clocks were true, or that the whole log was not replaced: keep the head elsewhere for that',
      ),
    )
    return whole ? EXIT.completed : EXIT.failed
  } finally {
    await keelson.close()
  }
}

async function storedEvents(keelson: Keelson, handle: RunHandle): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  for (let afterSeq = 0; ;) {
    const page = await keelson.services.store.readEvents(handle.row.runKey, { afterSeq })
    const last = page.at(-1)
    if (last === undefined) return events
    events.push(...page)
    afterSeq = last.runSeq
  }
}
