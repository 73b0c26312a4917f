/** Alerts of one kind stand together, the most urgent kind first: what one cause raises often is read once. */
import { ALERTS, type AlertCode } from '../../../src/core/alerts/catalogue.ts'
import type { Look } from '../shown/states.ts'
import type { ShownAlert } from './use-alerts.ts'

export interface AlertGroup {
  readonly code: string
  readonly priority: ShownAlert['priority']
  /** Newest first. */
  readonly alerts: readonly ShownAlert[]
  readonly runs: number
}

export function groupsOf(alerts: readonly ShownAlert[]): readonly AlertGroup[] {
  const groups = Map.groupBy(alerts, ({ code, priority }) => `${priority} ${code}`)
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, own]) => {
      const [first] = own
      if (first === undefined) return []
      const { code, priority } = first
      return [{ code, priority, alerts: own, runs: new Set(own.map(({ runId }) => runId)).size }]
    })
}

export const PRIORITY_LOOKS: Readonly<Record<ShownAlert['priority'], Look>> = {
  P1: { word: 'P1 now', shape: 'cross', tone: 'bad' },
  P2: { word: 'P2 today', shape: 'bars', tone: 'held' },
  P3: { word: 'P3 to know', shape: 'ring', tone: 'idle' },
}

/** Undefined: an alert that a log records by itself, or of a later version. */
export function meaningOf(code: string): { readonly means: string; readonly todo: string } | undefined {
  return Object.hasOwn(ALERTS, code) ? ALERTS[code as AlertCode] : undefined
}
