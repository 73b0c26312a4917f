/**
 * The filter of runs as people type it: `status:failed plan:order since:24h error:HTTP_503 actor:ana label:team=ops`. One reader for
 * the page, the command line and the interface, so that the same words choose the same runs everywhere.
 */
import { didYouMean } from '../did-you-mean.ts'
import { RUN_TRANSITIONS, type RunStatus } from '../run/state/transitions.ts'
import { msFromIso } from '../time.ts'

export const FILTER_NAMES = ['status', 'plan', 'since', 'until', 'error', 'actor', 'label'] as const

/** What the named parts ask for, in the words of `GET /v1/executions`. */
export interface RunFilter {
  readonly status?: readonly RunStatus[]
  readonly planId?: string
  readonly createdFrom?: string
  readonly createdTo?: string
  readonly errorCode?: string
  readonly triggeredBy?: string
  readonly label?: readonly string[]
}

/** A part that means nothing: what it is, why, and what was probably meant. */
export interface UnknownPart {
  readonly part: string
  readonly why: string
}

export interface ReadFilter {
  readonly asked: RunFilter
  /** Parts without a name, in lower case. */
  readonly words: readonly string[]
  readonly unknown: readonly UnknownPart[]
}

const STATUSES = Object.keys(RUN_TRANSITIONS) as readonly RunStatus[]
/** Only after a name do quotes keep spaces: a stray one in a word swallows nothing. */
const PART = /[A-Za-z]+:[^\s"]*"[^"]*"?|\S+/g
const NAMED = /^([A-Za-z]+):(.*)$/s
const AGE = /^\d{1,6}[smhd]$/

/** The parts of a text; quotes keep spaces together: `actor:"Ana B"`. */
export function filterParts(text: string): readonly string[] {
  return text.match(PART) ?? []
}

type Asked = { -readonly [K in keyof RunFilter]: RunFilter[K] }

/** Single values: where each is written. */
const FIELDS = {
  plan: 'planId',
  since: 'createdFrom',
  until: 'createdTo',
  error: 'errorCode',
  actor: 'triggeredBy',
} as const

export function readRunFilter(text: string): ReadFilter {
  const asked: Asked = {}
  const words: string[] = []
  const unknown: UnknownPart[] = []
  for (const part of filterParts(text)) {
    const [, written, quoted = ''] = NAMED.exec(part) ?? []
    const value = quoted.replaceAll('"', '')
    if (written === undefined) words.push(part.replaceAll('"', '').toLowerCase())
    else {
      const why = take(asked, written.toLowerCase(), value)
      if (why !== undefined) unknown.push({ part, why })
    }
  }
  return { asked, words: words.filter((word) => word !== ''), unknown }
}

/** Undefined: it was understood. */
function take(asked: Asked, written: string, value: string): string | undefined {
  const name = FILTER_NAMES.find((one) => one === written)
  if (name === undefined) return hinted(`the names are ${FILTER_NAMES.join(', ')}`, written, FILTER_NAMES)
  if (value === '') return `${name}: says nothing`
  if (name === 'status') return takeStatus(asked, value)
  if (name === 'label') return takeLabel(asked, value)
  const field = FIELDS[name]
  if (asked[field] !== undefined && asked[field] !== value) return `${name} is given twice`
  if ((name === 'since' || name === 'until') && !AGE.test(value) && msFromIso(value) === undefined)
    return 'a time is an age such as 24h or 7d, or an instant'
  asked[field] = value
  return undefined
}

function takeStatus(asked: Asked, value: string): string | undefined {
  const status = STATUSES.find((one) => one === value.toUpperCase())
  const known = STATUSES.map((one) => one.toLowerCase())
  if (status === undefined) return hinted(`a status is one of ${known.join(', ')}`, value.toLowerCase(), known)
  asked.status = [...new Set([...(asked.status ?? []), status])]
  return undefined
}

function takeLabel(asked: Asked, value: string): string | undefined {
  const at = value.indexOf('=')
  if (at < 1) return 'a label is name=value'
  const others = (asked.label ?? []).filter((one) => one !== value)
  if (others.some((one) => one.startsWith(value.slice(0, at + 1)))) return 'one run has one value of a label'
  asked.label = [...others, value]
  return undefined
}

function hinted(why: string, written: string, known: readonly string[]): string {
  const { hint } = didYouMean(written, known)
  return hint === undefined ? why : `${hint} (${why})`
}
