/** What a run of the plan is given: each input with its type, default and meaning, or the schema where it is no simple object. */
import type { ReactElement } from 'react'
import type { JsonSchema } from '../../../src/core/plan/plan.ts'
import { JsonValue } from '../shown/json-value.tsx'
import { inputFields } from './input-fields.ts'

export function PlanInputs({ schema }: { readonly schema: JsonSchema | undefined }): ReactElement {
  if (schema === undefined)
    return (
      <>
        <p className="quiet">The plan does not say what its input is: any JSON is taken. It would say so like this:</p>
        <pre>{'inputs: { type: object, required: [orderId], properties: { orderId: { type: string } } }'}</pre>
      </>
    )
  const fields = inputFields(schema)
  return (
    <>
      {fields === undefined ? null : (
        <table className="listing">
          <thead>
            <tr>
              <th scope="col">name</th>
              <th scope="col">type</th>
              <th scope="col">default</th>
              <th scope="col" className="wide">
                meaning
              </th>
            </tr>
          </thead>
          <tbody>
            {fields.map(({ name, type, isRequired, initial, about, choices }) => (
              <tr key={name}>
                <td>
                  <code>{name}</code>
                  {isRequired ? <span className="quiet"> required</span> : null}
                </td>
                <td>{choices.length > 0 ? choices.join(', ') : type}</td>
                <td>{initial === '' ? '' : <code>{initial}</code>}</td>
                <td className="wide">{about ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <h3>As JSON Schema</h3>
      <JsonValue value={schema} label="schema of the input" />
    </>
  )
}
