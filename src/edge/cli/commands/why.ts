/**
 * `keelson why`: every cause that holds a step, in sentences, and the commands that would move it; or, with --at, what
 * held it after a past event.
 */
import { appendAll } from '../../../core/collections/append-all.ts'
import type { LogRecord } from '../../../core/events/event.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { Cause } from '../../../core/run/explain/explain.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import { msFromIso } from '../../../core/time.ts'
import type { ReadableRun } from '../../../library/read/readable-runs.ts'
import { snapshotOf } from '../../../core/view/show/snapshot-of.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { howToDrive, isDrivenStill } from '../drive/run-lease.ts'
import { openingOf, tellCause, type Asked } from '../output/causes.ts'
import { knownSlot } from '../progress/known-slot.ts'
import { endedUnapproved } from '../progress/never-begun.ts'
import { tellBounds } from '../output/bounds.ts'
import { widthOf, wrapped } from '../terminal/flow.ts'
import { plural, shortId, timeOfDay } from '../terminal/format.ts'
import { watchRun, type RunWatch } from '../progress/run-watch.ts'
import { openToRead, takesActors } from '../open/reading.ts'
import type { Terminal } from '../terminal/terminal.ts'

const STEPS_TOLD = 12

export async function why({ args, options, terminal }: Call): Promise<number> {
  const at = options.whole('at')
  if (at === 0) fail('USAGE', '--at takes the number of an event, from 1')
  const keelson = await openToRead(options)
  try {
    const handle = await findRun(keelson, args[0] ?? '')
    const watch = await watchRun(handle, at)
    const records = await watch.pump()
    if (watch.trouble !== undefined) throw watch.trouble
    const last = watch.view.lastEventSeq
    if (at !== undefined && last < at) fail('USAGE', `the run has ${last} events; there is no event ${at}`)
    const slots = args[1] === undefined ? unsettled(watch) : [knownSlot(watch, args[1])]
    const bounds = await handle.bounds()
    const look = await handle.look()
    if (options.json) {
      for (const slot of slots)
        terminal.json({ slot, ...(at === undefined ? {} : { at }), causes: await look.why(slot, at), ...bounds })
      return EXIT.completed
    }
    const then = at === undefined ? undefined : instantOfLast(records)
    if (then !== undefined) terminal.write(`${terminal.paint.dim(`after event ${last}, ${timeOfDay(then)}`)}\n\n`)
    if (args[1] === undefined) tellRun(terminal, watch, slots.length, records)
    tellBounds(terminal, bounds)
    const now = then ?? Date.now()
    const isNamed = !watch.graph.steps.some((step) => 'manual' in step) || (await takesActors(keelson))
    const asked = { run: shortId(handle.runId), now, records, graph: watch.graph, isNamed }
    const found = await causesOf(look, slots, asked, at)
    const told = args[1] === undefined ? rootsFirst(found) : { steps: await withRoots(look, found, at), behind: [] }
    for (const { slot, causes } of told.steps.slice(0, STEPS_TOLD))
      tellStep(terminal, causes, { ...asked, step: slot }, at)
    if (told.steps.length > STEPS_TOLD)
      terminal.line(terminal.paint.dim(`… and ${plural(told.steps.length - STEPS_TOLD, 'more step')}`))
    tellBehind(terminal, told.behind)
    if (at === undefined && !isTerminalRun(watch.view.run.status) && !isDrivenStill(keelson, handle.row)) {
      terminal.line(`Nobody drives this run now: ${terminal.paint.cyan(howToDrive(handle.row))}`)
    }
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}

function instantOfLast(records: readonly LogRecord[]): number | undefined {
  const last = records.at(-1)
  return last === undefined ? undefined : msFromIso(last.emittedAt)
}

/** For a live run the steps that are not done; for an ended one those that failed. */
function unsettled({ view }: RunWatch): readonly string[] {
  const ended = isTerminalRun(view.run.status)
  return snapshotOf(view)
    .steps.filter((step) => step.role === undefined && step.recovered !== true)
    .filter(({ status }) => status === 'FAILED' || (!ended && (status === 'RUNNING' || status === 'PENDING')))
    .map((step) => step.stepId)
}

function tellRun(terminal: Terminal, { view }: RunWatch, open: number, records: readonly LogRecord[]): void {
  const { status, substatus } = snapshotOf(view)
  const words = substatus === undefined ? status : `${status} ${substatus}`
  const unapproved = status === 'CANCELLED' ? endedUnapproved(records) : undefined
  const how = unapproved === undefined ? '' : ` ${unapproved}`
  terminal.line(
    `the run is ${terminal.paint.bold(words)}${how}${open === 0 ? '' : isTerminalRun(status) ? '' : `; ${plural(open, 'step')} not done`}`,
  )
  if (open > 0) terminal.line()
}

interface Held {
  readonly slot: string
  readonly causes: readonly Cause[]
}

type Look = Awaited<ReturnType<ReadableRun['look']>>

async function causesOf(
  look: Look,
  slots: readonly string[],
  asked: Omit<Asked, 'step'>,
  at: number | undefined,
): Promise<readonly Held[]> {
  const found: Held[] = []
  for (const slot of slots) found.push({ slot, causes: reasonable(await look.why(slot, at), { ...asked, step: slot }) })
  return found
}

/** What holds the whole run is said once; steps that only wait for others are named behind what they wait for. */
function rootsFirst(found: readonly Held[]): { readonly steps: readonly Held[]; readonly behind: readonly string[] } {
  const isBehind = ({ causes }: Held): boolean => causes.some(({ kind }) => kind === 'dependency')
  const hasFailed = ({ causes }: Held): boolean => causes.some(({ kind }) => kind === 'failed')
  const roots = found.filter((one) => !isBehind(one))
  const failed = roots.filter(hasFailed)
  const said = new Set<string>()
  const once = ({ slot, causes }: Held): Held => ({ slot, causes: causes.filter((cause) => isNews(cause, said)) })
  const isTold = failed.some(({ causes }) => causes.some(({ kind }) => kind === 'needs-decision'))
  const others = roots.filter((one) => !hasFailed(one)).map((one) => (isTold ? withoutHold(one) : one))
  const steps = [...failed, ...others]
    .map(once)
    .filter(({ causes }, index) => causes.length > 0 || roots.length <= 1 || index === 0)
  if (steps.length > 0) return { steps, behind: found.filter(isBehind).map(({ slot }) => slot) }
  return { steps: found.slice(0, 1), behind: found.slice(1).map(({ slot }) => slot) }
}

const OF_RUN: ReadonlySet<Cause['kind']> = new Set([
  'run-not-started',
  'run-ended',
  'run-paused',
  'run-cancelling',
  'run-failing',
  'run-held',
  'undoing',
  'run-undoes',
])

/** Of causes about the run as a whole, the first one is news. */
function isNews(cause: Cause, said: Set<string>): boolean {
  if (!OF_RUN.has(cause.kind)) return true
  if (said.has(cause.kind)) return false
  said.add(cause.kind)
  return true
}

/** The failed step that holds the run is told itself. */
function withoutHold({ slot, causes }: Held): Held {
  return { slot, causes: causes.filter(({ kind }) => kind !== 'run-held' && kind !== 'needs-decision') }
}

const CHAIN_MAX = 50

/** Before a step that waits for others comes what they wait for: the first step that does not wait for another one. */
async function withRoots(look: Look, found: readonly Held[], at?: number): Promise<readonly Held[]> {
  const [asked] = found
  if (asked === undefined) return []
  const seen = new Set([asked.slot])
  const roots: Held[] = []
  const open = dependenciesOf(asked)
  for (let slot = open.shift(); slot !== undefined && seen.size < CHAIN_MAX; slot = open.shift()) {
    if (seen.has(slot)) continue
    seen.add(slot)
    const held = { slot, causes: await look.why(slot, at) }
    const further = dependenciesOf(held)
    if (further.length === 0) roots.push(held)
    else appendAll(open, further)
  }
  const isTold = roots.some(({ causes }) => causes.some(({ kind }) => kind === 'needs-decision'))
  return [...roots, isTold ? withoutHold(asked) : asked]
}

function dependenciesOf({ causes }: Held): string[] {
  return causes.flatMap((cause) => (cause.kind === 'dependency' ? [cause.stepId] : []))
}

function tellBehind(terminal: Terminal, behind: readonly string[]): void {
  if (behind.length === 0) return
  const more = behind.length - STEPS_TOLD
  const names = `${behind.slice(0, STEPS_TOLD).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  for (const line of wrapped(`behind that: ${names}`, widthOf(terminal), '  ')) terminal.line(terminal.paint.dim(line))
}

/** Commands for a past state have no effect now, so none are shown. */
function tellStep(terminal: Terminal, causes: readonly Cause[], asked: Asked, at?: number): void {
  const told = causes.map((cause) => tellCause(cause, asked))
  const lines = (text: string, indent: string): void => {
    for (const line of wrapped(text, widthOf(terminal), indent)) terminal.line(line)
  }
  terminal.line(`${terminal.paint.bold(asked.step)} ${openingOf(causes)}`)
  told.forEach(({ sentence }, index) => lines(`  ${index + 1}  ${sentence}`, '     '))
  const advice = new Set(at === undefined ? told.flatMap(({ commands }) => commands ?? []) : [])
  for (const command of advice) terminal.line(`     ${terminal.paint.cyan(command)}`)
}

/** A step that a person or its condition skipped was not skipped because of failures elsewhere. */
function reasonable(causes: readonly Cause[], { records, step }: Asked): readonly Cause[] {
  const skip = records.findLast((one) => one.eventType === 'StepSkipped' && one.stepId === step)
  if (skip === undefined || skip.payload?.['reasonCode'] === 'DEPENDENCY_FAILED') return causes
  return causes.filter(({ kind }) => kind !== 'ancestor-failed')
}
