/** The queues of remote workers that have steps: how many wait, since when the oldest, and whether anybody asks. */
import type { ReactElement } from 'react'
import { StateMark } from '../shown/state-mark.tsx'
import type { Look } from '../shown/states.ts'
import { When } from '../shown/when.tsx'
import { WORK_MOST } from './use-engines.ts'
import type { WorkQueue } from './work-queues.ts'

const SERVED: Look = { word: 'yes', shape: 'check', tone: 'good' }
const UNSERVED: Look = { word: 'nobody asks', shape: 'cross', tone: 'bad' }

export interface QueueListProps {
  readonly queues: readonly WorkQueue[]
  /** How many steps were read. */
  readonly read: number
  readonly now: number
}

/** Only queues that have steps: nobody declares a queue. */
export function QueueList({ queues, read, now }: QueueListProps): ReactElement | null {
  if (queues.length === 0) return null
  return (
    <section aria-label="Queues of workers">
      <h2>Queues of workers</h2>
      {read < WORK_MOST ? null : (
        <p className="quiet">Of the first {WORK_MOST.toLocaleString('en')} steps, the longest waiting ones.</p>
      )}
      <table className="listing">
        <thead>
          <tr>
            <th scope="col">queue</th>
            <th scope="col">function</th>
            <th scope="col" className="number">
              wait
            </th>
            <th scope="col" className="number">
              at work
            </th>
            <th scope="col">oldest</th>
            <th scope="col">served</th>
          </tr>
        </thead>
        <tbody>
          {queues.map(({ queue, handler, waiting, atWork, askedAt, isServed }) => (
            <tr key={`${queue} ${handler}`}>
              <td>
                <code>{queue}</code>
              </td>
              <td>
                <code>{handler}</code>
              </td>
              <td className="number">{waiting.length.toLocaleString('en')}</td>
              <td className="number">{atWork.toLocaleString('en')}</td>
              <td>
                {waiting[0] === undefined ? (
                  <span className="quiet">none</span>
                ) : (
                  <When at={waiting[0].offeredAt} now={now} />
                )}
              </td>
              <td>
                <StateMark look={isServed ? SERVED : UNSERVED} /> {(isServed ? SERVED : UNSERVED).word}
                {askedAt === undefined || isServed ? null : (
                  <span className="quiet">
                    , last <When at={askedAt} now={now} />
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
