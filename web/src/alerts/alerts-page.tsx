/** Alerts about the runs of the tenant, made of their logs: what is not as it should be, what it means, and what to do. */
import type { ReactElement } from 'react'
import { ALERTS, ALERT_PRIORITY_NAMES, type AlertPriority } from '../../../src/core/alerts/catalogue.ts'
import { pathOf, setQuery, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { useWhyNot } from '../server/may.ts'
import { StateMark } from '../shown/state-mark.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { plural } from '../shown/words.ts'
import { AlertGroupPart } from './alert-group.tsx'
import { groupsOf, PRIORITY_LOOKS } from './alert-groups.ts'
import { AGES, alertQuery, type AlertQuery } from './alert-query.ts'
import { useAlerts } from './use-alerts.ts'
import '../styles/operate.css'
import '../styles/oversight.css'

export function AlertsPage(): ReactElement {
  const whyNot = useWhyNot('RUN_READ_STATUS')
  return (
    <main className="operate">
      <header>
        <h1>Alerts</h1>
        <p className="quiet">What the logs of your runs tell that is not as it should be.</p>
      </header>
      {whyNot === undefined ? <Raised /> : <p className="hint">{whyNot}</p>}
    </main>
  )
}

function Raised(): ReactElement {
  const asked = alertQuery(useAddress().query)
  const { alerts, error, more, again } = useAlerts(asked)
  const now = useClock(true)
  return (
    <>
      <AlertFilter asked={asked} />
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      <p role="status" aria-label="How many alerts" className="quiet">
        {alerts === undefined ? 'Reading the logs …' : toldOf(alerts.length, asked)}
      </p>
      {alerts?.length === 0 && more === undefined ? <Nothing /> : null}
      {groupsOf(alerts ?? []).map((group) => (
        <AlertGroupPart key={`${group.priority} ${group.code}`} group={group} now={now} />
      ))}
      {more === undefined ? null : (
        <button type="button" onClick={more}>
          Look at further runs
        </button>
      )}
      <p className="quiet">
        Refused requests are in the <Link href={pathOf('audit')}>audit log</Link>, deliveries that failed under{' '}
        <Link href={pathOf('feed')}>feed</Link>: they are in no log of a run.
      </p>
    </>
  )
}

function toldOf(count: number, { since }: AlertQuery): string {
  return `${count === 0 ? 'No alerts' : plural(count, 'alert')} of ${AGES[since as keyof typeof AGES]}.`
}

function Nothing(): ReactElement {
  return (
    <div className="empty">
      <p>
        Nothing of this kind. A server can also send alerts by itself: to its log, or to an address, signed. In
        keelson.config.yaml:
      </p>
      <pre>{'alerts:\n  webhook:\n    url: https://pager.example.com/keelson'}</pre>
    </div>
  )
}

function AlertFilter({ asked }: { readonly asked: AlertQuery }): ReactElement {
  const { priority, code, run, since } = asked
  const toggle = (one: AlertPriority): void => {
    const wanted = ALERT_PRIORITY_NAMES.filter((other) => priority.includes(other) !== (other === one))
    setQuery({ priority: wanted.join(',') }, 'step')
  }
  return (
    <form className="oversight-filter" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      <div role="group" aria-label="Priority" className="row-acts">
        {ALERT_PRIORITY_NAMES.map((one) => (
          <button
            key={one}
            type="button"
            className="toggle"
            aria-pressed={priority.includes(one)}
            onClick={() => toggle(one)}
          >
            <StateMark look={PRIORITY_LOOKS[one]} /> {one}
          </button>
        ))}
      </div>
      <label>
        Kind
        <select value={code} onChange={({ target }) => setQuery({ code: target.value }, 'step')}>
          <option value="">all</option>
          {[...new Set([...Object.keys(ALERTS), ...(code === '' ? [] : [code])])].map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label>
        Since
        <select value={since} onChange={({ target }) => setQuery({ since: target.value }, 'step')}>
          {Object.entries(AGES).map(([age, words]) => (
            <option key={age} value={age}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label>
        Run
        <input
          value={run}
          placeholder="its whole id"
          onChange={({ target }) => setQuery({ run: target.value.trim() })}
        />
      </label>
    </form>
  )
}
