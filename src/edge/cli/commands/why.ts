/**
 * `keelson why`: every cause that holds a step where it is, in sentences, and the commands that would move it; or, with
 * --at, what held it after an event of the past.
 */
import type { ForeignRecord } from '../../../core/events/event.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { Cause } from '../../../core/run/explain.ts'
import { didYouMean } from '../../../core/plan/reading.ts'
import { isTerminalRun } from '../../../core/run/transitions.ts'
import { msFromIso } from '../../../core/time.ts'
import { snapshotOf } from '../../../core/view/snapshot-of.ts'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { findRun } from '../find-run.ts'
import { howToDrive, isDriven } from '../run-lease.ts'
import { openingOf, tellCause, type Asked } from '../output/causes.ts'
import { plural, shortId, timeOfDay } from '../output/format.ts'
import { watchRun, type RunWatch } from '../run-watch.ts'
import { openToRead } from '../session.ts'
import type { Terminal } from '../terminal.ts'

const STEPS_TOLD = 12

export async function why({ args, options, terminal }: Call): Promise<number> {
  const at = options.whole('at')
  if (at === 0) fail('USAGE', '--at takes the number of an event, from 1')
  const keelson = await openToRead(options)
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const watch = await watchRun(keelson, handle, at)
    const records = await watch.pump()
    if (watch.trouble !== undefined) throw watch.trouble
    const last = watch.view.lastEventSeq
    if (at !== undefined && last < at) fail('USAGE', `the run has ${last} events; there is no event ${at}`)
    const slots = args[1] === undefined ? unsettled(watch) : [knownSlot(watch, args[1])]
    if (options.json) {
      for (const slot of slots)
        terminal.json({ slot, ...(at === undefined ? {} : { at }), causes: await handle.why(slot, at) })
      return EXIT.completed
    }
    const then = at === undefined ? undefined : instantOfLast(records)
    if (then !== undefined) terminal.line(terminal.paint.dim(`after event ${last}, ${timeOfDay(then)}\n`))
    if (args[1] === undefined) tellRun(terminal, watch, slots.length)
    const now = then ?? Date.now()
    for (const slot of slots.slice(0, STEPS_TOLD))
      await tellStep(terminal, watch, { run: shortId(handle.runId), step: slot, now, records, graph: watch.graph }, at)
    if (slots.length > STEPS_TOLD)
      terminal.line(terminal.paint.dim(`… and ${plural(slots.length - STEPS_TOLD, 'more step')}`))
    if (at === undefined && !isTerminalRun(watch.view.run.status) && !isDriven(handle.row)) {
      terminal.line(`Nobody drives this run now: ${terminal.paint.cyan(howToDrive(handle.row))}`)
    }
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}

function instantOfLast(records: readonly ForeignRecord[]): number | undefined {
  const last = records.at(-1)
  return last === undefined ? undefined : msFromIso(last.emittedAt)
}

/** A step, or an item of one such as `pack[5]`. */
function knownSlot({ graph }: RunWatch, slot: string): string {
  const stepId = slot.replace(/\[\d+\]$/, '')
  if (graph.indexOf.has(stepId)) return slot
  return fail('STEP_UNKNOWN', `the plan has no step '${stepId}'`, didYouMean(stepId, [...graph.indexOf.keys()]))
}

/** Of a live run what is not done; of an ended one what failed. */
function unsettled({ view }: RunWatch): readonly string[] {
  const ended = isTerminalRun(view.run.status)
  return snapshotOf(view)
    .steps.filter((step) => step.role === undefined && step.recovered !== true)
    .filter(({ status }) => status === 'FAILED' || (!ended && (status === 'RUNNING' || status === 'PENDING')))
    .map((step) => step.stepId)
}

function tellRun(terminal: Terminal, { view }: RunWatch, open: number): void {
  const { status, substatus } = snapshotOf(view)
  const words = substatus === undefined ? status : `${status} ${substatus}`
  terminal.line(
    `the run is ${terminal.paint.bold(words)}${open === 0 ? '' : isTerminalRun(status) ? '' : `; ${plural(open, 'step')} not done`}`,
  )
  if (open > 0) terminal.line()
}

/** What would have moved it in the past moves nothing now: then no commands are told. */
async function tellStep(terminal: Terminal, { handle }: RunWatch, asked: Asked, at?: number): Promise<void> {
  const causes = reasonable(await handle.why(asked.step, at), asked)
  const told = causes.map((cause) => tellCause(cause, asked))
  terminal.line(`${terminal.paint.bold(asked.step)} ${openingOf(causes)}`)
  told.forEach(({ sentence }, index) => terminal.line(`  ${index + 1}  ${sentence}`))
  const advice = new Set(at === undefined ? told.flatMap(({ commands }) => commands ?? []) : [])
  for (const command of advice) terminal.line(`     ${terminal.paint.cyan(command)}`)
}

/** A step that somebody skipped, or that its condition skipped, was not skipped for what failed elsewhere. */
function reasonable(causes: readonly Cause[], { records, step }: Asked): readonly Cause[] {
  const skip = records.findLast((one) => one.eventType === 'StepSkipped' && one.stepId === step)
  if (skip === undefined || skip.payload?.['reasonCode'] === 'DEPENDENCY_FAILED') return causes
  return causes.filter(({ kind }) => kind !== 'ancestor-failed')
}
