/** Steps of a plan, each in words a person would use. */
import type { ReactElement } from 'react'
import type { PlanGraph } from '../../../src/core/plan/compile/graph.ts'
import type { Step } from '../../../src/core/plan/plan.ts'
import { planPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { StateMark } from '../shown/state-mark.tsx'
import { detailsOf, doingOf, kindLook } from './step-told.ts'

export function StepList({
  graph,
  steps,
}: {
  readonly graph: PlanGraph
  readonly steps: readonly Step[]
}): ReactElement {
  return (
    <ol className="step-list" aria-label="Steps">
      {steps.map((step) => (
        <li key={step.stepId}>
          <StepTold step={step} graph={graph} />
        </li>
      ))}
    </ol>
  )
}

/** What is told in the words of the plan. */
const CODE: ReadonlySet<string> = new Set(['only if', 'unless', 'for each of', 'input'])

function StepTold({ step, graph }: { readonly step: Step; readonly graph: PlanGraph }): ReactElement {
  const { words, work } = doingOf(step)
  const details = detailsOf(step, graph.plan)
  return (
    <>
      <h3>
        <StateMark look={kindLook(step)} /> {step.stepId}
        {step.name === undefined ? null : <span className="quiet"> {step.name}</span>}
      </h3>
      <p>
        {words}{' '}
        {'plan' in step ? (
          <Link href={planPath(step.plan.planId, step.plan.planVersion)}>
            <code>{work}</code>
          </Link>
        ) : (
          <code>{work}</code>
        )}
      </p>
      {step.description === undefined ? null : <p className="quiet">{step.description}</p>}
      {details.length === 0 ? null : (
        <dl className="step-details">
          {details.map(([name, text]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{CODE.has(name) ? <code>{text}</code> : text}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}
