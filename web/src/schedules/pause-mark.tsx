/** That a schedule is paused: until when, by whom and why. */
import type { ReactElement } from 'react'
import { StateChip } from '../shown/state-mark.tsx'
import { RUN_LOOKS } from '../shown/states.ts'
import { When } from '../shown/when.tsx'
import type { Schedule } from './schedule-draft.ts'

export function PauseMark({ schedule, now }: { readonly schedule: Schedule; readonly now: number }): ReactElement {
  const { pausedUntil, pausedAt, pausedBy, pauseReason } = schedule
  return (
    <>
      <StateChip look={RUN_LOOKS.PAUSED} />{' '}
      <span className="quiet">
        {pausedUntil === undefined ? (
          'until it is resumed'
        ) : (
          <>
            ends <When at={pausedUntil} now={now} />
          </>
        )}
        {pausedBy === undefined ? '' : `, by ${pausedBy}`}
        {pausedAt === undefined ? null : (
          <>
            {' '}
            <When at={pausedAt} now={now} />
          </>
        )}
        {pauseReason === undefined ? '' : `: ${pauseReason}`}
      </span>
    </>
  )
}
