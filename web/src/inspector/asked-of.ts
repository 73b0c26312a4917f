/** What the words about a run are told from: its log up to the moment. */
import type { At } from '../history/at.ts'
import type { Asked } from './tell-cause.ts'

export function askedOf({ history, moment: { seq }, asOf }: At, slot?: string): Asked {
  return {
    now: asOf,
    ...(slot === undefined ? {} : { slot }),
    recordAt: (at) => history.recordAt(at),
    findLast: (type, fits = () => true) =>
      history.records.findLast((record) => record.runSeq <= seq && record.eventType === type && fits(record)),
  }
}
