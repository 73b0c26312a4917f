/**
 * What the specification says, stated a second time and without a line of the product: which event may follow which,
 * what may come after the end, which errors are repeated and after how long, and how a key is spelled.
 */
import { createHash } from 'node:crypto'
import type { RetryPolicy, Step } from '../../src/core/plan/plan.ts'

export type Phase = 'PENDING' | 'APPROVED' | 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'FAILED' | 'CANCELLED'

/** `from>event` → to, as RSM and P-45 tell it. */
const RUN_MOVES: Readonly<Record<string, Phase>> = {
  'PENDING>RunQueued': 'PENDING',
  'PENDING>RunValidated': 'PENDING',
  'PENDING>RunApproved': 'APPROVED',
  'PENDING>RunFailed': 'FAILED',
  'PENDING>RunCancelled': 'CANCELLED',
  'APPROVED>RunQueued': 'APPROVED',
  'APPROVED>RunStarted': 'RUNNING',
  'APPROVED>RunFailed': 'FAILED',
  'APPROVED>RunCancelled': 'CANCELLED',
  'RUNNING>RunPaused': 'PAUSED',
  'RUNNING>RunCompleted': 'COMPLETED',
  'RUNNING>RunFailed': 'FAILED',
  'RUNNING>RunCancelled': 'CANCELLED',
  'PAUSED>RunResumed': 'RUNNING',
  'PAUSED>RunCancelled': 'CANCELLED',
}

export const RUN_EVENTS: ReadonlySet<string> = new Set(Object.keys(RUN_MOVES).map((move) => move.split('>')[1] ?? ''))

export function runMove(from: Phase, eventType: string): Phase | undefined {
  return RUN_MOVES[`${from}>${eventType}`]
}

export const MAY_FOLLOW_THE_END: readonly string[] = [
  'SignalAccepted',
  'SignalRejected',
  'LateOutcomeRecorded',
  'RunForked',
  'AlertRaised',
  'AlertEscalated',
  'ErasureRecorded',
]

export const isEnd = (phase: Phase): boolean => phase === 'COMPLETED' || phase === 'FAILED' || phase === 'CANCELLED'

const REPEATED_CLASSES = ['timeout', 'rate_limit', '5xx', 'transport', 'unknown']

/** RTY-14: a class that is ever repeated, listed if there is a list. */
export function isRepeated(policy: RetryPolicy, errorClass: string): boolean {
  if (!REPEATED_CLASSES.includes(errorClass)) return false
  return policy.retryableErrors === undefined || (policy.retryableErrors as readonly string[]).includes(errorClass)
}

/** RTY-02 by multiplying out: the wait after attempt n. */
export function waitAfter(policy: RetryPolicy, attempt: number): number {
  let wait = policy.initialBackoffMs
  for (let n = 1; n < attempt; n += 1) wait *= policy.backoffMultiplier
  return Math.round(Math.min(wait, policy.maxBackoffMs))
}

export interface LogEvent {
  readonly runSeq: number
  readonly eventType: string
  readonly runId: string
  readonly planVersion: string
  readonly at: number
  readonly stepId: string | undefined
  readonly itemIndex: number | undefined
  readonly role: string | undefined
  readonly attempt: number
  readonly engineAttempt: number
  readonly payload: Readonly<Record<string, unknown>>
  readonly data: Readonly<Record<string, unknown>>
  readonly decision: { readonly firstSeq: number; readonly cause: string }
  readonly idempotencyKey: string
}

export function logEvent(record: string, data: string | undefined): LogEvent {
  const parsed = JSON.parse(record) as Record<string, never>
  return {
    runSeq: parsed['runSeq'] as unknown as number,
    eventType: parsed['eventType'] as unknown as string,
    runId: parsed['runId'] as unknown as string,
    planVersion: parsed['planVersion'] as unknown as string,
    at: Date.parse(parsed['emittedAt'] as unknown as string),
    ...stepParts(parsed),
    attempt: parsed['logicalAttemptId'] as unknown as number,
    engineAttempt: parsed['engineAttemptId'] as unknown as number,
    payload: parsed['payload'] as unknown as LogEvent['payload'],
    data: data === undefined ? {} : (JSON.parse(data) as LogEvent['data']),
    decision: parsed['decision'] as unknown as LogEvent['decision'],
    idempotencyKey: parsed['idempotencyKey'] as unknown as string,
  }
}

