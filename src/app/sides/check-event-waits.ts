/** Compares the stored waits for events with the log: a missing wait would never end, and a surplus wait ends nothing. */
import type { LogRecord } from '../../core/events/event.ts'
import { openEventWaits } from '../../core/run/state/event-waits.ts'
import type { RunState } from '../../core/run/state/state.ts'
import type { EventWaitRow } from '../../ports/events.ts'
import { keyOf } from '../loaded/event-waits.ts'
import { altered, type EvidenceFinding } from './finding.ts'

export function checkEventWaits(
  rows: readonly EventWaitRow[],
  state: RunState,
  records: readonly LogRecord[],
): readonly EvidenceFinding[] {
  const bySeq = new Map(records.map((record) => [record.runSeq, record]))
  const expected = new Set(
    [...openEventWaits(state)].map(({ slot, attempt, wait, startedSeq }) =>
      named({ slot, attempt, name: wait.forEvent, key: keyOf(bySeq.get(startedSeq)?.data?.['facts'], wait.key) }),
    ),
  )
  const found = new Set(rows.map(named))
  return [
    ...[...found].filter((one) => !expected.has(one)).map((one) => altered(`${one}, and no event of the log says so`)),
    ...[...expected]
      .filter((one) => !found.has(one))
      .map((one) => altered(`${one} by its log, and nobody would find it`)),
  ]
}

function named({ slot, attempt, name, key }: EventWaitRow): string {
  return `${slot}#${attempt} waits for ${name} with the key ${JSON.stringify(key)}`
}
