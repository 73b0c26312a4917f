/** Whom a limit or a pause is about: the tenant, or a plan by its name. */
import { useEffect, useId, useState, type ReactElement } from 'react'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'

export interface Scope {
  readonly kind: string
  readonly planId: string
}

/** `tenant`, `plan:<planId>`, `key:<planId>`. */
export const scopeName = ({ kind, planId }: Scope): string => (kind === 'tenant' ? kind : `${kind}:${planId.trim()}`)

export function readScope(name: string): Scope {
  const at = name.indexOf(':')
  return at < 0 ? { kind: 'tenant', planId: '' } : { kind: name.slice(0, at), planId: name.slice(at + 1) }
}

export interface ScopeFieldProps {
  readonly legend: string
  /** The kinds to choose from, with their words. */
  readonly kinds: Readonly<Record<string, string>>
  readonly scope: Scope
  readonly onChange: (scope: Scope) => void
}

export function ScopeField({ legend, kinds, scope, onChange }: ScopeFieldProps): ReactElement {
  const [name, list] = [useId(), useId()]
  const plans = usePlanNames()
  return (
    <fieldset>
      <legend>{legend}</legend>
      {Object.entries(kinds).map(([kind, words]) => (
        <label key={kind}>
          <input type="radio" name={name} checked={scope.kind === kind} onChange={() => onChange({ ...scope, kind })} />
          {words}
        </label>
      ))}
      {scope.kind === 'tenant' ? null : (
        <label className="field">
          Plan
          <input
            required
            value={scope.planId}
            list={list}
            autoComplete="off"
            onChange={({ target }) => onChange({ ...scope, planId: target.value })}
          />
        </label>
      )}
      <datalist id={list}>
        {plans.map((plan) => (
          <option key={plan} value={plan}>
            {plan}
          </option>
        ))}
      </datalist>
    </fieldset>
  )
}

const OFFERED = 200

/** To choose from; without the right to read plans a name is typed. */
function usePlanNames(): readonly string[] {
  const { client } = useWatched(sessions)
  const [names, setNames] = useState<readonly string[]>([])
  useEffect(() => {
    const leaving = new AbortController()
    client
      .call('listPlans', { query: { limit: OFFERED }, signal: leaving.signal })
      .then(({ plans }) => setNames(plans.map(({ planId }) => planId)))
      .catch(() => undefined)
    return () => leaving.abort()
  }, [client])
  return names
}
