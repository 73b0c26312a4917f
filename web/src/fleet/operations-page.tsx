/** The acts on many runs, newest first. */
import { useEffect, useState, type ReactElement } from 'react'
import { operationPath, RUNS } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { filterText, operationTitle } from './operation-words.ts'
import type { Operation } from './use-operation.ts'

export function OperationsPage(): ReactElement {
  const { client } = useWatched(sessions)
  const [operations, setOperations] = useState<readonly Operation[]>()
  const [error, setError] = useState<unknown>()
  const [next, setNext] = useState<string>()
  const load = async (cursor?: string): Promise<void> => {
    try {
      const page = await client.call('listOperations', { query: cursor === undefined ? {} : { cursor } })
      setOperations((before) => (cursor === undefined ? page.operations : [...(before ?? []), ...page.operations]))
      setNext(page.next)
    } catch (thrown) {
      setError(thrown)
    }
  }
  useEffect(() => void load(), [client])
  return (
    <main className="operation">
      <h1>Operations</h1>
      {error === undefined ? null : <Trouble error={error} retry={() => void load()} />}
      {operations?.length === 0 ? (
        <p className="quiet">
          Nobody has acted on many runs yet. Filter <Link href={RUNS}>the runs</Link>, and choose what becomes of all
          that match.
        </p>
      ) : null}
      <ul className="fleet-list">
        {(operations ?? []).map((one) => (
          <li key={one.operationId}>
            <Link href={operationPath(one.operationId)}>{operationTitle(one)}</Link>{' '}
            <span className="quiet">
              {one.state.toLowerCase()}, by {one.createdBy},{' '}
              <time dateTime={one.createdAt}>{new Date(one.createdAt).toLocaleString()}</time>
            </span>{' '}
            <code>{filterText(one.filter)}</code>
          </li>
        ))}
      </ul>
      {next === undefined ? null : (
        <button type="button" onClick={() => void load(next)}>
          Older operations
        </button>
      )}
    </main>
  )
}
