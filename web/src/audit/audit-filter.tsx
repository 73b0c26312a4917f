/** What narrows the audit log. Texts are taken when they are whole, by Enter or on leaving: each question is recorded. */
import type { FormEvent, ReactElement } from 'react'
import { ACTIONS } from '../../../src/core/authority/actions.ts'
import { msFromIso } from '../../../src/core/time.ts'
import { setQuery, useAddress } from '../address/address.ts'
import { NARROWING } from './audit-query.ts'

/** Another filter begins at the newest record. */
function narrow(name: (typeof NARROWING)[number], value: string): void {
  setQuery({ [name]: value.trim(), before: undefined }, 'step')
}

export function AuditFilter(): ReactElement {
  const { query } = useAddress()
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const text = (name: string): string => String(given.get(name) ?? '').trim()
    const times = { since: instantOf(text('since')), until: instantOf(text('until')) }
    setQuery({ actor: text('actor'), target: text('target'), ...times, before: undefined }, 'step')
  }
  const isNarrow = NARROWING.some((name) => query.get(name) !== null)
  return (
    <form className="oversight-filter" aria-label="Filter" onSubmit={submit}>
      <TextPart name="actor" words="Who" placeholder="ana" />
      <label>
        What
        <select value={query.get('action') ?? ''} onChange={({ target }) => narrow('action', target.value)}>
          <option value="">all</option>
          {[...new Set([...ACTIONS, ...(query.get('action') === null ? [] : [query.get('action') ?? ''])])].map(
            (action) => (
              <option key={action}>{action}</option>
            ),
          )}
        </select>
      </label>
      <TextPart name="target" words="About" placeholder="the whole id" />
      <label>
        Outcome
        <select value={query.get('decision') ?? ''} onChange={({ target }) => narrow('decision', target.value)}>
          <option value="">all</option>
          <option value="GRANTED">granted</option>
          <option value="DENIED">denied</option>
        </select>
      </label>
      <TimePart name="since" words="From" />
      <TimePart name="until" words="To" />
      <button type="submit">Find</button>
      {isNarrow ? (
        <button type="button" onClick={() => setQuery(Object.fromEntries(EVERYTHING), 'step')}>
          Everything
        </button>
      ) : null}
    </form>
  )
}

const EVERYTHING = [...NARROWING, 'before', 'record'].map((name) => [name, undefined] as const)

interface PartProps {
  readonly name: 'actor' | 'target' | 'since' | 'until'
  readonly words: string
  readonly placeholder?: string
}

/** Made anew when the address says otherwise. */
function TextPart({ name, words, placeholder }: PartProps): ReactElement {
  const value = useAddress().query.get(name) ?? ''
  return (
    <label>
      {words}
      <input
        key={value}
        name={name}
        defaultValue={value}
        placeholder={placeholder}
        onBlur={({ target }) => {
          if (target.value.trim() !== value) narrow(name, target.value)
        }}
      />
    </label>
  )
}

/** The address has the instant; the field has it in the time of the reader. */
function TimePart({ name, words }: PartProps): ReactElement {
  const value = useAddress().query.get(name) ?? ''
  return (
    <label>
      {words}
      <input
        key={value}
        name={name}
        type="datetime-local"
        step={1}
        defaultValue={localOf(value)}
        onBlur={({ target }) => {
          if (target.value !== localOf(value)) narrow(name, instantOf(target.value))
        }}
      />
    </label>
  )
}

function instantOf(local: string): string {
  return local === '' ? '' : new Date(local).toISOString()
}

function localOf(instant: string): string {
  const ms = msFromIso(instant)
  if (ms === undefined) return ''
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19)
}
