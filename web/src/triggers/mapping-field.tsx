/** How a delivery becomes the input of the plan: JSON with expressions. A button writes one field for each input of the plan. */
import type { ReactElement } from 'react'
import type { InputField } from '../plans/input-fields.ts'
import { useInputs } from '../plans/use-inputs.ts'

export interface MappingFieldProps {
  readonly planId: string
  readonly planVersion: string
  readonly text: string
  readonly onChange: (text: string) => void
}

export function MappingField({ planId, planVersion, text, onChange }: MappingFieldProps): ReactElement {
  const { fields } = useInputs(planId, planVersion)
  return (
    <>
      <label className="field">
        Input as JSON
        <textarea
          rows={6}
          value={text}
          spellCheck={false}
          placeholder={'{ "name": "${input.body.pusher.name}" }'}
          onChange={(event) => onChange(event.target.value)}
        />
        <span className="quiet">
          Empty: the body is the input. In it <code>{'${input.body…}'}</code> is of the body,{' '}
          <code>{'${input.event}'}</code> is X-GitHub-Event, <code>{'${input.deliveryId}'}</code> the id of the
          delivery.
        </span>
      </label>
      {fields === undefined || text.trim() !== '' ? null : (
        <button type="button" className="small" onClick={() => onChange(template(fields))}>
          Write it for the inputs of {planId}
        </button>
      )}
    </>
  )
}

/** Where the body has a field of the same name. */
function template(fields: readonly InputField[]): string {
  const named = fields.map(({ name }) => [
    name,
    `\${input.body.${/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)}}`,
  ])
  return JSON.stringify(Object.fromEntries(named), null, 2)
}
