/** Remote workers of the tenant: what each serves, its build, when it last asked, and what it has. */
import type { ReactElement } from 'react'
import { StateMark } from '../shown/state-mark.tsx'
import type { Look } from '../shown/states.ts'
import { When } from '../shown/when.tsx'
import { plural } from '../shown/words.ts'
import { isSilent, type SentStep, type Worker } from './work-queues.ts'

const ASKS: Look = { word: 'asks', shape: 'check', tone: 'good' }
const BUSY: Look = { word: 'at work', shape: 'play', tone: 'busy' }
const SILENT: Look = { word: 'silent', shape: 'slash', tone: 'off' }

export interface WorkerListProps {
  readonly workers: readonly Worker[]
  readonly work: readonly SentStep[]
  readonly now: number
}

export function WorkerList({ workers, work, now }: WorkerListProps): ReactElement {
  const held = Map.groupBy(work, ({ worker }) => worker ?? '')
  return (
    <section aria-label="Workers">
      <h2>Remote workers</h2>
      {workers.length === 0 ? (
        <div className="empty">
          <p>No worker has asked for steps. A plan sends a step to a queue:</p>
          <pre>{'- { id: train, run: train, dispatch: { queue: gpu } }'}</pre>
          <p>and a worker, in any language, asks for it with a key of the role worker:</p>
          <pre>{`curl -s ${window.location.origin}/v1/work/claim -H 'content-type: application/json' -d '{"queues":["gpu"],"handlers":["train"],"waitMs":30000}'`}</pre>
        </div>
      ) : (
        <table className="listing">
          <thead>
            <tr>
              <th scope="col">worker</th>
              <th scope="col" className="wide">
                build
              </th>
              <th scope="col">queues</th>
              <th scope="col" className="wide">
                functions
              </th>
              <th scope="col">last asked</th>
              <th scope="col" className="number">
                has
              </th>
            </tr>
          </thead>
          <tbody>
            {workers.map((one) => (
              <WorkerRow
                key={`${one.worker} ${one.actorId}`}
                worker={one}
                has={held.get(one.worker)?.length ?? 0}
                now={now}
              />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

interface WorkerRowProps {
  readonly worker: Worker
  readonly has: number
  readonly now: number
}

function WorkerRow({
  worker: { worker, actorId, build, queues, handlers, askedAt },
  has,
  now,
}: WorkerRowProps): ReactElement {
  const look = has > 0 ? BUSY : isSilent(askedAt, now) ? SILENT : ASKS
  return (
    <tr>
      <td>
        {worker} {actorId === worker ? null : <span className="quiet">as {actorId}</span>}
      </td>
      <td className="wide">{build === undefined ? <span className="quiet">not said</span> : <code>{build}</code>}</td>
      <td>{queues.join(', ')}</td>
      <td className="wide">
        <Names names={handlers} />
      </td>
      <td>
        <StateMark look={look} /> {look.word}, <When at={askedAt} now={now} />
      </td>
      <td className="number">{plural(has, 'step')}</td>
    </tr>
  )
}

const NAMED = 6

function Names({ names }: { readonly names: readonly string[] }): ReactElement {
  if (names.length <= NAMED) return <>{names.join(', ')}</>
  return (
    <details>
      <summary>
        {names.slice(0, NAMED).join(', ')} and {names.length - NAMED} more
      </summary>
      {names.slice(NAMED).join(', ')}
    </details>
  )
}
