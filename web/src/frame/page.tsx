/** The frame around every page: where one can go, who one is, and whether the server answers. */
import { useEffect, useState, type ReactElement } from 'react'
import { useAddress } from '../address/address.ts'
import { findMe, forgetKey, hasKey, isHere, logOut, me } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { Inside } from './inside.tsx'
import { PageLinks } from './page-links.tsx'
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
