/** `keelson audit`: who did what on a server, and who was refused what. Each record comes as it was hashed, so that a copy can be proved. */
import type { AnswerOf } from '../../../core/api/contract.ts'
import type { listAudit } from '../../../core/api/audit.ts'
import { readJsonText } from '../../../core/json/read-json-text.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import { needServer } from '../remote/server-client.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { oneLine } from '../terminal/format.ts'
import { instantOf } from '../terminal/instant.ts'
import { printTable } from '../terminal/table.ts'

type Page = AnswerOf<typeof listAudit>

const SHOWN = 100
const PAGE = 1_000

/** The newest come first in the table; as JSON all that match come in the order of the chain, so that each follows the one before. */
export async function audit({ options, terminal }: Call): Promise<number> {
  const client = await needServer(options)
  const chosen = chosenBy(options)
  const most = options.whole('limit') ?? (options.json ? Infinity : SHOWN)
  const found: Page['records'][number][] = []
  for (let from: number | undefined; found.length < most;) {
    const at = from === undefined ? {} : options.json ? { after: from } : { before: from }
    const limit = Math.min(PAGE, most - found.length)
    const order = options.json ? ('oldest' as const) : ('newest' as const)
    const { records, next, more } = await client.call('listAudit', { query: { ...chosen, ...at, limit, order } })
    for (const one of records) {
      if (options.json) terminal.json(one)
      found.push(one)
    }
    if (!more) break
    from = next
  }
  if (options.json) return EXIT.completed
  if (found.length === 0) terminal.line('nothing on record matches')
  else printTable(terminal, ['AT', 'WHO', 'ACTION', 'DECISION', 'ABOUT', 'WHY'], found.map(cells))
  return EXIT.completed
}

function chosenBy(options: Options): object {
  const named = ['actor', 'action', 'target'].flatMap((name) => {
    const value = options.text(name)
    return value === undefined ? [] : [[name, value]]
  })
  const when = (['since', 'until'] as const).flatMap((name) => {
    const text = options.text(name)
    return text === undefined ? [] : [[name, isoFromMs(instantOf(text, `--${name}`, Date.now()))]]
  })
  const decision = options.text('decision')?.toUpperCase()
  if (decision !== undefined && decision !== 'GRANTED' && decision !== 'DENIED')
    fail('USAGE', `--decision is granted or denied, not '${decision}'`)
  return { ...Object.fromEntries([...named, ...when]), ...(decision === undefined ? {} : { decision }) }
}

const TEXT_CHARS = 60

function cells({ record }: Page['records'][number]): readonly string[] {
  const read = readJsonText(record)
  if (!read.ok) fail('SERVER_NOT_KEELSON', `a record of the audit log is not JSON: ${read.fault.message}`)
  const fields = read.value as Readonly<Record<string, unknown>>
  return ['at', 'actorId', 'action', 'decision', 'target', 'reasonCode'].map((name) =>
    oneLine(textOf(fields[name]), TEXT_CHARS),
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}
