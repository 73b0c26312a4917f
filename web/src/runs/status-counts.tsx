/** How many runs are in each status; a click shows those alone. */
import type { ReactElement } from 'react'
import { StateMark } from '../shown/state-mark.tsx'
import { RUN_LOOKS, RUN_STATUSES, type RunStatusName } from '../shown/states.ts'

export interface StatusCountsProps {
  readonly counts: Readonly<Record<string, number>>
  readonly chosen: readonly RunStatusName[]
  readonly onToggle: (status: RunStatusName) => void
}

export function StatusCounts({ counts, chosen, onToggle }: StatusCountsProps): ReactElement {
  return (
    <ul className="counts" aria-label="Runs by status">
      {RUN_STATUSES.map((status) => (
        <li key={status}>
          <button
            type="button"
            className={(counts[status] ?? 0) === 0 ? 'none' : ''}
            aria-pressed={chosen.includes(status)}
            onClick={() => onToggle(status)}
          >
            <StateMark look={RUN_LOOKS[status]} />
            <span className="word">{RUN_LOOKS[status].word}</span>
            <span className="number">{(counts[status] ?? 0).toLocaleString('en')}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
