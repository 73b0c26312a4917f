/** Backfills that are under way, and the last that have ended. */
import type { ReactElement } from 'react'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { When } from '../shown/when.tsx'
import { Occurrence } from './occurrence.tsx'
import type { WholeSchedule } from './schedule-draft.ts'

type Backfill = WholeSchedule['backfills'][number]

export interface BackfillRowsProps {
  readonly backfills: readonly Backfill[]
  readonly zone: string | undefined
  readonly now: number
}

export function BackfillRows({ backfills, zone, now }: BackfillRowsProps): ReactElement | null {
  if (backfills.length === 0) return null
  return (
    <section aria-label="Backfills">
      <h2>Filled in</h2>
      <table className="listing">
        <thead>
          <tr>
            <th scope="col">of</th>
            <th scope="col">became</th>
            <th scope="col">state</th>
            <th scope="col" className="wide">
              by
            </th>
          </tr>
        </thead>
        <tbody>
          {backfills.toReversed().map((one) => (
            <tr key={one.backfillId}>
              <td>
                <Occurrence at={one.from} zone={zone} /> to <Occurrence at={one.to} zone={zone} />
              </td>
              <td>{becameOf(one)}</td>
              <td>
                <Standing one={one} now={now} />
              </td>
              <td className="wide">
                {one.askedBy} <span className="quiet">{one.concurrency} at once</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function becameOf({ started, existed, failed }: Backfill): string {
  const parts = [`${started} started`, ...(existed > 0 ? [`${existed} had run`] : [])]
  return [...parts, ...(failed > 0 ? [`${failed} not started`] : [])].join(', ')
}

function Standing({ one, now }: { readonly one: Backfill; readonly now: number }): ReactElement {
  if (one.endedAt !== undefined)
    return (
      <>
        ended <When at={one.endedAt} now={now} />
      </>
    )
  return (
    <>
      under way
      {one.running.map((executionId) => (
        <span key={executionId}>
          {' '}
          <Link href={runPath(executionId)}>
            <code>{executionId}</code>
          </Link>
        </span>
      ))}
    </>
  )
}
