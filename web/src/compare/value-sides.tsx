/** Where two values differ, field by field. */
import type { ReactElement } from 'react'
import type { FieldChange } from '../../../src/core/plan/write/diff-plans.ts'
import type { ValueDifference } from './compare-runs.ts'

export interface ValueSidesProps {
  readonly title: string
  readonly difference: ValueDifference
}

const SHOWN = 100
const LONGEST = 2_000

export function ValueSides({ title, difference }: ValueSidesProps): ReactElement {
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      <Told title={title} difference={difference} />
    </section>
  )
}

function Told({ title, difference }: ValueSidesProps): ReactElement {
  if (difference.kind === 'none') return <p className="quiet">neither has one</p>
  if (difference.kind === 'unknown') return <p className="quiet">it is not known any more, or is not stored here</p>
  if (difference.kind === 'one') return <p>only one of them has one</p>
  if (difference.kind === 'other')
    return <p>another; long values lie beside the log and are not compared field by field</p>
  const { fields } = difference
  if (fields.length === 0) return <p className="quiet">the same</p>
  return (
    <div className="scrolls" tabIndex={0} role="region" aria-label={`${title}: what differs`}>
      <table className="fields">
        <thead>
          <tr>
            <th scope="col">field</th>
            <th scope="col">here</th>
            <th scope="col">there</th>
          </tr>
        </thead>
        <tbody>
          {fields.slice(0, SHOWN).map((field, at) => (
            <Field key={at} field={field} />
          ))}
        </tbody>
      </table>
      {fields.length > SHOWN ? <p className="quiet">and {fields.length - SHOWN} more</p> : null}
    </div>
  )
}

function Field({ field: { path, from, to } }: { readonly field: FieldChange }): ReactElement {
  return (
    <tr>
      <th scope="row">{path === '' ? 'all of it' : path}</th>
      <td>{shown(from)}</td>
      <td>{shown(to)}</td>
    </tr>
  )
}

function shown(value: unknown): ReactElement {
  if (value === undefined) return <span className="quiet">—</span>
  const text = JSON.stringify(value)
  return <code>{text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`}</code>
}
