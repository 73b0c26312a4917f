/** The plan that a log says its run was started with. */
import type { LogRecord, Payload } from '../../core/events/event.ts'
import type { PlanSource, RunOrigin } from '../../core/run/input.ts'
import type { StoredEvent } from '../../ports/run-store.ts'
import { envelopeOf } from '../log/read-events.ts'

/** Undefined when none of its events says so: logs of earlier versions that were never started. */
export function planShaOf(events: readonly StoredEvent[]): string | undefined {
  const [first] = events
  const started = events.find(({ eventType }) => eventType === 'RunStarted')
  const planRef = payloadOf(started)?.['planRef'] as Payload<'RunStarted'>['planRef'] | undefined
  const origin = payloadOf(first)?.['origin'] as RunOrigin | undefined
  return planRef?.sha256 ?? origin?.planSha256
}

/** The bytes that the plan was made of, as the first event says; undefined where it says nothing. */
export function planSourceOf([first]: readonly StoredEvent[]): PlanSource | undefined {
  return (payloadOf(first)?.['origin'] as RunOrigin | undefined)?.planSource
}

function payloadOf(stored: StoredEvent | undefined): LogRecord['payload'] {
  const read = stored === undefined ? undefined : envelopeOf(stored)
  return read?.ok === true ? read.value.payload : undefined
}
