/** What nobody can run: steps of queues that no worker asks for, queued runs that this server cannot start, and runs that failed of it. */
import type { ReactElement } from 'react'
import { pathOf, RUNS, runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import type { QueuedRun } from '../queue/queue-groups.ts'
import { When } from '../shown/when.tsx'
import { plural, shortId } from '../shown/words.ts'
import { COUNTED, NOBODY_CODES, type Engines } from './use-engines.ts'
import type { SentStep, WorkQueue } from './work-queues.ts'

export interface NobodyProps {
  readonly told: Engines
  readonly queues: readonly WorkQueue[]
  readonly now: number
}

export function Nobody({ told: { stuck, failed }, queues, now }: NobodyProps): ReactElement {
  const unserved = queues.filter(({ waiting, isServed }) => waiting.length > 0 && !isServed)
  const codes = NOBODY_CODES.filter((code) => (failed[code] ?? 0) > 0)
  const isNothing = unserved.length === 0 && stuck.length === 0 && codes.length === 0
  return (
    <section aria-label="What nobody can run">
      <h2>What nobody can run</h2>
      {isNothing ? (
        <p className="quiet">
          Nothing: every step that waits for a worker is asked for, and this server can start every queued run.
        </p>
      ) : null}
      <ul className="nobody">
        {unserved.map((one) => (
          <li key={`${one.queue} ${one.handler}`}>
            <Unserved queue={one} now={now} />
          </li>
        ))}
        {[...Map.groupBy(stuck, whyOf)].map(([why, runs]) => (
          <li key={why}>
            <Stuck runs={runs} />
          </li>
        ))}
        {codes.map((code) => (
          <li key={code}>
            <code className="code">{code}</code>{' '}
            <Link href={`${RUNS}?${new URLSearchParams({ q: `status:failed error:${code}` }).toString()}`}>
              {failed[code] === COUNTED ? `${COUNTED} runs or more` : plural(failed[code] ?? 0, 'run')} failed of it
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Unserved({
  queue: { queue, handler, waiting, askedAt },
  now,
}: {
  readonly queue: WorkQueue
  readonly now: number
}): ReactElement {
  const [oldest] = waiting
  return (
    <>
      {plural(waiting.length, 'step')} of the queue <code>{queue}</code> {waiting.length === 1 ? 'waits' : 'wait'} for
      the function <code>{handler}</code>
      {oldest === undefined ? null : (
        <>
          , since <When at={oldest.offeredAt} now={now} />
        </>
      )}
      :{' '}
      {askedAt === undefined ? (
        'no worker with it has asked'
      ) : (
        <>
          a worker with it last asked <When at={askedAt} now={now} />
        </>
      )}
      . After 30 minutes the step fails with <code>WORK_UNCLAIMED</code>.
      <RunLinks runs={runsOf(waiting)} />
    </>
  )
}

function Stuck({ runs }: { readonly runs: readonly QueuedRun[] }): ReactElement {
  const refused = runs[0]?.cannotStart
  return (
    <>
      {plural(runs.length, 'run')} in the <Link href={pathOf('queue')}>queue</Link> cannot be started by this server:{' '}
      <code className="code">{refused?.code}</code> {refused?.why}
      <RunLinks runs={runs.map(({ executionId }) => executionId)} />
    </>
  )
}

const whyOf = ({ cannotStart }: QueuedRun): string => `${cannotStart?.code} ${cannotStart?.why}`

const runsOf = (steps: readonly SentStep[]): readonly string[] => [
  ...new Set(steps.map(({ executionId }) => executionId)),
]

const LINKED = 8

function RunLinks({ runs }: { readonly runs: readonly string[] }): ReactElement {
  return (
    <span className="run-links">
      {runs.slice(0, LINKED).map((id) => (
        <Link key={id} href={runPath(id)} aria-label={`run ${shortId(id)}`}>
          <code>{shortId(id)}</code>
        </Link>
      ))}
      {runs.length > LINKED ? <span className="quiet">and {runs.length - LINKED} more</span> : null}
    </span>
  )
}
