/**
 * What has happened to a task or a run since a person was asked, who was refused and who may act, in the words of `why`
 * and `tasks`.
 */
import type { Cause, RunChange, SentWord, TaskNews } from '../../../core/run/explain/explain.ts'
import { oneLine } from '../terminal/format.ts'

type ForPeople = Pick<Extract<Cause, { kind: 'waiting-for-person' }>, 'whoMay' | 'refused'>
type Refused = NonNullable<ForPeople['refused']>[number]

/** Names and reasons come from other people: they must not fill the screen. */
const TEXT_CHARS = 200

/** Of a token: enough to tell a task from what it was before it was changed. */
export const SEEN_CHARS = 8

export function seenOf(given: string): string {
  // A server gives out the same token with the name of its run, as one word.
  const token = given.includes('.') ? given : Buffer.from(given, 'base64url').toString('latin1')
  return token.slice(token.indexOf('.') + 1).slice(0, SEEN_CHARS)
}

export function refusedText({ code, why, runSeq }: Refused): string {
  return `${oneLine(why, TEXT_CHARS)}   (${code}, runSeq ${runSeq})`
}

export function peopleTold({ whoMay, refused = [] }: ForPeople): string {
  const last = refused.at(-1)
  const more = refused.length > 1 ? `, and ${refused.length - 1} before` : ''
  const was = last === undefined ? '' : `; refused: ${refusedText(last)}${more}`
  return `${was}${whoMay === undefined ? '' : `; who may: ${oneLine(whoMay, TEXT_CHARS)}`}`
}

export function changeText({ target, actorId, reason, runSeq }: RunChange): string {
  const what = target === undefined ? 'the input was' : `what '${oneLine(target, TEXT_CHARS)}' works on was`
  const by = oneLine(actorId ?? 'somebody', TEXT_CHARS)
  const why = reason === undefined ? '' : `: ${oneLine(reason, TEXT_CHARS)}`
  return `${what} changed by ${by} after the task was opened${why}   (runSeq ${runSeq})`
}

export function sentText({ actorId, outcome }: SentWord): string {
  return `${outcome} by ${oneLine(actorId, TEXT_CHARS)} is in the inbox; it counts once somebody drives the run`
}

export function newsTold({ changed = [], sent }: TaskNews): string {
  const last = changed.at(-1)
  const more = changed.length > 1 ? `, and ${changed.length - 1} before` : ''
  const told = last === undefined ? '' : `; ${changeText(last)}${more}`
  return `${told}${sent === undefined ? '' : `; ${sentText(sent)}`}`
}
