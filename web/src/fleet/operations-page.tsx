/** The acts on many runs, newest first. */
import { useEffect, useState, type ReactElement } from 'react'
import { operationPath, RUNS } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { PAGE, readUpTo } from '../server/read-up-to.ts'
import { useAsked } from '../server/use-asked.ts'
import { Trouble } from '../shown/trouble.tsx'
import { filterText, operationTitle } from './operation-words.ts'

export function OperationsPage(): ReactElement {
  const [most, setMost] = useState(PAGE)
  const { value, error, again } = useAsked('operations', (client, signal) =>
    readUpTo(most, async (query) => {
      const { operations, next } = await client.call('listOperations', { query, signal })
      return [operations, next]
    }),
  )
  useEffect(() => (most > PAGE ? again() : undefined), [most])
  return (
    <main className="operation">
      <h1>Operations</h1>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {value?.items.length === 0 ? (
        <p className="quiet">
          Nobody has acted on many runs yet. Filter <Link href={RUNS}>the runs</Link>, and choose what becomes of all
          that match.
        </p>
      ) : null}
      <ul className="fleet-list">
        {(value?.items ?? []).map((one) => (
          <li key={one.operationId}>
            <Link href={operationPath(one.operationId)}>{operationTitle(one)}</Link>{' '}
            <span className="quiet">
              {one.state.toLowerCase()}, by {one.createdBy},{' '}
              <time dateTime={one.createdAt} title={one.createdAt}>
                {new Date(one.createdAt).toLocaleString()}
              </time>
            </span>{' '}
            <code>{filterText(one.filter)}</code>
          </li>
        ))}
      </ul>
      {value?.hasMore !== true ? null : (
        <button type="button" onClick={() => setMost(most + PAGE)}>
          Older operations
        </button>
      )}
    </main>
  )
}
