/** Which event a step waits for, as a sentence, and the command that sends it. */
import type { Cause } from '../../../core/run/explain/explain.ts'
import { oneLine, timeOfDay } from '../terminal/format.ts'

type EventCause = Extract<Cause, { kind: 'waiting-for-event' }>

/** `at`: an instant as people read it. `word`: a text as a shell takes it. */
export function eventTold(
  { name, key = '', since, expiresAt, match }: EventCause,
  now: number,
  at: (instant: number) => string,
  word: (text: string) => string,
): { readonly sentence: string; readonly commands: readonly string[] } {
  const which = key === '' ? `${name} (without a key)` : `${name} with the key ${oneLine(key, 200)}`
  const such = match === undefined ? '' : `, such that ${oneLine(match, 200)}`
  const until = expiresAt === undefined ? '' : `; it gives up ${at(expiresAt)}`
  const sentence = `it waits for the event ${which}${such}, since ${timeOfDay(since, now)}${until}`
  return { sentence, commands: [`keelson send ${word(name)}${key === '' ? '' : ` --key ${word(key)}`} --data '{}'`] }
}
