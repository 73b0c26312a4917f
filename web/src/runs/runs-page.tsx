/** The list of runs: live, filtered by what the address says, read page by page. */
import { useEffect, useMemo, useRef, useState, type ReactElement } from 'react'
import { readRunFilter, type RunFilter } from '../../../src/core/filter/run-filter.ts'
import { FleetButtons } from '../fleet/fleet-buttons.tsx'
import { goTo, runPath, setQuery, useAddress } from '../address/address.ts'
import { useKeys } from '../keys/use-keys.ts'
import { session as sessions, type Session } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { FilterField } from './filter-field.tsx'
import { hasWords, toggleStatus } from './filter.ts'
import { NoRuns } from './no-runs.tsx'
import { RunList } from './run-list.ts'
import { RunRows } from './run-rows.tsx'
import { RunStrip } from './run-strip.tsx'
import { StatusCounts } from './status-counts.tsx'

export function RunsPage(): ReactElement {
  const text = useAddress().query.get('q') ?? ''
  const session = useWatched(sessions)
  const filter = useMemo(() => readRunFilter(text), [text])
  const list = useRunList(session, filter.asked)
  const { runs, counts, next, isLoaded, error } = useWatched(list.listed)
  const shown = useMemo(() => runs.filter((run) => hasWords(run, filter.words)), [runs, filter])
  const [chosen, setChosen] = useState(-1)
  const search = useRef<HTMLInputElement>(null)
  const now = useClock(true)
  useKeys({
    '/': () => search.current?.focus(),
    j: () => setChosen((at) => Math.min(shown.length - 1, at + 1)),
    k: () => setChosen((at) => Math.max(0, at - 1)),
    Enter: () => {
      const run = shown[chosen]
      if (run !== undefined) goTo(runPath(run.executionId))
    },
  })
  return (
    <main className="runs">
      <h1 className="sr-only">Runs</h1>
      <StatusCounts
        counts={counts}
        chosen={filter.asked.status ?? []}
        onToggle={(status) => setQuery({ q: toggleStatus(text, status) }, 'step')}
      />
      <FilterField text={text} filter={filter} runs={runs} search={search} />
      <FleetButtons filter={filter} />
      {filter.asked.planId === undefined ? null : <RunStrip planId={filter.asked.planId} listed={runs} now={now} />}
      {error === undefined ? null : <Trouble error={error} retry={() => void list.refresh()} />}
      {isLoaded && shown.length === 0 && error === undefined ? (
        <NoRuns isFiltered={text !== ''} />
      ) : (
        <RunRows runs={shown} chosen={chosen} isLoaded={isLoaded} now={now} />
      )}
      {next === undefined ? null : (
        <button type="button" className="more" onClick={() => void list.more()}>
          Older runs
        </button>
      )}
    </main>
  )
}

/** One list for each question to the server. Words are looked for in what is loaded: they ask nothing new of it. */
function useRunList(session: Session, filter: RunFilter): RunList {
  const asked = JSON.stringify(filter)
  const list = useMemo(() => new RunList(session, JSON.parse(asked) as RunFilter), [session, asked])
  useEffect(() => {
    list.open()
    return () => list.close()
  }, [list])
  return list
}
