/** Faults planted in what events from outside go through: none is lost, none ends two waits of a run, none is a stranger's. */
import type { Mutant } from './mutant.ts'

const CATCHER = 'test/core/events.test.ts'

export const EVENTS_FAULTS: readonly Mutant[] = [
  {
    name: 'an event ends every wait of a run that it reaches',
    file: 'core/run/state/event-waits.ts',
    find: 'if (at.value === eventId) return false',
    replace: "if (at.value === '') return false",
    catcher: CATCHER,
  },
  {
    name: 'the fold forgets which events were used',
    file: 'core/run/evolve/steps.ts',
    find: 'next.usedEvents = { value: eventId, next: next.usedEvents }',
    replace: '',
    catcher: CATCHER,
  },
  {
    name: 'an event that does not match ends the wait',
    file: 'app/advance/take-event.ts',
    find: 'if (match === false) return',
    replace: '',
    catcher: CATCHER,
  },
  {
    name: 'a wait that ran out of time begins again',
    file: 'core/run/decide/timer.ts',
    find: 'error: EVENT_TIMEOUT_ERROR, forced: true, exhausted: true',
    replace: 'error: { ...EVENT_TIMEOUT_ERROR, retryable: true }, forced: true',
    catcher: CATCHER,
  },
  {
    name: 'opening a wait does not look for kept events',
    file: 'adapters/stores/memory/events.ts',
    find: 'if (isIts && event.expiresAt > now && event.dataSha256 === undefined) tell(run, wait, event, now)',
    replace: 'if (isIts && event.expiresAt < 0) tell(run, wait, event, now)',
    catcher: CATCHER,
  },
  {
    name: 'a kept event is found at the next poll only',
    file: 'app/advance/turn-report.ts',
    find: 'opensWait ? round.wall : (heldUntil ?? nextWakeAt)',
    replace: '(heldUntil ?? nextWakeAt)',
    catcher: CATCHER,
  },
  {
    name: 'an event sent to a waiting run is only kept',
    file: 'adapters/stores/memory/events.ts',
    find: 'for (const wait of waits.sort(bySlot)) tell(run, wait, event, now)',
    replace: 'waits.sort(bySlot)',
    catcher: CATCHER,
  },
  {
    name: 'a next attempt is not told of events that the first had no use for',
    file: 'core/events/event-notice.ts',
    find: 'return `event:${eventId}:${slot}:${attempt}`',
    replace: 'return `event:${eventId}:${slot}:${Math.min(attempt, 1)}`',
    catcher: CATCHER,
  },
  {
    name: 'a run whose key is missing waits for what everybody waits for',
    file: 'app/advance/evaluate-needs.ts',
    find: "if (typeof text !== 'string' || text === '')",
    replace: "if (typeof text !== 'string' && text !== null)",
    catcher: CATCHER,
  },
  {
    name: 'of several waits of a run only the first is told of an event',
    file: 'adapters/stores/memory/events.ts',
    find: 'for (const wait of waits.sort(bySlot)) tell(run, wait, event, now)',
    replace: 'for (const wait of waits.sort(bySlot).slice(0, 1)) tell(run, wait, event, now)',
  },
  {
    name: 'a wait that opens is told of the oldest kept event only',
    file: 'adapters/stores/memory/events.ts',
    find: 'if (isIts && event.expiresAt > now && event.dataSha256 === undefined) tell(run, wait, event, now)',
    replace: 'if (isIts && event.expiresAt > now) { tell(run, wait, event, now); break }',
  },
  {
    name: 'an event may end a wait again after another event came between',
    file: 'core/run/state/event-waits.ts',
    find: 'for (let at = state.usedEvents; at !== undefined; at = at.next)',
    replace: 'for (let at = state.usedEvents; at !== undefined; at = undefined)',
    catcher: 'test/core/events.test.ts',
  },
  {
    name: 'waits are kept under the key that their plan writes, not the one it gives',
    file: 'app/loaded/event-waits.ts',
    find: "return typeof mapped === 'string' ? mapped : (written ?? '')",
    replace: "return typeof mapped === 'string' ? (written ?? '') : (written ?? '')",
  },
]
