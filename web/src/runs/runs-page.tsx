/** The list of runs: live, filtered by what the address says, read page by page. */
import { useEffect, useMemo, useRef, useState, type ReactElement } from 'react'
import { readRunFilter, type RunFilter } from '../../../src/core/filter/run-filter.ts'
import { fleetOffers } from '../fleet/fleet-offers.ts'
import { FleetButtons } from '../fleet/fleet-buttons.tsx'
import { goTo, runPath, setQuery, useAddress } from '../address/address.ts'
import { noteListed } from '../address/visited.ts'
import { useOffers } from '../keys/offered.ts'
import { useKeys } from '../keys/use-keys.ts'
import { session as sessions, type Session } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { FilterField } from './filter-field.tsx'
import { hasWords, toggleStatus } from './filter.ts'
import { NoRuns } from './no-runs.tsx'
import { pick, PickedRuns, usePicked } from './picked-runs.tsx'
import { RunList } from './run-list.ts'
import { RunRows } from './run-rows.tsx'
import { SavedViews } from './saved-views.tsx'
import { RunStrip } from './run-strip.tsx'
import { StatusCounts } from './status-counts.tsx'

export function RunsPage(): ReactElement {
  const text = useAddress().query.get('q') ?? ''
  const session = useWatched(sessions)
  const filter = useMemo(() => readRunFilter(text), [text])
  const list = useRunList(session, filter.asked)
  const { runs, counts, next, isLoaded, error } = useWatched(list.listed)
  const shown = useMemo(() => runs.filter((run) => hasWords(run, filter.words)), [runs, filter])
  // The run and not its place: others come in above it.
  const [chosenRun, setChosenRun] = useState<string>()
  const chosen = shown.findIndex(({ executionId }) => executionId === chosenRun)
  const choose = (at: number): void => setChosenRun(shown[at]?.executionId)
  const search = useRef<HTMLInputElement>(null)
  const now = useClock(true)
  const picked = usePicked()
  useEffect(() => noteListed(shown.map(({ executionId }) => executionId)), [shown])
  useOffers(() => fleetOffers(filter))
  useKeys({
    '/': () => search.current?.focus(),
    j: () => choose(Math.min(shown.length - 1, chosen + 1)),
    k: () => choose(Math.max(0, chosen - 1)),
    x: () => {
      const run = shown[chosen]
      if (run !== undefined) pick(picked, run.executionId)
    },
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
      <SavedViews text={text} isRead={filter.unknown.length === 0} />
      <FilterField text={text} filter={filter} runs={runs} search={search} />
      <FleetButtons filter={filter} />
      <PickedRuns picked={picked} />
      {filter.asked.planId === undefined ? null : <RunStrip planId={filter.asked.planId} listed={runs} now={now} />}
      {error === undefined ? null : <Trouble error={error} retry={() => void list.refresh()} />}
      {isLoaded && shown.length === 0 && error === undefined ? (
        <NoRuns isFiltered={text !== ''} />
      ) : (
        <RunRows
          runs={shown}
          chosen={chosen}
          isLoaded={isLoaded}
          now={now}
          picked={picked}
          onPick={(executionId) => pick(picked, executionId)}
        />
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
