/** What changed between two versions of a plan: as graph, as text, and the runs in flight that go on without each change. */
import { useMemo, type ReactElement } from 'react'
import { isEmptyDiff } from '../../../src/core/plan/write/diff-plans.ts'
import { planPath, setQuery, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import type { DrawnAs } from '../graph/cell-look.ts'
import { PlanPane } from '../graph/plan-pane.tsx'
import { StateChip } from '../shown/state-mark.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { plural } from '../shown/words.ts'
import { bothPlans } from './both-plans.ts'
import { CHANGE_LOOKS, changesByStep, outsideSteps, type Change } from './change-words.ts'
import { ChangeList } from './change-list.tsx'
import { TouchedRuns } from './touched-runs.tsx'
import { useDiff, type ReadDiff } from './use-diff.ts'
import { VersionChoice } from './version-choice.tsx'
import '../styles/operate.css'
import '../styles/plans.css'

export function PlanDiffPage({ planId }: { readonly planId: string }): ReactElement {
  const { query } = useAddress()
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
  return (
    <main className="plan">
      <Link href={planPath(planId)} className="back">
        ← {planId}
      </Link>
      <header>
        <h1>Changes of {planId}</h1>
      </header>
      <VersionChoice planId={planId} from={from} to={to} />
      {from === '' || to === '' ? (
        <p className="empty-line">Choose two versions to see what changed between them.</p>
      ) : (
        <Compared planId={planId} from={from} to={to} />
      )}
    </main>
  )
}

interface ComparedProps {
  readonly planId: string
  readonly from: string
  readonly to: string
}

function Compared({ planId, from, to }: ComparedProps): ReactElement {
  const { value: read, error, again } = useDiff(planId, from, to)
  if (error !== undefined && read === undefined) return <Trouble error={error} retry={again} />
  if (read === undefined) return <p className="quiet shape-box">Comparing the versions …</p>
  return (
    <>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      <Summary read={read} from={from} />
      {isEmptyDiff({ ...read.changes, plan: outsideSteps(read.changes) }) ? null : (
        <>
          <DiffGraph read={read} />
          <ChangeList read={read} from={from} to={to} />
        </>
      )}
      <TouchedRuns touched={read.touched} from={from} to={to} />
    </>
  )
}

function Summary({
  read: { changes, touched },
  from,
}: {
  readonly read: ReadDiff
  readonly from: string
}): ReactElement {
  const { added, removed, changed } = changes
  const plan = outsideSteps(changes)
  if (isEmptyDiff({ ...changes, plan })) return <p className="empty-line">Nothing but the version differs.</p>
  const counts: readonly (readonly [Change, number])[] = [
    ['added', added.length],
    ['removed', removed.length],
    ['changed', changed.length],
  ]
  return (
    <p className="diff-summary">
      {counts.map(([change, count]) =>
        count === 0 ? null : (
          <span key={change}>
            <StateChip look={CHANGE_LOOKS[change]} /> {plural(count, 'step')}
          </span>
        ),
      )}
      {plan.length === 0 ? null : <span>{plural(plan.length, 'change')} outside the steps</span>}
      <span className="quiet">
        {touched.length === 0 ? `no run in flight of ${from}` : `${plural(touched.length, 'run')} in flight of ${from}`}
      </span>
    </p>
  )
}

function DiffGraph({ read: { before, after, changes } }: { readonly read: ReadDiff }): ReactElement {
  const { query } = useAddress()
  // The answer is asked for again and again, and is mostly the same.
  const told = JSON.stringify([changes, before.metadata, after.metadata])
  const graph = useMemo(() => bothPlans(before, after), [told])
  const drawnAs = useMemo(() => {
    const byStep = changesByStep(changes)
    return (stepId: string): DrawnAs => {
      const look = CHANGE_LOOKS[byStep.get(stepId) ?? 'same']
      return { look, detail: look.word }
    }
  }, [told])
  const selected = query.get('step') ?? undefined
  return (
    <section aria-label="Changes as a graph" className="diff-graph">
      <PlanPane graph={graph} selected={selected} drawnAs={drawnAs} />
      {selected === undefined ? null : (
        <p className="quiet">
          Only {selected} is told below.{' '}
          <button type="button" className="small" onClick={() => setQuery({ step: undefined })}>
            Tell all
          </button>
        </p>
      )}
    </section>
  )
}
