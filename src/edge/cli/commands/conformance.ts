/**
 * `keelson conformance`: plays plans on several engines with scripted handlers and compares their logs. No code of a
 * plan is run, and nothing is kept.
 */
import { timeOption } from '../terminal/time-option.ts'
import { compareEngines, type EntryDifference, type EntryReport } from '../../../app/conformance/compare-engines.ts'
import { CONFORMANCE_ENGINES, PLAYING } from '../../../compose/conformance-engines.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { ConformanceEngine } from '../../../ports/conformance.ts'
import type { Call, Options } from '../terminal/command.ts'
import { readEntries } from '../files/conformance-files.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { plural } from '../terminal/format.ts'
import type { Terminal } from '../terminal/terminal.ts'

const DEFAULT_ENGINES = 'embedded,mock'

export async function conformance({ options, terminal }: Call): Promise<number> {
  const names = (options.text('engines') ?? DEFAULT_ENGINES).split(',').map((name) => name.trim())
  for (const name of names) checkName(name)
  const patience = options.text('patience')
  const entries = readEntries(options.list('plans'), options.list('only'))
  const engines: ConformanceEngine[] = []
  try {
    for (const name of names) engines.push(await openEngine(name))
    const report = await compareEngines(engines, entries, {
      ...PLAYING,
      patienceMs: patience === undefined ? PLAYING.patienceMs : timeOption('--patience', patience, { bareMs: true }),
      atOnce: Math.max(1, options.whole('atOnce') ?? 1),
      onEntry: (entry) => tell(entry, options, terminal),
    })
    if (options.json) terminal.json(report)
    else summarize(names, report, terminal)
    return report.different === 0 ? EXIT.completed : EXIT.failed
  } finally {
    for (const engine of engines) await engine.close()
  }
}

function checkName(name: string): void {
  const known = Object.keys(CONFORMANCE_ENGINES)
  if (known.includes(name)) return
  fail('ENGINE_UNKNOWN', `'${name}' is not an engine; there are ${known.join(', ')}`, didYouMean(name, known))
}

async function openEngine(name: string): Promise<ConformanceEngine> {
  const open = CONFORMANCE_ENGINES[name] ?? fail('ENGINE_UNKNOWN', `'${name}' is not an engine`)
  return open(name)
}

function tell({ entry, status, hash, difference }: EntryReport, { json }: Options, terminal: Terminal): void {
  if (json) return
  const { green, red, dim } = terminal.paint
  if (difference !== undefined) {
    terminal.line(`${red('✘')} ${entry}`)
    for (const line of picture(difference)) terminal.line(`  ${line}`)
  } else
    terminal.line(
      `${green('✔')} ${entry.padEnd(NAME_CHARS)} ${(status ?? '').padEnd(STATUS_CHARS)} ${dim((hash ?? '').slice(0, HASH_CHARS))}`,
    )
}

const NAME_CHARS = 40
const STATUS_CHARS = 10
const HASH_CHARS = 12

function picture({ engines, run, slot, message, left, right }: EntryDifference): readonly string[] {
  const side = (name: string, { found, around }: EntryDifference['left']): readonly string[] => [
    `${name}: ${found ?? 'nothing'}`,
    ...around.map((line) => `    ${line}`),
  ]
  return [
    `${run}${slot === undefined ? '' : ` ${slot}`}: ${message}`,
    ...side(engines[0], left),
    ...side(engines[1], right),
  ]
}

function summarize(
  names: readonly string[],
  { plans, equal, different }: { readonly plans: number; readonly equal: number; readonly different: number },
  terminal: Terminal,
): void {
  const { green, red } = terminal.paint
  const word = different === 0 ? green(`${equal} equal`) : red(`${different} different`)
  terminal.line()
  terminal.line(`${plural(plans, 'plan')} on ${names.join(', ')}: ${word}${different === 0 ? '' : `, ${equal} equal`}`)
}
