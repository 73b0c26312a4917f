/**
 * What the page does with the filter of runs beside reading it (`src/core/filter/run-filter.ts`): statuses switched by a click, parts taken
 * out, what could be typed next, and words, which narrow what has been loaded by id, plan and person.
 */
import type { ExecutionState } from '../../../src/client/connect.ts'
import { FILTER_NAMES, filterParts } from '../../../src/core/filter/run-filter.ts'
import { RUN_STATUSES, type RunStatusName } from '../shown/states.ts'

/** The text with a status in it, or without it where it was. */
export function toggleStatus(text: string, status: RunStatusName): string {
  const part = `status:${status.toLowerCase()}`
  const parts = filterParts(text)
  const others = parts.filter((one) => one.toLowerCase() !== part)
  return (others.length < parts.length ? others : [...parts, part]).join(' ')
}

export function withoutPart(text: string, at: number): string {
  return filterParts(text)
    .filter((_, index) => index !== at)
    .join(' ')
}

const MOST_COMPLETIONS = 12
const AGES = ['1h', '24h', '7d', '30d']

/** Whole texts that begin with what is typed: the last part ended by a name, or by a value that is on the page. */
export function completions(
  text: string,
  runs: readonly ExecutionState[],
  plans: readonly string[],
): readonly string[] {
  const last = /\s$/.test(text) ? '' : (filterParts(text).at(-1) ?? '')
  const before = text.slice(0, text.length - last.length)
  const valued = last.includes(':')
  const possible = valued
    ? valuesOf(last.slice(0, last.indexOf(':')).toLowerCase(), runs, plans).map(
        (value) => `${last.slice(0, last.indexOf(':') + 1)}${/\s/.test(value) ? `"${value}"` : value}`,
      )
    : FILTER_NAMES.map((name) => `${name}:`)
  return possible
    .filter((one) => one.toLowerCase().startsWith(last.toLowerCase()) && one !== last)
    .slice(0, MOST_COMPLETIONS)
    .map((one) => before + one)
}

function valuesOf(name: string, runs: readonly ExecutionState[], plans: readonly string[]): readonly string[] {
  if (name === 'status') return RUN_STATUSES.map((status) => status.toLowerCase())
  if (name === 'since' || name === 'until') return AGES
  if (name === 'plan') return [...new Set([...plans, ...runs.map(({ planId }) => planId)])]
  if (name === 'actor') return [...new Set(runs.flatMap(({ triggeredBy }) => triggeredBy ?? []))]
  return []
}

export function hasWords({ executionId, planId, triggeredBy = '' }: ExecutionState, words: readonly string[]): boolean {
  const text = `${executionId} ${planId} ${triggeredBy}`.toLowerCase()
  return words.every((word) => text.includes(word))
}
