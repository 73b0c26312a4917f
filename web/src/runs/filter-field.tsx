/** The field of the filter: it completes names and values, shows each part as a chip, and tells what it does not understand. */
import { useEffect, useState, type ReactElement, type RefObject } from 'react'
import type { ExecutionState } from '../../../src/client/connect.ts'
import { filterParts, type ReadFilter } from '../../../src/core/filter/run-filter.ts'
import { setQuery } from '../address/address.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { completions, withoutPart } from './filter.ts'

export interface FilterFieldProps {
  readonly text: string
  readonly filter: ReadFilter
  readonly runs: readonly ExecutionState[]
  readonly search: RefObject<HTMLInputElement | null>
}

export function FilterField({ text, filter, runs, search }: FilterFieldProps): ReactElement {
  const [isUsed, setUsed] = useState(false)
  const plans = usePlanNames(isUsed)
  const unknown = new Map(filter.unknown.map(({ part, why }) => [part, why]))
  return (
    <>
      <label className="filter">
        <span className="sr-only">Filter runs</span>
        <input
          ref={search}
          type="search"
          list="filter-completions"
          autoComplete="off"
          placeholder="status:failed plan:order since:24h error:HTTP_503 actor:ana, or a word   /"
          value={text}
          onFocus={() => setUsed(true)}
          onChange={(event) => setQuery({ q: event.target.value })}
        />
      </label>
      <datalist id="filter-completions">
        {completions(text, runs, plans).map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </datalist>
      {text.trim() === '' ? null : (
        <ul className="filter-chips" aria-label="Parts of the filter">
          {filterParts(text).map((part, at) => (
            <li key={`${at} ${part}`} className={unknown.has(part) ? 'unknown' : ''} title={unknown.get(part)}>
              <code>{part}</code>
              <button
                type="button"
                aria-label={`Remove ${part}`}
                onClick={() => setQuery({ q: withoutPart(text, at) }, 'step')}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {filter.unknown.map(({ part, why }, at) => (
        <p key={at} className="hint">
          Not understood: {part}; {why}.
        </p>
      ))}
    </>
  )
}

const MOST_PLANS = 100

/** Asked for when somebody begins to type. Without them the field completes less, and that is all. */
function usePlanNames(isUsed: boolean): readonly string[] {
  const { client } = useWatched(sessions)
  const [names, setNames] = useState<readonly string[]>([])
  useEffect(() => {
    if (!isUsed) return
    client.call('listPlans', { query: { limit: MOST_PLANS } }).then(
      ({ plans }) => setNames(plans.map(({ planId }) => planId)),
      () => setNames([]),
    )
  }, [client, isUsed])
  return names
}
