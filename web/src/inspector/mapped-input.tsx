/** The input of a step beside what the plan says of it: each field with the expressions that made it. Secrets are told by their reference alone. */
import type { ReactElement } from 'react'
import type { At } from '../history/at.ts'
import { tryOut } from '../history/use-moment.ts'
import { expressionsIn, mappingOf, stepOfSlot } from './slot-plan.ts'

export interface MappedInputProps {
  readonly at: At
  readonly slot: string
  readonly input: unknown
}

export function MappedInput({ at, slot, input }: MappedInputProps): ReactElement | null {
  const step = stepOfSlot(at.history, slot)
  const written = mappingOf(step, slot)
  const given = typeof input === 'object' && input !== null ? (input as Readonly<Record<string, unknown>>) : {}
  const names = [...new Set([...Object.keys(written), ...Object.keys(given)])]
  const secrets = Object.entries(step?.secrets ?? {})
  if (names.length === 0 && secrets.length === 0) return null
  return (
    <>
      {names.length === 0 ? null : (
        <table className="fields mapped">
          <caption className="sr-only">Input of {slot}, and what made it</caption>
          <thead>
            <tr>
              <th scope="col">field</th>
              <th scope="col">in the plan</th>
              <th scope="col">value</th>
            </tr>
          </thead>
          <tbody>
            {names.map((name) => (
              <Field key={name} name={name} written={written[name]} value={given[name]} />
            ))}
          </tbody>
        </table>
      )}
      {secrets.length === 0 ? null : (
        <ul className="secrets" aria-label="Secrets, by their references">
          {secrets.map(([name, reference]) => (
            <li key={name}>
              <code>{name}</code> <span className="quiet">is</span> <code>{reference}</code>{' '}
              <span className="quiet">given to the step, and never recorded</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

interface FieldProps {
  readonly name: string
  readonly written: unknown
  readonly value: unknown
}

const LONGEST = 500

function Field({ name, written, value }: FieldProps): ReactElement {
  const expressions = expressionsIn(written)
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        {written === undefined ? (
          <span className="quiet">changed by a person</span>
        ) : expressions.length === 0 ? (
          <span className="quiet">as it is</span>
        ) : (
          <>
            <code>{typeof written === 'string' ? written : JSON.stringify(written)}</code>{' '}
            {expressions.map((expression) => (
              <button
                key={expression}
                type="button"
                className="small"
                title={expression}
                onClick={() => tryOut(expression)}
              >
                try<span className="sr-only"> {expression}</span>
              </button>
            ))}
          </>
        )}
      </td>
      <td>
        <code>{cut(value === undefined ? 'null' : JSON.stringify(value))}</code>
      </td>
    </tr>
  )
}

const cut = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`)
