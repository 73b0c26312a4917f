/** The frame around every page: where one can go, who one is, and whether the server answers. */
import { useEffect, useState, type ReactElement } from 'react'
import { goTo, pathOf, planPath, runPath, useAddress } from '../address/address.ts'
import { noteVisit, runBeside } from '../address/visited.ts'
import type { PagePlace } from '../address/place.ts'
import { findMe, forgetKey, hasKey, isHere, logOut, me } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { DropPlace } from '../bundle/drop-place.tsx'
import { Boundary } from '../shown/boundary.tsx'
import { Inside } from './inside.tsx'
import { PageLinks } from './page-links.tsx'
import { Who } from './who.tsx'
import { KeyForm } from './key-form.tsx'
import { PaletteDoor } from '../palette/palette-door.tsx'
import { NAMED_PAGES } from '../keys/page-keys.ts'
import { KeyMap } from '../keys/key-map.tsx'
import { ThemeButton } from './theme-button.tsx'
import { useKeys } from '../keys/use-keys.ts'

const GO_KEYS = Object.fromEntries(
  NAMED_PAGES.flatMap(({ page, key }) => (key === undefined ? [] : [[`g ${key}`, () => goTo(pathOf(page))] as const])),
)

/** To the run above or below in the list that was last looked at. */
function goBeside(place: PagePlace | undefined, by: -1 | 1): void {
  const beside = place?.page === 'run' ? runBeside(place.names['executionId'] ?? '', by) : undefined
  if (beside !== undefined) goTo(runPath(beside))
}

/** Asked at first, when the server is back, and when somebody comes back to the tab: roles change, and sessions end. */
function useWhoIs(isAnswering: boolean, onError: (error: unknown) => void): void {
  useEffect(() => {
    const ask = (): void => {
      const isDue = me.get() === undefined || document.visibilityState === 'visible'
      if (isAnswering && isDue) findMe().then(() => onError(undefined), onError)
    }
    ask()
    document.addEventListener('visibilitychange', ask)
    return () => document.removeEventListener('visibilitychange', ask)
  }, [isAnswering, onError])
}

export function Page(): ReactElement {
  const { place } = useAddress()
  const who = useWatched(me)
  const isAnswering = useWatched(isHere)
  const [error, setError] = useState<unknown>()
  const [showsKeys, setShowsKeys] = useState(false)
  useWhoIs(isAnswering, setError)
  // A run from a file is nobody's but the reader's: no server is asked for it.
  const isOpen = (who !== undefined && who !== null) || place?.page === 'bundle'
  useKeys({ '?': () => setShowsKeys(true), ...GO_KEYS, '[': () => goBeside(place, -1), ']': () => goBeside(place, 1) })
  useEffect(() => {
    const { planId } = place?.names ?? {}
    if (planId !== undefined) noteVisit({ href: planPath(planId), words: planId, detail: 'plan' })
  }, [place?.names['planId']])
  return (
    <>
      <nav className="top" aria-label="Pages">
        <strong className="brand">keelson</strong>
        <PageLinks here={place?.page} />
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
        {who === undefined || who === null ? null : (
          <Boundary>
            <PaletteDoor />
          </Boundary>
        )}
        <ThemeButton />
        <button
          type="button"
          className="small keys-button"
          onClick={() => setShowsKeys(true)}
          aria-label="Keys"
          title="? shows the keys"
        >
          ?
        </button>
      </nav>
      {error === undefined ? null : <Trouble error={error} />}
      {isOpen ? <Inside place={place} /> : who === null ? <KeyForm /> : null}
      <DropPlace />
      {showsKeys ? <KeyMap onClose={() => setShowsKeys(false)} /> : null}
    </>
  )
}
