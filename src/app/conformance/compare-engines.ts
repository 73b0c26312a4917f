/**
 * Plays a corpus on several engines: the others are compared with the first, and each with what the entry expects.
 * Entries may run in parallel, because each has its own bench.
 */
import { comparePlays, type Difference } from '../../core/conformance/compare-plays.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { ConformanceEngine } from '../../ports/conformance.ts'
import { canonicalText } from '../log/canonical.ts'
import { playEntry, type Play, type PlayOptions } from './play-entry.ts'
import type { Entry } from './read-entry.ts'

export interface EntryDifference extends Omit<Difference, 'kind'> {
  readonly entry: string
  readonly kind: Difference['kind'] | 'expectation' | 'stuck'
  /** The two engines; for an expectation, the engine and the entry. */
  readonly engines: readonly [string, string]
}

export interface EntryReport {
  readonly entry: string
  readonly hash?: string
  readonly status?: string
  readonly difference?: EntryDifference
}

export interface ConformanceReport {
  readonly plans: number
  readonly equal: number
  readonly different: number
  readonly differences: readonly EntryDifference[]
}

export interface ComparingOptions extends PlayOptions {
  /** Number of entries played at once; default 1. */
  readonly atOnce?: number
  readonly onEntry?: (report: EntryReport) => void
}

export async function compareEngines(
  engines: readonly ConformanceEngine[],
  entries: readonly Entry[],
  options: ComparingOptions,
): Promise<ConformanceReport> {
  const reports = new Map<Entry, EntryReport>()
  const left = [...entries]
  const takeTurns = async (): Promise<void> => {
    for (let entry = left.shift(); entry !== undefined; entry = left.shift()) {
      const report = await compareEntry(engines, entry, options)
      reports.set(entry, report)
      options.onEntry?.(report)
    }
  }
  await Promise.all(Array.from({ length: options.atOnce ?? 1 }, takeTurns))
  const differences = entries.flatMap((entry) => reports.get(entry)?.difference ?? [])
  const different = differences.length
  return { plans: entries.length, equal: entries.length - different, different, differences }
}

interface Played {
  readonly engine: string
  readonly play: Play
}

async function compareEntry(
  engines: readonly ConformanceEngine[],
  entry: Entry,
  options: PlayOptions,
): Promise<EntryReport> {
  let first: Played | undefined
  for (const engine of engines) {
    const own = await playedOn(engine, entry, options)
    if ('difference' in own) return own
    const difference =
      first === undefined ? unexpected(entry, own) : (between(entry, first, own) ?? unexpected(entry, own))
    if (difference !== undefined) return { entry: entry.name, difference }
    first ??= own
  }
  const status = first?.play.refused ?? first?.play.status
  return {
    entry: entry.name,
    ...(first === undefined ? {} : { hash: first.play.hash }),
    ...(status === undefined ? {} : { status }),
  }
}

async function playedOn(
  engine: ConformanceEngine,
  entry: Entry,
  options: PlayOptions,
): Promise<Played | (EntryReport & { readonly difference: EntryDifference })> {
  try {
    return { engine: engine.name, play: await playEntry(engine, entry, options) }
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    const message = thrown.problems.map((one) => one.message).join('; ')
    const difference: EntryDifference = {
      entry: entry.name,
      kind: 'stuck',
      engines: [engine.name, 'the entry'],
      run: 'run',
      message,
      left: { around: [] },
      right: { around: [] },
    }
    return { entry: entry.name, difference }
  }
}

function between(entry: Entry, left: Played, right: Played): EntryDifference | undefined {
  const engines = [left.engine, right.engine] as const
  const answers = answersOf(left.play) === answersOf(right.play)
  const found = comparePlays(left.play.runs, right.play.runs) ?? (answers ? undefined : answerDifference(left, right))
  return found === undefined ? undefined : { ...found, entry: entry.name, engines }
}

function answersOf({ answers, refused }: Play): string {
  return refused === undefined ? answers.join(', ') : `refused: ${refused}`
}

function answerDifference(left: Played, right: Played): Difference {
  return {
    kind: 'answer',
    run: 'run',
    message: 'actions from outside were answered differently',
    left: { found: answersOf(left.play), around: [] },
    right: { found: answersOf(right.play), around: [] },
  }
}

function unexpected({ name, expect = {} }: Entry, { engine, play }: Played): EntryDifference | undefined {
  const wrong = (['status', 'refused', 'answers', 'output'] as const).find(
    (field) => expect[field] !== undefined && canonicalText(expect[field]) !== canonicalText(play[field] ?? null),
  )
  if (wrong === undefined) return undefined
  const [run] = play.runs
  return {
    entry: name,
    kind: 'expectation',
    engines: [engine, 'the entry'],
    run: 'run',
    message: `its ${wrong} is not what the entry expects`,
    left: {
      found: canonicalText(play[wrong] ?? null),
      around: (run?.events ?? [])
        .slice(-LAST_EVENTS)
        .map(({ eventType, slot, attempt }) => `${eventType} ${slot}#${attempt}`),
    },
    right: { found: canonicalText(expect[wrong]), around: [] },
  }
}

const LAST_EVENTS = 12
