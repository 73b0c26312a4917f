/**
 * The exact texts of an event that the server gave as a record: canonical JSON has one form for each value, so they follow from it. The
 * server gives old events in the shape of today; both shapes are tried, and the chain says which one was hashed.
 */
import type { LogRecord } from '../../../src/core/events/event.ts'
import { parseStepSlot } from '../../../src/core/events/slot.ts'
import { canonicalOf } from './canonical.ts'
import type { ChainedEvent } from './chain.ts'

type Fields = Readonly<Record<string, unknown>>

export function formsOf(record: LogRecord): readonly [ChainedEvent, ...ChainedEvent[]] {
  const { persistedAt: _persistedAt, data, salt, chainHash, ...hashed } = record
  const rest = {
    chainHash,
    ...(data === undefined ? {} : { data: canonicalOf(data) }),
    ...(salt === undefined ? {} : { salt }),
  }
  const earlier = earlierShape(hashed)
  const now = { ...rest, record: canonicalOf(hashed) }
  return earlier === undefined ? [now] : [now, { ...rest, record: canonicalOf(earlier) }]
}

/** Before slots had a `stepId` of their own: see `src/core/compat/upcast.ts`, which this undoes. */
function earlierShape(hashed: Fields): Fields | undefined {
  const { stepId, parentStepId, payload, ...others } = hashed
  if (parentStepId !== undefined) return { ...others, payload, stepId: parentStepId }
  const named = (payload as Fields | undefined)?.['stepId']
  const slot = typeof named === 'string' && stepId === undefined ? parseStepSlot(named) : undefined
  if (slot === undefined) return undefined
  const { stepId: _named, ...said } = payload as Fields
  return { ...others, ...slot, payload: said }
}
