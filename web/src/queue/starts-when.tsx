/** What would let a run of the queue start: a person, a place of a limit, its instant; and who cannot start or approve it, and why. */
import type { ReactElement } from 'react'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { When } from '../shown/when.tsx'
import { shortId } from '../shown/words.ts'
import { placesOf, type Place, type QueuedRun } from './queue-groups.ts'

export function StartsWhen({ run, now }: { readonly run: QueuedRun; readonly now: number }): ReactElement {
  const { notBefore, mayNot, cannotStart, quarantine } = run
  const places = placesOf(run)
  const asks = run.substatus === 'WAITING_APPROVAL'
  return (
    <>
      {asks ? <p>{WHEN} a person approves it</p> : null}
      {places.map((place) => (
        <PlaceWords key={`${place.limit} ${place.perMinute === true}`} place={place} isFirst={places[0] === place} />
      ))}
      {notBefore === undefined ? null : (
        <p>
          {WHEN} it is time: <When at={notBefore} now={now} />
        </p>
      )}
      {!asks && places.length === 0 && notBefore === undefined ? <p>{WHEN} somebody starts it</p> : null}
      {mayNot === undefined ? null : <p className="hint">not by you: {mayNot.why}</p>}
      {cannotStart === undefined ? null : (
        <p className="hint">
          not by this server: <code className="code">{cannotStart.code}</code> {cannotStart.why}
        </p>
      )}
      {quarantine === undefined ? null : (
        <p className="hint">
          it was set aside: <code className="code">{quarantine}</code>
        </p>
      )}
    </>
  )
}

const WHEN = <span className="quiet">starts when</span>

/** What would free a place of a limit. */
function PlaceWords({ place, isFirst }: { readonly place: Place; readonly isFirst: boolean }): ReactElement {
  const { limit, position, heldBy, perMinute, hasRoom } = place
  const before = isFirst ? WHEN : `and ${limit}, number ${position}:`
  if (hasRoom === true) return <p>{before} it is its turn: there is room</p>
  if (perMinute === true) return <p>{before} the next minute begins</p>
  if (heldBy.length === 0) return <p>{before} a run that has a place ends</p>
  return (
    <p className="held-by">
      {before} one of these ends:{' '}
      {heldBy.map((id) => (
        <Link key={id} href={runPath(id)} aria-label={`run ${shortId(id)}`}>
          <code>{shortId(id)}</code>
        </Link>
      ))}
    </p>
  )
}
