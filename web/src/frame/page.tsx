/** The frame around every page: where one can go, who one is, and whether the server answers. */
import { useEffect, useState, type ReactElement } from 'react'
import { PLANS, RUNS, useAddress, type Place } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { PlansPage } from '../plans/plans-page.tsx'
import { StartPage } from '../plans/start-page.tsx'
import { RunPage } from '../run/run-page.tsx'
import { RunsPage } from '../runs/runs-page.tsx'
import { findMe, forgetKey, hasKey, isHere, logOut, me } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { Who } from './who.tsx'
import { KeyForm } from './key-form.tsx'
import { KeyMap } from '../keys/key-map.tsx'
import { ThemeButton } from './theme-button.tsx'
import { useKeys } from '../keys/use-keys.ts'

export function Page(): ReactElement {
  const { place } = useAddress()
  const who = useWatched(me)
  const isAnswering = useWatched(isHere)
  const [error, setError] = useState<unknown>()
  const [showsKeys, setShowsKeys] = useState(false)
  useEffect(() => {
    findMe().catch(setError)
  }, [])
  useKeys({ '?': () => setShowsKeys(true) })
  return (
    <>
      <nav className="top" aria-label="Pages">
        <strong className="brand">keelson</strong>
        <Link href={RUNS} aria-current={place.page === 'runs' ? 'page' : undefined}>
          Runs
        </Link>
        <Link href={PLANS} aria-current={place.page === 'plans' ? 'page' : undefined}>
          Plans
        </Link>
        <span className="room" />
        {isAnswering ? null : (
          <span className="away" role="status">
            the server does not answer; the page goes on when it is back
          </span>
        )}
        {who === undefined || who === null ? null : <Who who={who} />}
        {hasKey() ? (
          <button type="button" className="small" onClick={() => void forgetKey().catch(setError)}>
            Forget the key
          </button>
        ) : null}
        {who?.sessionEndsAt === undefined ? null : (
          <button type="button" className="small" onClick={() => void logOut().catch(setError)}>
            Log out
          </button>
        )}
        <ThemeButton />
        <button type="button" className="small" onClick={() => setShowsKeys(true)} aria-label="Keys">
          ?
        </button>
      </nav>
      {error === undefined ? null : <Trouble error={error} />}
      {who === null ? <KeyForm /> : who === undefined ? null : <Inside place={place} />}
      {showsKeys ? <KeyMap onClose={() => setShowsKeys(false)} /> : null}
    </>
  )
}

function Inside({ place }: { readonly place: Place }): ReactElement {
  switch (place.page) {
    case 'runs':
      return <RunsPage />
    case 'run':
      return <RunPage key={place.executionId} executionId={place.executionId} />
    case 'plans':
      return <PlansPage />
    case 'start':
      return <StartPage key={place.planId} planId={place.planId} />
    case 'unknown':
      return (
        <main className="empty">
          <h1>Nothing here</h1>
          <p>
            There is no page at this address. <Link href={RUNS}>All runs</Link>
          </p>
        </main>
      )
    default:
      return place satisfies never
  }
}
