/**
 * Which events may be written late. Only an intent may (StepStarted): every other event tells what happened or what was
 * decided, and is never reported before it is stored. Settings that say otherwise are refused at start-up.
 */
import { isEventType, type EventType } from '../../core/events/event.ts'
import { fail } from '../../core/problems/problem.ts'

export interface CommitClasses {
  /**
   * Events that go to a local buffer when the store exceeds its time limit. Default none; only `StepStarted` is
   * allowed.
   */
  readonly failOpenForEventClass?: readonly EventType[]
  /**
   * Events that are never late. Default `StepCompleted` and `StepFailed`; events in neither list are never late either.
   */
  readonly neverFailOpen?: readonly EventType[]
}

const INTENTS: ReadonlySet<EventType> = new Set<EventType>(['StepStarted'])
const NEVER: readonly EventType[] = ['StepCompleted', 'StepFailed']

/** The events that may be late. Throws FAIL_OPEN_CONFLICT; a store in memory has no place to buffer them. */
export function lateClasses(classes: CommitClasses, directory?: string): ReadonlySet<EventType> {
  const { failOpenForEventClass = [], neverFailOpen = NEVER } = classes
  for (const type of [...failOpenForEventClass, ...neverFailOpen])
    if (!isEventType(type)) fail('FAIL_OPEN_CONFLICT', `there is no event '${String(type)}'`)
  for (const type of failOpenForEventClass) {
    if (neverFailOpen.includes(type))
      fail('FAIL_OPEN_CONFLICT', `${type} is in failOpenForEventClass and in neverFailOpen`)
    if (!INTENTS.has(type)) fail('FAIL_OPEN_CONFLICT', `${type} is critical: only StepStarted may be written late`)
  }
  if (failOpenForEventClass.length > 0 && directory === ':memory:')
    fail('FAIL_OPEN_CONFLICT', 'a store in memory has no folder for events that are written late')
  return new Set(failOpenForEventClass)
}
