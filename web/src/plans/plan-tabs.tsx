/** What a version of a plan is: its graph with the chosen step, its steps in words, its inputs, problems and text. The tab is in the address. */
import { memo, useMemo, type ReactElement } from 'react'
import { compileGraph, type PlanGraph } from '../../../src/core/plan/compile/graph.ts'
import { planPath, setQuery, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { PlanPane } from '../graph/plan-pane.tsx'
import { JsonValue } from '../shown/json-value.tsx'
import { PlanInputs } from './plan-inputs.tsx'
import { PlanProblems, problemsOf } from './plan-problems.tsx'
import { StepList } from './step-list.tsx'
import { kindsOf } from './step-told.ts'
import type { ReadPlan } from './use-plan.ts'

const TABS = ['graph', 'steps', 'inputs', 'problems', 'text'] as const
type Tab = (typeof TABS)[number]

export function PlanTabs({ read }: { readonly read: ReadPlan }): ReactElement {
  const { query } = useAddress()
  // Plans of one hash are the same plan, however often they were asked for.
  const graph = useMemo(() => compileGraph(read.plan), [read.sha256])
  const problems = useMemo(() => problemsOf(read), [read.sha256, read.engines])
  const asked = query.get('tab')
  const open = TABS.find((one) => one === asked) ?? 'graph'
  const counts: { readonly [tab in Tab]?: number } = { steps: graph.steps.length, problems: problems.length }
  return (
    <section className="plan-main" aria-label={`Version ${read.planVersion}`}>
      <div className="tabs" role="tablist" aria-label="About the plan">
        {TABS.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            aria-selected={one === open}
            onClick={() => setQuery({ tab: one === 'graph' ? undefined : one }, 'step')}
          >
            {one}
            {counts[one] === undefined ? '' : ` (${counts[one]})`}
          </button>
        ))}
      </div>
      <div className="tab" role="tabpanel" aria-label={open} tabIndex={0}>
        {open === 'graph' ? <GraphTab graph={graph} selected={query.get('step') ?? undefined} /> : null}
        {open === 'steps' ? <StepList graph={graph} steps={graph.steps} /> : null}
        {open === 'inputs' ? <PlanInputs schema={read.plan.inputs} /> : null}
        {open === 'problems' ? <PlanProblems problems={problems} engines={read.engines} /> : null}
        {open === 'text' ? <JsonValue value={read.plan} label="the compiled plan" /> : null}
      </div>
      <SchedulePart read={read} />
    </section>
  )
}

/** Not for every tick of the clock beside it. */
const GraphTab = memo(DrawnPlan)

function DrawnPlan({
  graph,
  selected,
}: {
  readonly graph: PlanGraph
  readonly selected: string | undefined
}): ReactElement {
  const step = graph.steps.find(({ stepId }) => stepId === selected)
  const drawnAs = useMemo(() => kindsOf(graph), [graph])
  return (
    <>
      <PlanPane graph={graph} selected={selected} drawnAs={drawnAs} />
      {step === undefined ? (
        <p className="quiet">Choose a step to read what it does.</p>
      ) : (
        <StepList graph={graph} steps={[step]} />
      )}
    </>
  )
}

/** A plan that brings a schedule starts by itself: whoever reads it should know. */
function SchedulePart({ read: { planId, planVersion, plan } }: { readonly read: ReadPlan }): ReactElement | null {
  const { schedule, concurrencyKey } = plan
  if (schedule === undefined && concurrencyKey === undefined) return null
  const { cron, every, zone = 'UTC' } = schedule ?? {}
  return (
    <p className="quiet">
      {cron === undefined ? null : `A server starts it at ${cron} (${zone}). `}
      {every === undefined ? null : `A server starts it every ${every}. `}
      {concurrencyKey === undefined ? null : (
        <>
          Runs with the same <code>{concurrencyKey}</code> count together.{' '}
        </>
      )}
      <Link href={`${planPath(planId, planVersion)}&tab=text`}>its text</Link>
    </p>
  )
}
