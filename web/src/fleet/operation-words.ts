/** An operation in words: what is done to how many runs, and the filter as a person would type it. */
import type { RunFilter } from '../../../src/core/filter/run-filter.ts'
import { plural } from '../shown/words.ts'
import { fleetAct } from './fleet-acts.ts'
import type { Operation } from './use-operation.ts'

export function operationTitle({ signalType, matched }: Operation): string {
  return `${fleetAct(signalType)?.word ?? signalType} ${plural(matched, 'run')}`
}

const NAMES = [
  ['plan', 'planId'],
  ['since', 'createdFrom'],
  ['until', 'createdTo'],
  ['error', 'errorCode'],
  ['actor', 'triggeredBy'],
] as const

export function filterText(stored: Readonly<Record<string, unknown>>): string {
  const filter = stored as RunFilter
  const parts = [
    ...(filter.status ?? []).map((status) => `status:${status.toLowerCase()}`),
    ...NAMES.flatMap(([name, field]) => (filter[field] === undefined ? [] : [`${name}:${quoted(filter[field])}`])),
    ...(filter.label ?? []).map((label) => `label:${quoted(label)}`),
  ]
  return parts.length === 0 ? 'all runs' : parts.join(' ')
}

const quoted = (value: string): string => (/\s/.test(value) ? `"${value}"` : value)
