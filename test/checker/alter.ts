/**
 * An attacker who knows the format: one value of a bundle is changed, and everything that needs no secret is made to fit again:
 * the links of all lines. Keys and hashes of the log stay as they are: to make those fit is to write another log.
 */
import { createHash } from 'node:crypto'
import type { RandomSource } from '../fuzz/random-source.ts'

/** What docs/reference/log.md says nothing vouches for: `<part>.<field>`. */
export const UNPROTECTED: ReadonlySet<string> = new Set([
  'event.persistedAt',
  'run.archivedAt',
  'run.createdAt',
  'run.epoch',
  'run.errorCode',
  'run.minRulesVersion',
  'run.nextWakeAt',
  'run.owed',
  'run.requestKey',
  'run.stepsDone',
  'run.stepsFailed',
  'run.substatus',
  'run.triggeredBy',
  'run.updatedAt',
  // Of a run that has not started the log does not say it.
  'run.engineRunRef',
  'run.originalRunId',
  'run.parent',
  'run.engineType',
  'run.rulesVersion',
])

type Fields = Record<string, unknown>

interface Line {
  readonly part: string
  readonly body: Fields
}

export function alteredBundle(text: string, random: RandomSource): { readonly text: string; readonly what: string } {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
  const chosen = lines[random.below(lines.length - 1)]
  if (chosen === undefined) throw new Error('an empty bundle')
  const names = Object.keys(chosen.body)
  const name = names[random.below(names.length)] ?? ''
  chosen.body[name] = changed(chosen.body[name], random)
  return { text: relinked(lines), what: `${chosen.part}.${name}` }
}

function changed(value: unknown, random: RandomSource): unknown {
  if (typeof value === 'number') return value + 1 + random.below(9)
  if (typeof value === 'boolean') return !value
  if (typeof value !== 'string') return 'changed'
  if (value === '') return 'x'
  const at = random.below(value.length)
  const code = value.charCodeAt(at)
  // Another character of the same sort, so that the text stays readable as what it is.
  const other = /[0-9]/.test(value.charAt(at)) ? ((code - 47) % 10) + 48 : code === 0x61 ? 0x62 : 0x61
  return value.slice(0, at) + String.fromCharCode(other) + value.slice(at + 1)
}

/** The same lines with links that fit, and the right number at the end. */
export function relinkedText(lines: readonly string[]): string {
  const parsed = lines.map((line) => JSON.parse(line) as Line)
  return relinked(parsed.map((line) => (line.part === 'end' ? { ...line, body: { lines: lines.length } } : line)))
}

function relinked(lines: readonly Line[]): string {
  let link = ''
  return lines
    .map(({ body, part }) => {
      const said = sorted(body)
      link = createHash('sha256')
        .update(`${link}\n${JSON.stringify({ body: said, part })}`)
        .digest('hex')
      return `${JSON.stringify({ body: said, link, part })}\n`
    })
    .join('')
}

function sorted(body: Fields): Fields {
  return Object.fromEntries(Object.entries(body).sort(([a], [b]) => (a < b ? -1 : 1)))
}
