/** The schedules of the tenant: what each starts, when it comes next, and whether it is paused and by whom. */
import { useEffect, useState, type ReactElement } from 'react'
import { goTo, pathOf, setQuery, useAddress } from '../address/address.ts'
import { PAGE, readUpTo } from '../server/read-up-to.ts'
import { useAsked } from '../server/use-asked.ts'
import { ActButton } from '../shown/act-button.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { ScheduleForm } from './schedule-form.tsx'
import { ScheduleRows } from './schedule-rows.tsx'
import '../styles/operate.css'
import '../styles/starts.css'

export function SchedulesPage(): ReactElement {
  const isNew = useAddress().query.get('new') !== null
  const [most, setMost] = useState(PAGE)
  const { value, error, again } = useAsked('schedules', (client, signal) =>
    readUpTo(most, async (query) => {
      const { schedules, next } = await client.call('listSchedules', { query, signal })
      return [schedules, next]
    }),
  )
  useEffect(() => (most > PAGE ? again() : undefined), [most])
  return (
    <main className="operate">
      <header>
        <h1>Schedules</h1>
        <p className="quiet">They start published plans by the clock of this server.</p>
      </header>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {isNew ? (
        <ScheduleForm
          onDone={(scheduleId) => goTo(pathOf('schedule', { scheduleId }))}
          onClose={() => setQuery({ new: undefined }, 'step')}
        />
      ) : (
        <ActButton words="New schedule" needs="RUN_START" isMain onClick={() => setQuery({ new: '1' }, 'step')} />
      )}
      {value === undefined ? (
        <ScheduleRows schedules={[]} isLoaded={false} onActed={again} />
      ) : value.items.length === 0 ? (
        <NoSchedules />
      ) : (
        <ScheduleRows schedules={value.items} isLoaded onActed={again} />
      )}
      {value?.hasMore === true ? (
        <button type="button" onClick={() => setMost(most + PAGE)}>
          More schedules
        </button>
      ) : null}
    </main>
  )
}

function NoSchedules(): ReactElement {
  return (
    <div className="empty">
      <p>No schedule yet. The button makes one, or from a terminal:</p>
      <pre>
        {`keelson schedules create nightly order --cron '30 2 * * *' --zone Europe/Berlin --server ${window.location.origin}`}
      </pre>
      <p className="quiet">A plan can bring its own, which is published and changed with it:</p>
      <pre>{"schedule: { cron: '30 2 * * *', zone: Europe/Berlin }"}</pre>
    </div>
  )
}
