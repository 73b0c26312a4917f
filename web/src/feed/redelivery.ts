/** What came of dead letters that were asked for here: delivered and gone, still waiting, or failed once more. */
import { plural } from '../shown/words.ts'
import type { DeadLetter } from './subscriber-words.ts'

/** By id: the list as it was when it was asked for. */
export type Asked = ReadonlyMap<string, readonly DeadLetter[]>

export interface Outcomes {
  readonly failed: ReadonlySet<string>
  readonly words: string
}

/** Whoever tried it takes the wish back: a letter that is there without it, in a newer list, failed once more. */
export function outcomesOf(asked: Asked, letters: readonly DeadLetter[]): Outcomes {
  const known = new Map(letters.map((letter) => [letter.letterId, letter]))
  const newer = [...asked].filter(([, before]) => before !== letters).map(([letterId]) => letterId)
  const failed = new Set(newer.filter((id) => known.has(id) && known.get(id)?.askedAt === undefined))
  const waiting = newer.filter((id) => known.get(id)?.askedAt !== undefined).length
  const gone = newer.filter((id) => !known.has(id)).length
  const parts = [
    ...(gone > 0 ? [`${gone} delivered`] : []),
    ...(waiting > 0 ? [`${plural(waiting, 'dead letter')} waiting for whoever follows under this name`] : []),
    ...(failed.size > 0 ? [`${failed.size} failed once more`] : []),
  ]
  return { failed, words: parts.length === 0 ? '' : `${parts.join(', ')}.` }
}
