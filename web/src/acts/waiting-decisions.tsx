/** Acts that wait for a second person, who accepts or refuses them here. They are not in a log before that, so the server is asked. */
import { useEffect, useState, type ReactElement } from 'react'
import type { Decision } from '../../../src/client/connect.ts'
import { isSamePerson } from '../../../src/core/run/people/person.ts'
import { me, session as sessions } from '../server/session.ts'
import { useWatched, Watched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { shortId } from '../shown/words.ts'

/** How many acts this page has sent: each may wait for somebody. */
export const actsSent = new Watched(0)

export interface WaitingDecisionsProps {
  /** Undefined: of all runs. */
  readonly executionId?: string
  /** Read anew when it changes. */
  readonly moved: unknown
}

export function WaitingDecisions({ executionId, moved }: WaitingDecisionsProps): ReactElement | null {
  const { client } = useWatched(sessions)
  const sent = useWatched(actsSent)
  const [waiting, setWaiting] = useState<readonly Decision[]>([])
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    const leaving = new AbortController()
    client
      .call('listDecisions', { query: { state: 'PENDING' }, signal: leaving.signal })
      .then(({ decisions }) =>
        setWaiting(decisions.filter((one) => executionId === undefined || one.executionId === executionId)),
      )
      .catch((thrown: unknown) => {
        if (!leaving.signal.aborted) setError(thrown)
      })
    return () => leaving.abort()
  }, [client, executionId, moved, sent])
  const settle = async (how: 'acceptDecision' | 'refuseDecision', { signalDecisionId }: Decision): Promise<void> => {
    setError(undefined)
    try {
      await client.call(how, { params: { decisionId: signalDecisionId }, body: {} })
      actsSent.set(actsSent.get() + 1)
    } catch (thrown) {
      setError(thrown)
    }
  }
  if (waiting.length === 0 && error === undefined) return null
  return (
    <section className="waiting-decisions" aria-label="Acts that wait for a second person">
      {error === undefined ? null : <Trouble error={error} />}
      {waiting.map((decision) => (
        <WaitingDecision key={decision.signalDecisionId} decision={decision} onSettle={settle} />
      ))}
    </section>
  )
}

interface WaitingDecisionProps {
  readonly decision: Decision
  readonly onSettle: (how: 'acceptDecision' | 'refuseDecision', decision: Decision) => Promise<void>
}

function WaitingDecision({ decision, onSettle }: WaitingDecisionProps): ReactElement {
  const { signalType, audit, signalPayload, executionId } = decision
  const who = useWatched(me)
  const actor = String(audit['actorId'] ?? 'somebody')
  const reason = signalPayload?.['reason']
  const isOwn = isSamePerson(actor, who?.actorId ?? '')
  const why = isOwn ? 'you asked for it: somebody else decides' : undefined
  return (
    <p>
      {actor} asks for {signalType} of <code title={executionId}>{shortId(executionId)}</code>
      {typeof reason === 'string' ? `, "${reason}"` : ''}{' '}
      <button type="button" disabled={isOwn} title={why} onClick={() => void onSettle('acceptDecision', decision)}>
        Accept
      </button>{' '}
      <button type="button" disabled={isOwn} title={why} onClick={() => void onSettle('refuseDecision', decision)}>
        Refuse
      </button>{' '}
      {why === undefined ? null : <span className="quiet">{why}</span>}
    </p>
  )
}
