/** A run that waited in the queue for a person and ended without approval: who ended it, and why. */
import { viewOf } from '../../../core/events/event-views.ts'
import type { LogRecord } from '../../../core/events/event.ts'
import { oneLine } from '../terminal/format.ts'

const REASON_CHARS = 200

/** `by ben, "too dear", before it was approved`; undefined for a run that was approved, or needed no approval. */
export function endedUnapproved(records: readonly LogRecord[]): string | undefined {
  const has = (type: string): boolean => records.some(({ eventType }) => eventType === type)
  const queued = records.find(({ eventType }) => eventType === 'RunQueued')
  if (queued === undefined || queued.payload?.['autoApprove'] === true || has('RunApproved')) return undefined
  const word = records.find(
    (one) => one.eventType === 'SignalAccepted' && ENDS.has(String(one.payload?.['signalType'])),
  )
  const actor = word?.payload?.['actorId']
  const reason = word === undefined ? undefined : reasonOf(word)
  const by = typeof actor === 'string' ? `by ${actor}, ` : ''
  return `${by}${reason === undefined ? '' : `"${oneLine(reason, REASON_CHARS)}", `}before it was approved`
}

const ENDS: ReadonlySet<string> = new Set(['CANCEL', 'EMERGENCY_STOP'])

function reasonOf(word: LogRecord): string | undefined {
  const { payload } = viewOf(word)
  const given = payload['reason'] ?? (word.data?.['signalPayload'] as { readonly reason?: unknown } | undefined)?.reason
  return typeof given === 'string' && given !== '' ? given : undefined
}
