/** Makes a trigger, or says anew what one starts: the plan, who signs how, with which secret, and how a delivery becomes the input. */
import { useState, type FormEvent, type ReactElement } from 'react'
import { PlanChoice } from '../plans/plan-choice.tsx'
import { jsonOf } from '../schedules/mapped-input.ts'
import { Trouble } from '../shown/trouble.tsx'
import { MappingField } from './mapping-field.tsx'
import { SecretFields, secretBody, type SecretDraft } from './secret-fields.tsx'
import { SCHEME_NAMES, SCHEMES, type Scheme, type Trigger, type TriggerBody } from './trigger-words.ts'

export interface TriggerFormProps {
  /** Absent: a new one. */
  readonly trigger?: Trigger
  readonly onKeep: (trigger: string, body: TriggerBody) => Promise<void>
  readonly onClose: () => void
}

export function TriggerForm({ trigger, onKeep, onClose }: TriggerFormProps): ReactElement {
  const [name, setName] = useState(trigger?.trigger ?? '')
  const [plan, setPlan] = useState({ planId: trigger?.planId ?? '', planVersion: trigger?.planVersion ?? '' })
  const [scheme, setScheme] = useState<Scheme>(trigger?.scheme ?? 'standard-webhooks')
  const [secret, setSecret] = useState<SecretDraft>({ from: trigger === undefined ? 'server' : 'kept', text: '' })
  const [mapping, setMapping] = useState(trigger?.input === undefined ? '' : JSON.stringify(trigger.input, null, 2))
  const [error, setError] = useState<unknown>()
  const [isSending, setSending] = useState(false)
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setSending(true)
    setError(undefined)
    try {
      const { planId, planVersion } = plan
      const version = planVersion === '' ? {} : { planVersion }
      const input = mapping.trim() === '' ? {} : { input: jsonOf(mapping) }
      await onKeep(name, { planId, ...version, scheme, ...input, ...secretBody(secret) })
    } catch (thrown) {
      setError(thrown)
      setSending(false)
    }
  }
  return (
    <form
      className="operate-form starts-form"
      aria-label={trigger === undefined ? 'New trigger' : `Edit ${name}`}
      onSubmit={(event) => void send(event)}
    >
      {trigger === undefined ? <NameField name={name} onChange={setName} /> : null}
      <PlanChoice {...plan} onChange={(planId, planVersion) => setPlan({ planId, planVersion })} />
      <label className="field">
        Signed as
        <select value={scheme} onChange={(event) => setScheme(event.target.value as Scheme)}>
          {SCHEME_NAMES.map((one) => (
            <option key={one} value={one}>
              {SCHEMES[one].name}
            </option>
          ))}
        </select>
        <span className="quiet">{SCHEMES[scheme].signs}</span>
      </label>
      <SecretFields draft={secret} canKeep={trigger !== undefined} onChange={setSecret} />
      <MappingField {...plan} text={mapping} onChange={setMapping} />
      {error === undefined ? null : <Trouble error={error} />}
      <div className="buttons">
        <button type="submit" className="main" disabled={isSending}>
          {trigger === undefined ? 'Make the trigger' : 'Change it'}
        </button>
        <button type="button" onClick={onClose}>
          Leave it
        </button>
      </div>
    </form>
  )
}

function NameField({
  name,
  onChange,
}: {
  readonly name: string
  readonly onChange: (name: string) => void
}): ReactElement {
  return (
    <label className="field">
      Name
      <input
        required
        pattern="[A-Za-z0-9][A-Za-z0-9_.\-]{0,127}"
        title="Letters, digits, _ . and -"
        value={name}
        placeholder="push"
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  )
}
