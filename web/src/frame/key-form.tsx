/** Asks who one is, where the server wants to know: a login at its issuer, or an API key, which is kept for this tab alone. */
import { useEffect, useState, type FormEvent, type ReactElement } from 'react'
import { hasEnded, loginAddress, me, takeKey } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'

export function KeyForm(): ReactElement {
  const [key, setKey] = useState('')
  const [isRefused, setRefused] = useState(false)
  const [error, setError] = useState<unknown>()
  const [login, setLogin] = useState<string>()
  const wasKnown = useWatched(hasEnded)
  useEffect(() => {
    loginAddress().then(setLogin, setError)
  }, [])
  const enter = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    try {
      await takeKey(key.trim())
      setRefused(me.get() === null)
    } catch (thrown) {
      setError(thrown)
    }
  }
  return (
    <main className="key">
      <h1>Who asks?</h1>
      {wasKnown ? (
        <p role="status">
          The server does not know you any more: the session has ended, or the key was revoked. The page goes on where
          you were.
        </p>
      ) : null}
      {login === undefined ? null : (
        <p>
          <a className="button" href={login}>
            Log in
          </a>{' '}
          <span className="quiet">or give an API key:</span>
        </p>
      )}
      <form onSubmit={(event) => void enter(event)}>
        <label className="field">
          API key
          <input
            type="password"
            autoComplete="off"
            required
            value={key}
            placeholder="kls_…"
            onChange={(event) => setKey(event.target.value)}
          />
        </label>
        {isRefused ? <p role="alert">The server does not know this key.</p> : null}
        {error === undefined ? null : <Trouble error={error} />}
        <button type="submit" className="main">
          Enter
        </button>
        <p className="quiet">
          It is kept for this tab and goes when the tab is closed. <code>keelson keys create</code> makes one.
        </p>
      </form>
    </main>
  )
}
