/**
 * Runs by the keys that people have: labels, for which the store has an index; request id and correlation id, for which the
 * runs that the other filters leave are read page by page, for a correlation id with the first event of each.
 */
import { requestKeyOf } from '../../../app/start/new-run.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { ListFilter, RunLabels, RunRow } from '../../../ports/run-store.ts'
import type { Options } from '../terminal/command.ts'
import type { Rows } from './look.ts'

export type Matches = (row: RunRow) => Promise<boolean>

/** Undefined when no such key is asked for. */
export function businessKeys(rows: Rows, options: Options): Matches | undefined {
  const requestId = options.text('requestId')
  const correlationId = options.text('correlationId')
  const tests: Matches[] = [
    ...(requestId === undefined ? [] : [async (row: RunRow) => row.requestKey === requestKeyOf(row, requestId)]),
    ...(correlationId === undefined ? [] : [correlated(rows, correlationId)]),
  ]
  if (tests.length === 0) return undefined
  return async (row) => {
    for (const test of tests) if (!(await test(row))) return false
    return true
  }
}

/** What the store is asked for. */
export function labelFilter(options: Options): Pick<ListFilter, 'labels'> {
  const given = options.list('label').map(labelOf)
  return given.length === 0 ? {} : { labels: oncePerName(given) }
}

/** One run has one text under a name. */
function oncePerName(given: readonly (readonly [name: string, value: string])[]): RunLabels {
  const labels = new Map<string, string>()
  for (const [name, value] of given) {
    if ((labels.get(name) ?? value) !== value) fail('USAGE', `--label ${name} is given twice, with two values`)
    labels.set(name, value)
  }
  return Object.fromEntries(labels)
}

export function labelOf(text: string): readonly [name: string, value: string] {
  const at = text.indexOf('=')
  return at < 1 ? fail('USAGE', `--label takes name=value, not '${text}'`) : [text.slice(0, at), text.slice(at + 1)]
}

/** A run without one of its own is connected by its id. */
function correlated(rows: Rows, wanted: string): Matches {
  return async (row) => {
    if (row.runId === wanted) return true
    for (const { payload } of await rows.firstRecords(row, FIRST_EVENTS)) {
      const { correlationId, context } = (payload ?? {}) as Correlated
      if (correlationId === wanted || context?.correlationId === wanted) return true
    }
    return false
  }
}

/** A queued run says it at its admission, any other at its start. */
interface Correlated {
  readonly correlationId?: unknown
  readonly context?: { readonly correlationId?: unknown }
}
const FIRST_EVENTS = 3
