/** What came of a run: its output, or its error. */
import { useEffect, useState, type ReactElement } from 'react'
import type { ExecutionState } from '../../../src/client/connect.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { JsonValue } from '../shown/json-value.tsx'
import { Trouble } from '../shown/trouble.tsx'

export function RunEnd({ executionId }: { readonly executionId: string }): ReactElement | null {
  const { client } = useWatched(sessions)
  const [ended, setEnded] = useState<ExecutionState>()
  const [failed, setFailed] = useState<unknown>()
  useEffect(() => {
    const leaving = new AbortController()
    client
      .call('getExecution', { params: { executionId }, signal: leaving.signal })
      .then(setEnded, (thrown: unknown) => {
        if (!leaving.signal.aborted) setFailed(thrown)
      })
    return () => leaving.abort()
  }, [client, executionId])
  if (failed !== undefined) return <Trouble error={failed} />
  if (ended === undefined) return null
  const { output, error } = ended
  if (error !== undefined)
    return (
      <p className="trouble">
        <code className="code">{String(error['code'])}</code> {String(error['message'] ?? '')}
      </p>
    )
  return output === undefined ? (
    <p className="quiet">It gave nothing back.</p>
  ) : (
    <JsonValue value={output} label="output of the run" />
  )
}
