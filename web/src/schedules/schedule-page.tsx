/** One schedule: what it says, the last and next ten occurrences with the runs they started, its backfills, and what one does with it. */
import type { ReactElement } from 'react'
import { goTo, pathOf, setQuery, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { useAsked } from '../server/use-asked.ts'
import { ActButton } from '../shown/act-button.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { Backfill } from './backfill.tsx'
import { BackfillRows } from './backfill-rows.tsx'
import { Last, Next } from './occurrence-lists.tsx'
import { PauseMark } from './pause-mark.tsx'
import { ScheduleActs } from './schedule-acts.tsx'
import type { WholeSchedule } from './schedule-draft.ts'
import { ScheduleFacts } from './schedule-facts.tsx'
import { ScheduleForm } from './schedule-form.tsx'
import '../styles/operate.css'
import '../styles/starts.css'

export function SchedulePage({ scheduleId }: { readonly scheduleId: string }): ReactElement {
  const { value, error, again } = useAsked(`schedule ${scheduleId}`, (client, signal) =>
    client.call('getSchedule', { params: { scheduleId }, signal }),
  )
  return (
    <main className="operate">
      <p>
        <Link href={pathOf('schedules')} className="back">
          ← schedules
        </Link>
      </p>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {value === undefined ? (
        <>
          <h1>{scheduleId}</h1>
          <p className="quiet">{error === undefined ? 'Loading …' : ''}</p>
        </>
      ) : (
        <Whole whole={value} again={again} />
      )}
    </main>
  )
}

interface WholeProps {
  readonly whole: WholeSchedule
  readonly again: () => void
}

function Whole({ whole, again }: WholeProps): ReactElement {
  const { schedule, last, next, waiting, backfills } = whole
  const { scheduleId, ofPlan, paused } = schedule
  const { query } = useAddress()
  const now = useClock(true)
  const isEdited = query.get('edit') !== null && !ofPlan
  const isFilled = query.get('fill') !== null
  const closeEdit = (): void => setQuery({ edit: undefined }, 'step')
  return (
    <>
      <header className="starts-head">
        <h1>{scheduleId}</h1>
        {paused ? <PauseMark schedule={schedule} now={now} /> : null}
        <span className="room" />
        <span className="row-acts">
          <ActButton words="Fill in …" needs="RUN_START" onClick={() => setQuery({ fill: '1' }, 'step')} />
          {ofPlan ? null : <ActButton words="Edit" needs="RUN_START" onClick={() => setQuery({ edit: '1' }, 'step')} />}
          <ScheduleActs schedule={schedule} onDone={again} onDeleted={() => goTo(pathOf('schedules'))} />
        </span>
      </header>
      {ofPlan ? <OfPlan planId={schedule.planId} /> : null}
      {isEdited ? (
        <ScheduleForm
          schedule={schedule}
          onDone={() => {
            again()
            closeEdit()
          }}
          onClose={closeEdit}
        />
      ) : (
        <ScheduleFacts schedule={schedule} now={now} />
      )}
      {isFilled ? <Backfill schedule={schedule} onBegun={again} /> : null}
      <BackfillRows backfills={backfills} zone={schedule.zone} now={now} />
      <div className="starts-lists">
        <Last last={last} zone={schedule.zone} now={now} />
        <Next next={next} waiting={waiting} schedule={schedule} now={now} />
      </div>
    </>
  )
}

/** Why it can be neither edited nor deleted here, before somebody tries. */
function OfPlan({ planId }: { readonly planId: string }): ReactElement {
  return (
    <p className="note">
      It is the schedule that the plan {planId} brings: publishing the plan changes it, and a version without{' '}
      <code>schedule:</code> removes it. Here it is paused, resumed and filled in; other changes are refused with{' '}
      <code>SCHEDULE_OF_PLAN</code>.
    </p>
  )
}
