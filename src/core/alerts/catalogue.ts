/**
 * Every alert there is, with its priority (OBS-04, OBS-05): P1 needs somebody now, P2 today, P3 is for information. What only informs
 * wakes nobody, unless it persists (OBS-06).
 */
export const ALERT_PRIORITY_NAMES = ['P1', 'P2', 'P3'] as const
export type AlertPriority = (typeof ALERT_PRIORITY_NAMES)[number]

interface Row {
  readonly priority: AlertPriority
  /** It is told where people look, and goes to nobody by itself. */
  readonly informs?: true
}

export const ALERTS = {
  PLAN_INTEGRITY_VALIDATION_FAILED: { priority: 'P1' },
  DESTRUCTIVE_SIGNAL: { priority: 'P1' },
  EVENT_BUS_DELIVERY_FAILED: { priority: 'P1' },
  AUTHORIZATION_FAILED: { priority: 'P2' },
  RUN_TIMEOUT: { priority: 'P2' },
  PAUSE_DRAIN_TIMEOUT: { priority: 'P2' },
  INVALID_TRANSITION: { priority: 'P2' },
  PROJECTOR_NON_CONTIGUOUS_FETCH_DETECTED: { priority: 'P2' },
  PROJECTOR_LAG_HIGH: { priority: 'P2' },
  PROJECTOR_CAUSAL_VIOLATION: { priority: 'P3', informs: true },
  CLOCK_SKEW: { priority: 'P3', informs: true },
} as const satisfies Readonly<Record<string, Row>>

export type AlertCode = keyof typeof ALERTS

/** An alert as it is told. Without `runId` it is about no run: somebody was refused a request. */
export interface Alert {
  readonly alertId: string
  readonly code: string
  readonly priority: AlertPriority
  readonly tenantId?: string
  readonly runId?: string
  readonly runSeq?: number
  /** Of a refused request: who asked. */
  readonly actorId?: string
  /** It only informed at first, and did not stop. */
  readonly persistent?: true
  readonly detail: string
}

/** Is it at least as urgent as this? */
export function isAtLeast({ priority }: Pick<Alert, 'priority'>, least: AlertPriority): boolean {
  return ALERT_PRIORITY_NAMES.indexOf(priority) <= ALERT_PRIORITY_NAMES.indexOf(least)
}

/** May it wake somebody? What only informs may not, whatever its priority; once it persists it may. */
export function mayWake({ code, persistent }: Pick<Alert, 'code' | 'persistent'>): boolean {
  const row: Row | undefined = Object.hasOwn(ALERTS, code) ? ALERTS[code as AlertCode] : undefined
  return row?.informs !== true || persistent === true
}
