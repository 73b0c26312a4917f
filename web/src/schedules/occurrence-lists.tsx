/** The occurrences before now with what became of each, and those to come. */
import type { ReactElement } from 'react'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { StateChip } from '../shown/state-mark.tsx'
import { runLook, statusLook } from '../shown/states.ts'
import { When } from '../shown/when.tsx'
import { Occurrence } from './occurrence.tsx'
import type { Schedule, WholeSchedule } from './schedule-draft.ts'

type Happened = WholeSchedule['last'][number]

interface LastProps {
  readonly last: readonly Happened[]
  readonly zone: string | undefined
  readonly now: number
}

export function Last({ last, zone, now }: LastProps): ReactElement {
  return (
    <section aria-label="Last occurrences">
      <h2>Last</h2>
      {last.length === 0 ? (
        <p className="quiet">None yet. An occurrence appears here with its run.</p>
      ) : (
        <table className="listing">
          <thead>
            <tr>
              <th scope="col">state</th>
              <th scope="col">occurrence</th>
              <th scope="col">run, or why not</th>
            </tr>
          </thead>
          <tbody>
            {last.map((one) => (
              <tr key={one.at}>
                <td>
                  <StateChip look={lookOf(one)} />
                </td>
                <td>
                  <Occurrence at={one.at} zone={zone} />{' '}
                  <span className="quiet">
                    <When at={one.at} now={now} />
                  </span>
                </td>
                <td>
                  <Came one={one} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

/** A run that was started shows how it stands now; one that was erased since is known to have been started. */
function lookOf({ outcome, status }: Happened): ReturnType<typeof runLook> {
  if (outcome === 'started') return status === undefined ? runLook('started') : runLook(status)
  return outcome === 'skipped' ? statusLook('SKIPPED') : { ...statusLook('FAILED'), word: 'not started' }
}

function Came({ one: { outcome, executionId, code, reason } }: { readonly one: Happened }): ReactElement {
  const run =
    executionId === undefined ? null : (
      <Link href={runPath(executionId)}>
        <code>{executionId}</code>
      </Link>
    )
  if (outcome === 'started') return <>{run}</>
  return (
    <>
      {code === undefined ? null : <code className="code">{code}</code>} {reason} {run}
    </>
  )
}

interface NextProps {
  readonly next: readonly string[]
  readonly waiting: readonly string[]
  readonly schedule: Schedule
  readonly now: number
}

export function Next({ next, waiting, schedule, now }: NextProps): ReactElement {
  const { zone, paused } = schedule
  return (
    <section aria-label="Next occurrences">
      <h2>Next</h2>
      {waiting.length === 0 ? null : (
        <>
          <p className="quiet">Due, and waiting for their start:</p>
          <Instants of={waiting} zone={zone} now={now} />
        </>
      )}
      {next.length === 0 ? (
        <p className="quiet">{paused ? 'None until it is resumed.' : 'It never comes again.'}</p>
      ) : (
        <Instants of={next} zone={zone} now={now} />
      )}
    </section>
  )
}

interface InstantsProps {
  readonly of: readonly string[]
  readonly zone: string | undefined
  readonly now: number
}

function Instants({ of, zone, now }: InstantsProps): ReactElement {
  return (
    <ol className="instants">
      {of.map((at) => (
        <li key={at}>
          <Occurrence at={at} zone={zone} />{' '}
          <span className="quiet">
            <When at={at} now={now} />
          </span>
        </li>
      ))}
    </ol>
  )
}