/** The slot stands at the root of a step event and in the payload of any other; both forms of it must agree. */
function stepParts(parsed: Readonly<Record<string, unknown>>): Pick<LogEvent, 'stepId' | 'itemIndex' | 'role'> {
  const isStep = String(parsed['eventType']).startsWith('Step')
  const { stepId: slot } = (isStep ? parsed : parsed['payload']) as { readonly stepId?: string }
  const named = /^(FALLBACK:)?([^[\]:]+)(?:\[(\d+)\])?$/.exec(slot ?? '')
  const parts = {
    stepId: named?.[2],
    itemIndex: named?.[3] === undefined ? undefined : Number(named[3]),
    role: named?.[1] === undefined ? undefined : 'fallback',
  }
  const isPlain = parts.itemIndex === undefined && parts.role === undefined
  const beside = [parsed['parentStepId'], parsed['itemIndex'], parsed['role']]
  const expected = !isStep || isPlain ? [undefined, undefined, undefined] : [parts.stepId, parts.itemIndex, parts.role]
  if (beside.some((value, index) => value !== expected[index]))
    throw new Error(`${String(parsed['eventType'])} #${String(parsed['runSeq'])}: ${slot ?? ''} and its parts differ`)
  if (!isStep && parsed['stepId'] !== undefined)
    throw new Error(`${String(parsed['eventType'])} has a stepId at its root`)
  return parts
}

/** The step slot an event speaks of. */
export function slotName(event: Pick<LogEvent, 'stepId' | 'itemIndex' | 'role'>): string {
  const base = event.itemIndex === undefined ? `${event.stepId}` : `${event.stepId}[${event.itemIndex}]`
  return event.role === 'fallback' ? `FALLBACK:${base}` : base
}

/** The protocol's table of keys, row by row. */
export function expectedKey(event: LogEvent): string {
  const { eventType, payload } = event
  const about = event.stepId === undefined ? 'RUN' : slotName(event)
  let slot = about
  if (eventType.startsWith('Compensation')) slot = `COMP:${about}`
  else if (eventType === 'ManualTaskOpened') slot = `TASK:${about}:${String(payload['attempt'])}`
  else if (eventType === 'LateOutcomeRecorded') {
    const compensation = payload['compensation'] === true ? 'COMP:' : ''
    slot = `LATE:${compensation}${about}:${String(payload['attempt'])}`
  } else if (eventType.startsWith('Signal')) slot = `SIGNAL:${String(payload['signalId'])}`
  else if (eventType === 'RunForked') slot = `FORK:${String(payload['newRunId'])}`
  else if (eventType.startsWith('Alert')) slot = `ALERT:${String(payload['code'])}:${about}:${event.decision.firstSeq}`
  return createHash('sha256')
    .update(`${event.runId}|${slot}|${event.attempt}|${eventType}|${event.planVersion}`)
    .digest('hex')
}

export type Kind = 'run' | 'wait' | 'manual' | 'plan'

export function kindOfStep(step: Step): Kind {
  if ('wait' in step) return 'wait'
  if ('manual' in step) return 'manual'
  return 'plan' in step ? 'plan' : 'run'
}

/** What an attempt of a step holds while it runs (P-18): a fallback needs no agent. In order of names. */
export function unitsOf(step: Step, isFallback: boolean): Readonly<Record<string, number>> | undefined {
  if (kindOfStep(step) !== 'run') return undefined
  const units = Object.entries(step.resources ?? {}).map(([name, amount]): [string, number] => [
    `resource:${name}`,
    amount,
  ])
  if (step.agent !== undefined && !isFallback) units.push([`agent:${step.agent}`, 1])
  if (units.length === 0) return undefined
  return Object.fromEntries(units.sort(([a], [b]) => (a < b ? -1 : 1)))
}

export const QUEUE_ALLOWANCE_MS = 30 * 60 * 1000
export const GRACE_MS = 5000

export const instant = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : -1)

export function itemNames(stepId: string, count: number): string[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => `${stepId}[${index}]`)
}
