/** What the words about a run are told from: its log up to the moment. */
import type { At } from '../history/at.ts'
import type { Asked } from './tell-cause.ts'

export function askedOf({ history, moment: { seq }, asOf }: At): Asked {
  return {
    now: asOf,
    recordAt: (at) => history.recordAt(at),
    findLast: (type) => history.records.findLast(({ eventType, runSeq }) => runSeq <= seq && eventType === type),
  }
}
