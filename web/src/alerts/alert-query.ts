/** Which alerts are shown: all of it is in the address of the page. */
import { ALERT_PRIORITY_NAMES, type AlertPriority } from '../../../src/core/alerts/catalogue.ts'

export interface AlertQuery {
  /** Empty: all. */
  readonly priority: readonly AlertPriority[]
  /** Empty: all. */
  readonly code: string
  readonly run: string
  /** An age such as `24h`. */
  readonly since: string
}

export const AGES = { '1h': 'the last hour', '24h': 'the last day', '7d': 'the last week', '30d': 'the last month' }

const DEFAULT_AGE = '24h'

export function alertQuery(query: URLSearchParams): AlertQuery {
  const words = (query.get('priority') ?? '').split(',')
  const since = query.get('since') ?? DEFAULT_AGE
  return {
    priority: ALERT_PRIORITY_NAMES.filter((one) => words.includes(one)),
    code: query.get('code') ?? '',
    run: query.get('run') ?? '',
    since: Object.hasOwn(AGES, since) ? since : DEFAULT_AGE,
  }
}

/** The query of the route. `since`: instead of that of the page. */
export function askedOf(asked: AlertQuery, since = asked.since): Readonly<Record<string, unknown>> & { since: string } {
  const { priority, code, run } = asked
  return {
    since,
    ...(priority.length === 0 ? {} : { priority }),
    ...(code === '' ? {} : { code: [code] }),
    ...(run === '' ? {} : { executionId: run }),
  }
}
