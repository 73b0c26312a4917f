/** One kind of alert: what it means, what to do, and where it was raised, each with a way to the run at that event. */
import { useState, type ReactElement } from 'react'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { StateChip } from '../shown/state-mark.tsx'
import { When } from '../shown/when.tsx'
import { plural, shortId } from '../shown/words.ts'
import { meaningOf, PRIORITY_LOOKS, type AlertGroup } from './alert-groups.ts'
import type { ShownAlert } from './use-alerts.ts'

const FIRST = 5

export function AlertGroupPart({ group, now }: { readonly group: AlertGroup; readonly now: number }): ReactElement {
  const { code, priority, alerts, runs } = group
  const [isWhole, setWhole] = useState(false)
  const known = meaningOf(code)
  const shown = isWhole ? alerts : alerts.slice(0, FIRST)
  return (
    <section className="alert-group" aria-label={code}>
      <header>
        <StateChip look={PRIORITY_LOOKS[priority]} />
        <h2>
          <code>{code}</code>
        </h2>
        <span className="quiet">{`${alerts.length.toLocaleString('en')} in ${plural(runs, 'run')}`}</span>
      </header>
      <p>{known?.means ?? 'The log records this alert itself: a plan, or a later version, raised it.'}</p>
      <p>
        <span className="quiet">What to do:</span> {known?.todo ?? 'Look at the run at that event.'}
      </p>
      <ul className="plain" aria-label={`Where ${code} was raised`}>
        {shown.map((alert) => (
          <AlertLine key={alert.alertId} alert={alert} now={now} />
        ))}
      </ul>
      {alerts.length <= FIRST ? null : (
        <button type="button" className="small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? `Only the newest ${FIRST}` : `All ${alerts.length.toLocaleString('en')}`}
        </button>
      )}
    </section>
  )
}

function AlertLine({ alert, now }: { readonly alert: ShownAlert; readonly now: number }): ReactElement {
  const { runId, runSeq, persistedAt, detail, priorState, attemptedState } = alert
  const at = runSeq === undefined ? '' : `?at=${runSeq}`
  const move = priorState === undefined || attemptedState === undefined ? '' : ` (${priorState} → ${attemptedState})`
  return (
    <li className="alert-line">
      {persistedAt === undefined ? null : <When at={persistedAt} now={now} />}
      <Link href={`${runPath(runId)}${at}`} title={runId}>
        {`run ${shortId(runId)}${runSeq === undefined ? '' : `, event ${runSeq}`}`}
      </Link>
      <span className="detail">{`${detail}${move}`}</span>
    </li>
  )
}
