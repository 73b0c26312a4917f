/** The acts that a run or a step offers now; those that this person may not do are shown with the reason. */
import type { ReactElement } from 'react'
import type { At } from '../history/at.ts'
import { me } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { ACT_WORDS, offerOf, type Act } from './offers.ts'
import { openAct } from './opened-act.tsx'

export interface ActButtonsProps {
  readonly at: At
  readonly acts: readonly Act[]
  readonly stepId?: string
}

/** Only at now: nobody acts on the past. */
export function ActButtons({ at, acts, stepId }: ActButtonsProps): ReactElement | null {
  const who = useWatched(me)
  const { history, moment, hasEnded } = at
  const state = moment.isNow && !hasEnded ? history.stateAt(moment.seq) : undefined
  const offers =
    state === undefined || who === null || who === undefined
      ? []
      : acts.flatMap((act) => offerOf(state, act, stepId, who) ?? [])
  return (
    <span className="acts">
      {offers.map(({ act, mayNot }) => (
        <button
          key={act}
          type="button"
          disabled={mayNot !== undefined}
          title={mayNot}
          onClick={() => openAct(at, act, stepId)}
        >
          {ACT_WORDS[act]}
        </button>
      ))}
    </span>
  )
}
