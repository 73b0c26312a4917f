/** `keelson runs`: past and present runs, newest first, page by page; or how many there are in each status. */
import { fail } from '../../../core/problems/problem.ts'
import { RUN_TRANSITIONS, type RunStatus } from '../../../core/run/state/transitions.ts'
import type { ListFilter, RunRow } from '../../../ports/run-store.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { instantOf } from '../terminal/instant.ts'
import { businessKeys, labelFilter, labelOf, type Matches } from '../open/business-keys.ts'
import { printRuns } from '../drive/run-rows.ts'
import { publicRow } from '../output/public-row.ts'
import { openRows, type Rows } from '../open/look.ts'
import type { Terminal } from '../terminal/terminal.ts'

const DEFAULT_LIMIT = 20
const PAGE = 500
const RUN_STATUSES = Object.keys(RUN_TRANSITIONS) as readonly RunStatus[]
const LIVE = ['PENDING', 'APPROVED', 'RUNNING', 'PAUSED'] as const
const KEYS = ['requestId', 'correlationId', 'label'] as const

export async function runs({ options, terminal }: Call): Promise<number> {
  return list(await filterOf(options), options, terminal)
}

/** `keelson ps`: runs that have not ended. */
export async function liveOnly({ options, terminal }: Call): Promise<number> {
  return list({ ...(await filterOf(options)), status: LIVE }, options, terminal)
}

async function list(filter: ListFilter, options: Options, terminal: Terminal): Promise<number> {
  const limit = Math.max(1, options.whole('limit') ?? DEFAULT_LIMIT)
  const rows = await openRows(options)
  try {
    const fits = businessKeys(rows, options) ?? (async () => true)
    if (options.flag('counts')) await tellCounts(rows, filter, options, terminal)
    else if (options.flag('all')) await tellAll(rows, filter, fits, options, terminal)
    else await tellPage(rows, filter, { fits, limit }, options, terminal)
    return EXIT.completed
  } finally {
    await rows.close()
  }
}

/** `--filter`: the same as on the page. Its reader is loaded only for it, so that a bare list starts as fast as before. */
async function typedFilter(options: Options, now: number): Promise<ListFilter> {
  const text = options.text('filter')
  if (text === undefined) return {}
  const { readRunFilter } = await import('../../../core/filter/run-filter.ts')
  const { asked, words, unknown } = readRunFilter(text)
  for (const { part, why } of unknown) fail('USAGE', `--filter has '${part}', which means nothing: ${why}`)
  for (const word of words) fail('USAGE', `--filter has '${word}' without a name, such as plan:${word}`)
  const { createdFrom, createdTo, label = [], ...others } = asked
  return {
    ...others,
    ...(createdFrom === undefined ? {} : { createdFrom: instantOf(createdFrom, 'since:', now) }),
    ...(createdTo === undefined ? {} : { createdTo: instantOf(createdTo, 'until:', now) }),
    ...(label.length === 0 ? {} : { labels: Object.fromEntries(label.map(labelOf)) }),
  }
}

/** `--filter`, and what is said with an option of its own: `--status`, `--plan`, `--since`, `--until`, `--label`. */
export async function filterOf(options: Options): Promise<ListFilter> {
  const status = options.list('status').map(statusOf)
  const planId = options.text('plan')
  const now = Date.now()
  const since = options.text('since')
  const until = options.text('until')
  const typed = await typedFilter(options, now)
  const { labels } = labelFilter(options)
  return {
    ...typed,
    ...(status.length === 0 ? {} : { status }),
    ...(planId === undefined ? {} : { planId }),
    ...(since === undefined ? {} : { createdFrom: instantOf(since, '--since', now) }),
    ...(until === undefined ? {} : { createdTo: instantOf(until, '--until', now) }),
    ...(labels === undefined ? {} : { labels: { ...typed.labels, ...labels } }),
  }
}

function statusOf(text: string): RunStatus {
  const wanted = text.toUpperCase()
  const known = RUN_STATUSES.find((status) => status === wanted)
  return known ?? fail('USAGE', `'${text}' is not a status; it is one of ${RUN_STATUSES.join(', ')}`)
}

/** Rows that fit, newest first, and where the next page begins. */
interface Listed {
  readonly rows: readonly RunRow[]
  readonly next?: string
}

interface Asked {
  readonly fits: Matches
  readonly limit: number
}

/** A page for a person has that many runs that somebody started; their child runs come with them. */
async function listed(source: Rows, filter: ListFilter, { fits, limit }: Asked, options: Options): Promise<Listed> {
  const rows: RunRow[] = []
  let cursor = options.text('cursor')
  for (let roots = 0; roots < limit;) {
    const page = await source.list(filter, {
      limit: limit - roots,
      ...(cursor === undefined ? {} : { cursor }),
    })
    for (const row of page.runs) {
      if (!(await fits(row))) continue
      rows.push(row)
      roots += options.json || row.parent === undefined ? 1 : 0
    }
    cursor = page.next
    if (cursor === undefined) return { rows }
  }
  return { rows, ...(cursor === undefined ? {} : { next: cursor }) }
}

async function tellPage(
  source: Rows,
  filter: ListFilter,
  asked: Asked,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const { rows, next } = await listed(source, filter, asked, options)
  tellRows(rows, options, terminal, noneText(filter, options))
  if (next === undefined) return
  if (options.json) terminal.json({ next })
  else {
    terminal.line(terminal.paint.dim('… there are older ones: --all, or'))
    terminal.line(terminal.paint.dim(`  --cursor ${next}`))
  }
}

async function tellAll(
  source: Rows,
  filter: ListFilter,
  fits: Matches,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const rows: RunRow[] = []
  for (let cursor = options.text('cursor'); ;) {
    const page = await source.list(filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    for (const row of page.runs) {
      if (!(await fits(row))) continue
      // As JSON, a million runs need no more memory than one page.
      if (options.json) terminal.json(publicRow(row))
      else rows.push(row)
    }
    cursor = page.next
    if (cursor === undefined) break
  }
  if (!options.json) tellRows(rows, options, terminal, noneText(filter, options))
}

function tellRows(rows: readonly RunRow[], options: Options, terminal: Terminal, none: string): void {
  if (options.json) for (const row of rows) terminal.json(publicRow(row))
  else if (rows.length === 0) terminal.line(none)
  else printRuns(terminal, rows)
}

function noneText({ status, ...others }: ListFilter, options: Options): string {
  const byKey = KEYS.some((name) => options.text(name) !== undefined || options.list(name).length > 0)
  if (byKey || Object.keys(others).length > 0) return 'no such runs'
  return status === undefined ? 'no runs yet' : `no runs with status ${status.join(' or ')}`
}

async function tellCounts(source: Rows, filter: ListFilter, options: Options, terminal: Terminal): Promise<void> {
  if (Object.keys(filter).length > 0) fail('USAGE', '--counts counts all runs; it takes no filter')
  const counts = await source.counts()
  const found = RUN_STATUSES.flatMap((status) => {
    const count = counts.get(status) ?? 0
    return count === 0 ? [] : [[status, count] as const]
  })
  if (options.json) terminal.json(Object.fromEntries(found))
  else if (found.length === 0) terminal.line('no runs yet')
  else for (const [status, count] of found) terminal.line(`${status.padEnd(10)} ${String(count).padStart(8)}`)
}
