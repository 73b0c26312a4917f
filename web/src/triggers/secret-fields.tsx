/** Where the secret of a trigger comes from. What is typed goes to the server, which keeps it sealed; the page keeps it nowhere. */
import type { ReactElement } from 'react'
import type { TriggerBody } from './trigger-words.ts'

export interface SecretDraft {
  readonly from: 'kept' | 'server' | 'sender' | 'reference'
  readonly text: string
}

const WORDS: Readonly<Record<SecretDraft['from'], string>> = {
  kept: 'stays as it is',
  server: 'the server makes it',
  sender: 'the sender has made it',
  reference: 'it is looked up by a reference',
}

export function secretBody({ from, text }: SecretDraft): Pick<TriggerBody, 'secret' | 'secretRef'> {
  if (from === 'sender') return { secret: text }
  return from === 'reference' ? { secretRef: text.trim() } : {}
}

export interface SecretFieldsProps {
  readonly draft: SecretDraft
  /** Of a trigger that has one. */
  readonly canKeep: boolean
  readonly onChange: (draft: SecretDraft) => void
}

export function SecretFields({ draft: { from, text }, canKeep, onChange }: SecretFieldsProps): ReactElement {
  const ways: readonly SecretDraft['from'][] = [canKeep ? 'kept' : 'server', 'sender', 'reference']
  return (
    <fieldset>
      <legend>Secret</legend>
      {ways.map((one) => (
        <label key={one}>
          <input
            type="radio"
            name="secret-from"
            checked={from === one}
            onChange={() => onChange({ from: one, text: '' })}
          />
          {WORDS[one]}
        </label>
      ))}
      {from === 'sender' ? (
        <label className="field">
          The secret of the sender
          <input
            type="password"
            autoComplete="off"
            required
            minLength={16}
            maxLength={1_024}
            value={text}
            onChange={(event) => onChange({ from, text: event.target.value })}
          />
        </label>
      ) : null}
      {from === 'reference' ? (
        <label className="field">
          Reference
          <input
            className="exact"
            required
            value={text}
            placeholder="secret://webhooks/push"
            onChange={(event) => onChange({ from, text: event.target.value })}
          />
        </label>
      ) : null}
    </fieldset>
  )
}
