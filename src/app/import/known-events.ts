/** What is stored of a run before an import: its keys, and where each attempt stands. Nothing for a run that is new. */
import type { LogRecord, RunEventWrite } from '../../core/events/event.ts'
import { isImported, keyVersionOf, type KeyVersion } from '../../core/events/imported.ts'
import { slotOf } from '../../core/events/slot-of.ts'
import { attemptTransition, type AttemptStatus } from '../../core/run/state/transitions.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import { recordOf } from '../log/read-events.ts'
import { hexOf } from '../log/sha256.ts'
import { storedEvents } from '../log/stored-events.ts'

export interface KnownEvents {
  /** Hex key → runSeq. */
  readonly keys: ReadonlyMap<string, number>
  /** `<slot>#<attempt>` → its status. */
  readonly attempts: ReadonlyMap<string, AttemptStatus>
  /** The formula of its keys; absent where nothing is stored. */
  readonly keyVersion?: KeyVersion
}

const STEP_EVENTS: ReadonlySet<string> = new Set(['StepStarted', 'StepCompleted', 'StepFailed', 'StepSkipped'])

export async function knownEvents(
  store: Pick<RunStore, 'readEvents'>,
  runKey: RunKey | undefined,
): Promise<KnownEvents> {
  const keys = new Map<string, number>()
  const attempts = new Map<string, AttemptStatus>()
  let keyVersion: KeyVersion | undefined
  if (runKey === undefined) return { keys, attempts }
  for await (const event of storedEvents(store, runKey)) {
    keys.set(hexOf(event.idempotencyKey), event.runSeq)
    const record = recordOf(event)
    if (!record.ok) continue
    if (isImported(record.value)) keyVersion = keyVersionOf(record.value)
    const attempt = attemptOf(record.value)
    if (attempt === undefined) continue
    const before = attempts.get(attempt) ?? 'PENDING'
    // A start may come after its end (LAT-02): the end stands.
    const after = attemptTransition(before, event.eventType) ?? attemptTransition('RUNNING', event.eventType)
    attempts.set(attempt, after ?? before)
  }
  return { keys, attempts, ...(keyVersion === undefined ? {} : { keyVersion }) }
}

/** Undefined for an event that is about no attempt of a step. */
export function attemptOf(event: RunEventWrite | LogRecord): string | undefined {
  const slot = STEP_EVENTS.has(event.eventType) ? slotOf(event) : undefined
  return slot === undefined ? undefined : `${slot}#${event.logicalAttemptId}`
}
