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
  readonly means: string
  /** What somebody who sees it does. */
  readonly todo: string
}

export const ALERTS = {
  PLAN_INTEGRITY_VALIDATION_FAILED: {
    priority: 'P1',
    means: 'The stored plan is not the one that the run was started with, so the run has failed.',
    todo: 'Find out who changed the store: keelson verify --store. Then fork the run with a plan that you trust.',
  },
  DESTRUCTIVE_SIGNAL: {
    priority: 'P1',
    means: 'Somebody sent a signal that destroys or overrides, such as an emergency stop.',
    todo: 'Look at the run at that event: who sent it, and why. Its reason is recorded with it.',
  },
  EVENT_BUS_DELIVERY_FAILED: {
    priority: 'P1',
    means: 'A subscriber of the feed could not be given an event. It lies in its dead letters.',
    todo: 'Mend the subscriber, then have its dead letters redelivered.',
  },
  AUTHORIZATION_FAILED: {
    priority: 'P2',
    means: 'Somebody was refused what they asked of the run, because they may not do it.',
    todo: 'Ask them what they wanted. If they should be able to do it, give them the role.',
  },
  RUN_TIMEOUT: {
    priority: 'P2',
    means: 'The run has used up its time.',
    todo: 'See in its timeline which step took the time. Raise the limit in the plan, or make that step faster.',
  },
  PAUSE_DRAIN_TIMEOUT: {
    priority: 'P2',
    means: 'The run is paused, and steps of it are still at work after the time for draining.',
    todo: 'See which steps are still running. Wait for them, or cancel the run.',
  },
  RUN_NOT_RECONCILED: {
    priority: 'P2',
    means: 'A server tried several times to start a queued run, or to free the place of an ended one, and could not.',
    todo: 'The detail says why. It is tried again less and less often; the queue tells what each run waits for.',
  },
  WORK_UNSERVED: {
    priority: 'P2',
    means: 'A step waits for a remote worker, and none that could do it asks for work.',
    todo: 'Start a worker for the queue and the function that the detail names. The page of the workers shows who asks for what.',
  },
  INVALID_TRANSITION: {
    priority: 'P2',
    means: 'The log has an event that its run or step could not have at that moment. It changed nothing.',
    todo: 'Prove the log with keelson verify and the id of the run. If it is whole, a writer has a fault: report it.',
  },
  PROJECTOR_NON_CONTIGUOUS_FETCH_DETECTED: {
    priority: 'P2',
    means: 'A number is missing in the log: its event is late, or the number was never used.',
    todo: 'Usually nothing. If it stays, prove the log with keelson verify and the id of the run.',
  },
  PROJECTOR_LAG_HIGH: {
    priority: 'P2',
    means: 'The view of a run is more than 5 s behind its log.',
    todo: 'See whether the database or this process has too much to do.',
  },
  PROJECTOR_CAUSAL_VIOLATION: {
    priority: 'P3',
    informs: true,
    means: 'A step started before a step that it needs had ended.',
    todo: 'Look at the run at that event. If it comes again, report it with an export of the run.',
  },
  CLOCK_SKEW: {
    priority: 'P3',
    informs: true,
    means: 'The clocks of a process and of the store differ by more than 5 minutes.',
    todo: 'Set the clocks, for example with NTP. Times in logs are wrong by that much until then.',
  },
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
