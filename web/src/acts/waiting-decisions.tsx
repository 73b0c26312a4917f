/** Acts that wait for a second person, who accepts or refuses them here. They are not in a log before that, so the server is asked. */
import { useEffect, useRef, useState, type ReactElement } from 'react'
import type { Client, Decision } from '../../../src/client/connect.ts'
import { cursorPages } from '../../../src/client/pages.ts'
import { isSamePerson } from '../../../src/core/run/people/person.ts'
import { me, session as sessions } from '../server/session.ts'
import { useWatched, Watched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { shortId } from '../shown/words.ts'

/** How many acts this page has sent: each may wait for somebody. */
export const actsSent = new Watched(0)

type Settling = 'acceptDecision' | 'refuseDecision'

/** The most that the server gives at once. */
const PAGE = 1_000
/** More are shown when somebody asks for them. */
const FIRST = 50

export interface WaitingDecisionsProps {
  /** Undefined: of all runs. */
  readonly executionId?: string
  /** Read anew when it changes. */
  readonly moved: unknown
}

export function WaitingDecisions({ executionId, moved }: WaitingDecisionsProps): ReactElement | null {
  const { client } = useWatched(sessions)
  const { waiting, error } = useWaiting(executionId, moved)
  const [refused, setRefused] = useState<{ readonly decisionId: string; readonly error: unknown }>()
  const [isWhole, setWhole] = useState(false)
  const settle = async (how: Settling, { signalDecisionId: decisionId }: Decision): Promise<void> => {
    setRefused(undefined)
    try {
      await client.call(how, { params: { decisionId }, body: {} })
    } catch (thrown) {
      setRefused({ decisionId, error: thrown })
    }
    // What was refused may have been settled by somebody else.
    actsSent.set(actsSent.get() + 1)
  }
  if (waiting.length === 0 && error === undefined) return null
  const shown = isWhole ? waiting : waiting.slice(0, FIRST)
  return (
    <section className="waiting-decisions" aria-label="Acts that wait for a second person">
      {error === undefined ? null : <Trouble error={error} />}
      {shown.map((decision) => (
        <WaitingDecision
          key={decision.signalDecisionId}
          decision={decision}
          error={refused?.decisionId === decision.signalDecisionId ? refused.error : undefined}
          onSettle={settle}
        />
      ))}
      {shown.length === waiting.length ? null : (
        <button type="button" className="small" onClick={() => setWhole(true)}>
          All {waiting.length.toLocaleString('en')}
        </button>
      )}
    </section>
  )
}

interface Waiting {
  readonly waiting: readonly Decision[]
  /** Why they could not be read the last time. */
  readonly error?: unknown
}

function useWaiting(executionId: string | undefined, moved: unknown): Waiting {
  const { client } = useWatched(sessions)
  const sent = useWatched(actsSent)
  const [read, setRead] = useState<Waiting>({ waiting: [] })
  const due = useSeldom(moved)
  useEffect(() => {
    const leaving = new AbortController()
    const isOf = (one: Decision): boolean => executionId === undefined || one.executionId === executionId
    const look = (): void =>
      void allWaiting(client, leaving.signal).then(
        (all) => leaving.signal.aborted || setRead({ waiting: all.filter(isOf) }),
        (error: unknown) => leaving.signal.aborted || setRead((before) => ({ ...before, error })),
      )
    look()
    // What somebody else asks for moves no run.
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') look()
    }, EVERY_MS)
    return () => {
      leaving.abort()
      clearInterval(timer)
    }
  }, [client, executionId, due, sent])
  return read
}

/** Of all runs: the server does not tell those of one alone, and the one that is looked for may be on the last page. */
async function allWaiting(client: Client, signal: AbortSignal): Promise<readonly Decision[]> {
  const pages = cursorPages<Decision, string | undefined>(undefined, async (cursor) => {
    const query = { state: 'PENDING', limit: PAGE, ...(cursor === undefined ? {} : { cursor }) } as const
    const { decisions, next } = await client.call('listDecisions', { query, signal })
    return { items: decisions, next }
  })
  const all: Decision[] = []
  for await (const one of pages) all.push(one)
  return all
}

const SELDOM_MS = 500
const EVERY_MS = 5_000

/** The value as it was at most so long ago: a run that writes with every picture asks the server no more often than that. */
function useSeldom<T>(value: T): T {
  const [told, setTold] = useState(value)
  const latest = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    latest.current = value
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      setTold(latest.current)
    }, SELDOM_MS)
  }, [value])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
  return told
}

interface WaitingDecisionProps {
  readonly decision: Decision
  /** Why it could not be settled. */
  readonly error: unknown
  readonly onSettle: (how: Settling, decision: Decision) => Promise<void>
}

function WaitingDecision({ decision, error, onSettle }: WaitingDecisionProps): ReactElement {
  const { signalType, audit, signalPayload, executionId } = decision
  const who = useWatched(me)
  const actor = String(audit['actorId'] ?? 'somebody')
  const reason = signalPayload?.['reason']
  const isOwn = isSamePerson(actor, who?.actorId ?? '')
  const why = isOwn ? 'you asked for it: somebody else decides' : undefined
  return (
    <>
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
      {error === undefined ? null : <Trouble error={error} />}
    </>
  )
}
