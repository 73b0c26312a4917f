/** The rows of the list of schedules. */
import type { ReactElement } from 'react'
import { sayWhen } from '../../../src/core/schedule/say-when.ts'
import { pathOf, planPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { useClock } from '../shown/use-clock.ts'
import { When } from '../shown/when.tsx'
import { PauseMark } from './pause-mark.tsx'
import { ScheduleActs } from './schedule-acts.tsx'
import type { Schedule } from './schedule-draft.ts'
import { CATCH_UP_WORDS, OVERLAP_WORDS } from './schedule-words.ts'

export interface ScheduleRowsProps {
  readonly schedules: readonly Schedule[]
  readonly isLoaded: boolean
  readonly onActed: () => void
}

/** The shape of the list while it is loading. */
const SHAPE = ['a', 'b', 'c']

export function ScheduleRows({ schedules, isLoaded, onActed }: ScheduleRowsProps): ReactElement {
  const now = useClock(true)
  return (
    <table className="listing" aria-label="Schedules" aria-busy={!isLoaded}>
      <thead>
        <tr>
          <th scope="col">schedule</th>
          <th scope="col" className="wide">
            plan
          </th>
          <th scope="col">when</th>
          <th scope="col">next</th>
          <th scope="col" className="wide">
            overlap
          </th>
          <th scope="col" className="wide">
            catch up
          </th>
          <th scope="col" className="wide">
            <span className="sr-only">acts</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {isLoaded
          ? schedules.map((schedule) => (
              <Row key={schedule.scheduleId} schedule={schedule} now={now} onActed={onActed} />
            ))
          : SHAPE.map((key) => (
              <tr key={key} className="shape">
                <td colSpan={7}>&nbsp;</td>
              </tr>
            ))}
      </tbody>
    </table>
  )
}

interface RowProps {
  readonly schedule: Schedule
  readonly now: number
  readonly onActed: () => void
}

function Row({ schedule, now, onActed }: RowProps): ReactElement {
  const { scheduleId, planId, planVersion, ofPlan, overlap = 'skip', catchUp = 'latest' } = schedule
  return (
    <tr>
      <td>
        <Link href={pathOf('schedule', { scheduleId })}>{scheduleId}</Link>
        {ofPlan ? <OfPlanMark planId={planId} /> : null}
      </td>
      <td className="wide plan-of">
        <Link href={planPath(planId)}>{planId}</Link> <span className="quiet">{planVersion ?? 'newest'}</span>
      </td>
      <td>
        <Rhythm schedule={schedule} />
      </td>
      <td>
        <Next schedule={schedule} now={now} />
      </td>
      <td className="wide" title={OVERLAP_WORDS[overlap]}>
        {overlap}
      </td>
      <td className="wide" title={CATCH_UP_WORDS[catchUp]}>
        {catchUp}
      </td>
      <td className="wide">
        <ScheduleActs schedule={schedule} onDone={onActed} />
      </td>
    </tr>
  )
}

/** It is published with its plan. */
function OfPlanMark({ planId }: { readonly planId: string }): ReactElement {
  return (
    <span className="mark-word" title={`It is published with the plan ${planId}, and changed with it alone.`}>
      of its plan
    </span>
  )
}

export function Rhythm({ schedule }: { readonly schedule: Schedule }): ReactElement {
  const { cron, every, zone = 'UTC' } = schedule
  return (
    <>
      {sayWhen({ cron, every })}{' '}
      {every === undefined ? (
        <span className="quiet nowrap">
          <code>{cron}</code> {zone}
        </span>
      ) : null}
    </>
  )
}

function Next({ schedule, now }: { readonly schedule: Schedule; readonly now: number }): ReactElement {
  const { paused, nextAt } = schedule
  if (paused) return <PauseMark schedule={schedule} now={now} />
  return nextAt === undefined ? <span className="quiet">never</span> : <When at={nextAt} now={now} />
}
