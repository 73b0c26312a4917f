/** `keelson show`: a run as it is now, or one step or item of it, from its log. With --json the whole snapshot. */
import type { RelatedRuns } from '../../../app/views/related-runs.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import { isForeign } from '../../../core/engine/engine-type.ts'
import { parseStepSlot } from '../../../core/events/slot.ts'
import { fail } from '../../../core/problems/problem.ts'
import { itemsOf, snapshotOf } from '../../../core/view/show/snapshot-of.ts'
import { KILLS_PROCESS } from '../../../core/engine/last-words.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { ReadableRun } from '../../../library/read/readable-runs.ts'
import type { Call, Options } from '../terminal/command.ts'
import { headerLines } from '../files/header-lines.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { howToDrive, isDrivenStill } from '../drive/run-lease.ts'
import { rowsOf } from '../progress/picture.ts'
import { standing } from '../progress/standing.ts'
import { nameWidth, styledRow } from '../progress/styled-row.ts'
import { reportLines, tellBounds } from '../output/bounds.ts'
import { isAlone, tellRelated } from '../output/related.ts'
import { tellEnd } from '../output/summary.ts'
import { showImported } from '../shown/imported-run.ts'
import { showUnfolded } from '../shown/unfolded-run.ts'
import { tellStep } from '../shown/step-detail.ts'
import { knownSlot } from '../progress/known-slot.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { watchFromView, watchRun, type RunWatch } from '../progress/run-watch.ts'
import { openToRead } from '../open/reading.ts'

export async function show({ args, options, terminal }: Call): Promise<number> {
  const keelson = await openToRead(options)
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const words = options.text('as')
    if (words !== undefined) return await showStates(handle, words, terminal)
    if (isForeign(handle.row)) return await showImported(handle, args[1], options, terminal)
    if (handle.row.quarantine === KILLS_PROCESS) await showUnfolded(handle, options, terminal)
    const purpose = options.json ? 'view' : 'picture'
    // Only the log has every attempt of a step.
    const watch = await (args[1] === undefined ? watchFromView(keelson, handle, purpose) : watchRun(handle))
    await watch.pump()
    const snapshot = snapshotOf(watch.view)
    const related = watch.trouble === undefined ? await handle.related() : { children: [] }
    const bounds = watch.trouble === undefined ? await handle.bounds() : {}
    const report = watch.trouble === undefined ? await handle.validationReport() : undefined
    if (args[1] !== undefined && watch.trouble === undefined)
      return await showStep(watch, knownSlot(watch, args[1]), related, options, terminal)
    if (options.json) {
      const made = watch.trouble === undefined ? await madeOf(handle) : {}
      terminal.json({
        ...snapshot,
        ...made,
        ...(isAlone(related) ? {} : { related }),
        ...bounds,
        ...(report === undefined ? {} : { validationReport: report }),
      })
      if (watch.trouble !== undefined) throw watch.trouble
      return EXIT.completed
    }
    for (const line of headerLines(terminal, handle, options)) terminal.line(line)
    terminal.line()
    const rows = rowsOf(watch, Date.now())
    const names = nameWidth(rows, terminal.columns)
    for (const row of rows) terminal.line(styledRow(row, names, terminal.columns, terminal.paint))
    tellRelated(terminal, related)
    tellBounds(terminal, bounds)
    for (const line of reportLines(report, terminal.paint)) terminal.line(line)
    // The picture shows its sound part; the error says the rest.
    if (watch.trouble !== undefined) throw watch.trouble
    if (isTerminalRun(snapshot.status)) {
      await tellEnd(terminal, watch, await handle.result())
      return EXIT.completed
    }
    terminal.line()
    terminal.line(
      `  ${snapshot.status}${snapshot.substatus === undefined ? '' : ` ${snapshot.substatus}`}${snapshot.message === undefined ? '' : `   ${snapshot.message}`}`,
    )
    for (const line of standing(terminal, watch, Date.now())) terminal.line(line)
    if (!isDrivenStill(keelson, handle.row))
      terminal.line(`  nobody drives it: ${terminal.paint.cyan(howToDrive(handle.row))}`)
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}

async function showStates(handle: ReadableRun, written: string, terminal: Terminal): Promise<number> {
  const { STATE_WORDS, statesAs } = await import('../../../core/view/show/states-as.ts')
  const words = STATE_WORDS.find((one) => one === written)
  if (words === undefined)
    return fail('USAGE', `--as is ${STATE_WORDS.join(', ')}, not '${written}'`, didYouMean(written, STATE_WORDS))
  terminal.json({ runId: handle.runId, ...statesAs(words, await handle.snapshot()) })
  return EXIT.completed
}

/** The hash of the plan, and of the bytes it was made of. */
async function madeOf(handle: ReadableRun): Promise<object> {
  const planSource = await handle.planSource()
  const { planSha256 } = handle.row
  return planSource === undefined ? { planSha256 } : { planSha256, planSource }
}

async function showStep(
  watch: RunWatch,
  slot: string,
  related: RelatedRuns,
  options: Options,
  terminal: Terminal,
): Promise<number> {
  const { stepId, itemIndex } = parseStepSlot(slot) ?? { stepId: slot }
  const among = itemIndex === undefined ? snapshotOf(watch.view).steps : itemsOf(watch.view, stepId, itemIndex, 1)
  const step = itemIndex === undefined ? among.find((one) => one.stepId === stepId) : among[0]
  if (step === undefined) return fail('STEP_UNKNOWN', `${stepId} has no item ${itemIndex ?? ''}`)
  const detail = step.attempts.length === 0 ? {} : await watch.handle.stepDetail(slot)
  const children = related.children.filter((child) => child.slot === slot || child.slot.startsWith(`${slot}[`))
  if (options.json) terminal.json({ runId: watch.handle.runId, slot, ...step, ...detail, children })
  else {
    for (const line of headerLines(terminal, watch.handle, options)) terminal.line(line)
    terminal.line()
    tellStep(terminal, watch, { slot, step, detail, children })
  }
  return EXIT.completed
}
