/** The changes as text: step by step, what it was and what it is, and the runs that go on with what it was. */
import type { ReactElement } from 'react'
import type { FieldChange } from '../../../src/core/plan/write/diff-plans.ts'
import type { Plan } from '../../../src/core/plan/plan.ts'
import { useAddress } from '../address/address.ts'
import { StateChip } from '../shown/state-mark.tsx'
import { CHANGE_LOOKS, outsideSteps, toldChange, type Change } from './change-words.ts'
import { doingOf } from './step-told.ts'
import { TouchedHere } from './touched-runs.tsx'
import type { ReadDiff } from './use-diff.ts'

export interface ChangeListProps {
  readonly read: ReadDiff
  readonly from: string
  readonly to: string
}

interface StepChange {
  readonly stepId: string
  readonly change: Exclude<Change, 'same'>
  readonly fields: readonly FieldChange[]
}

export function ChangeList({ read, from, to }: ChangeListProps): ReactElement {
  const only = useAddress().query.get('step')
  const { added, removed, changed } = read.changes
  const plan = outsideSteps(read.changes)
  const all: readonly StepChange[] = [
    ...changed.map(({ stepId, fields }) => ({ stepId, change: 'changed' as const, fields })),
    ...removed.map((stepId) => ({ stepId, change: 'removed' as const, fields: [] })),
    ...added.map((stepId) => ({ stepId, change: 'added' as const, fields: [] })),
  ]
  const shown = only === null ? all : all.filter(({ stepId }) => stepId === only)
  return (
    <section aria-label="Changes as text">
      <ul className="change-list">
        {plan.length === 0 || only !== null ? null : (
          <li aria-label="Outside the steps">
            <h3>Outside the steps</h3>
            <FieldChanges fields={plan} from={from} to={to} />
          </li>
        )}
        {shown.map(({ stepId, change, fields }) => (
          <li key={stepId} aria-label={`${stepId}, ${change}`}>
            <h3>
              {stepId} <StateChip look={CHANGE_LOOKS[change]} />
            </h3>
            {change === 'added' ? <Doing plan={read.after} stepId={stepId} /> : null}
            {change === 'removed' ? <Doing plan={read.before} stepId={stepId} /> : null}
            {fields.length === 0 ? null : <FieldChanges fields={fields} from={from} to={to} />}
            <TouchedHere touched={read.touched} stepId={stepId} change={change} from={from} />
          </li>
        ))}
      </ul>
      {only !== null && shown.length === 0 ? <p className="quiet">{only} is the same in both.</p> : null}
    </section>
  )
}

function Doing({ plan, stepId }: { readonly plan: Plan; readonly stepId: string }): ReactElement | null {
  const step = plan.steps.find((one) => one.stepId === stepId)
  if (step === undefined) return null
  const { words, work } = doingOf(step)
  return (
    <p>
      {words} <code>{work}</code>
    </p>
  )
}

interface FieldChangesProps {
  readonly fields: readonly FieldChange[]
  readonly from: string
  readonly to: string
}

function FieldChanges({ fields, from, to }: FieldChangesProps): ReactElement {
  return (
    <table className="listing changes">
      <thead>
        <tr>
          <th scope="col">what</th>
          <th scope="col">in {from}</th>
          <th scope="col">in {to}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(toldChange).map((told) => (
          <tr key={told.path}>
            <td>
              <code>{told.path}</code>
            </td>
            <td>{told.from === undefined ? <span className="quiet">not there</span> : <del>{told.from}</del>}</td>
            <td>{told.to === undefined ? <span className="quiet">gone</span> : <ins>{told.to}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
