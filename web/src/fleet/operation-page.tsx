/** One act on many runs: how far it has come, which runs refused, and a way to abort it. */
import { useState, type ReactElement } from 'react'
import { LIMITS } from '../../../src/core/limits.ts'
import { pathOf, runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { session } from '../server/session.ts'
import { Trouble } from '../shown/trouble.tsx'
import { plural, shortId } from '../shown/words.ts'
import { filterText, operationTitle } from './operation-words.ts'
import { useOperation, type Operation } from './use-operation.ts'

export function OperationPage({ operationId }: { readonly operationId: string }): ReactElement {
  const { told, error, again } = useOperation(operationId)
  return (
    <main className="operation">
      <p>
        <Link href={pathOf('operations')} className="back">
          ← operations
        </Link>
      </p>
      <h1>{told === undefined ? 'Operation' : operationTitle(told.operation)}</h1>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {told === undefined ? (
        <p className="quiet">{error === undefined ? 'Asking how far it has come …' : ''}</p>
      ) : (
        <>
          <Progress operation={told.operation} />
          {told.operation.state === 'RUNNING' ? <Abort operationId={operationId} onAborted={again} /> : null}
          <Refused runs={told.refusedRuns} />
        </>
      )}
    </main>
  )
}

function Progress({ operation }: { readonly operation: Operation }): ReactElement {
  const { state, matched, open, done, left, approval, refused, createdBy, createdAt, abortedBy } = operation
  const { payload, filter, abortReason } = operation
  const rows: readonly (readonly [string, number])[] = [
    ['took it', done],
    ['have it in their inbox', left],
    ['wait for a second person', approval],
    ...Object.entries(refused).map(([code, runs]) => [`refused: ${code}`, runs] as const),
    [state === 'ABORTED' ? 'never had their turn' : 'have not had their turn', open],
  ]
  const reason = payload['reason']
  return (
    <>
      <p className="quiet">
        by {createdBy},{' '}
        <time dateTime={createdAt} title={createdAt}>
          {new Date(createdAt).toLocaleString()}
        </time>
        {typeof reason === 'string' ? `: ${reason}` : ''}
      </p>
      <p>
        <code>{filterText(filter)}</code>
      </p>
      <p role="status" aria-label="State of the operation">
        {STATES[state]}
        {abortedBy === undefined ? '' : ` by ${abortedBy}`}
        {abortReason === undefined ? '' : `: ${abortReason}`}
      </p>
      <progress aria-label="Runs that had their turn" max={Math.max(1, matched)} value={matched - open} />
      <p className="quiet">
        {(matched - open).toLocaleString('en')} of {plural(matched, 'run')} had their turn
      </p>
      <dl className="fleet-counts">
        {rows
          .filter(([, runs]) => runs > 0)
          .map(([words, runs]) => (
            <div key={words}>
              <dt>{words}</dt>
              <dd className="number">{runs.toLocaleString('en')}</dd>
            </div>
          ))}
      </dl>
    </>
  )
}

const STATES = { RUNNING: 'under way', DONE: 'finished', ABORTED: 'aborted' } as const

interface AbortProps {
  readonly operationId: string
  readonly onAborted: () => void
}

function Abort({ operationId, onAborted }: AbortProps): ReactElement {
  const [reason, setReason] = useState('')
  const [error, setError] = useState<unknown>()
  const abort = (): void => {
    setError(undefined)
    const body = reason.trim() === '' ? {} : { reason: reason.trim() }
    session.get().client.call('abortOperation', { params: { operationId }, body }).then(onAborted, setError)
  }
  return (
    // Enter in the reason is no decision.
    <form className="abort" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span className="sr-only">Reason to abort</span>
        <input
          placeholder="reason"
          value={reason}
          maxLength={LIMITS.signalReasonChars}
          onChange={(event) => setReason(event.target.value)}
        />
      </label>
      <button type="button" onClick={abort}>
        Abort
      </button>
      <span className="quiet">Runs that have it keep it; the others never get it.</span>
      {error === undefined ? null : <Trouble error={error} />}
    </form>
  )
}

interface RefusedProps {
  readonly runs: readonly { readonly executionId: string; readonly code: string }[]
}

function Refused({ runs }: RefusedProps): ReactElement | null {
  if (runs.length === 0) return null
  return (
    <>
      <h2>Runs that refused</h2>
      <ul className="fleet-refusing" aria-label="Runs that refused">
        {runs.map(({ executionId, code }) => (
          <li key={executionId}>
            <Link href={runPath(executionId)}>{shortId(executionId)}</Link> <code className="code">{code}</code>
          </li>
        ))}
      </ul>
    </>
  )
}
