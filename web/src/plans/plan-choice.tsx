/** A choice of one of the published plans, and of its version: the newest at each start, or always the same. */
import { useEffect, useState, type ReactElement } from 'react'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'

export interface PlanChoiceProps {
  readonly planId: string
  /** Empty: the newest. */
  readonly planVersion: string
  readonly onChange: (planId: string, planVersion: string) => void
}

const MOST = 1_000

export function PlanChoice({ planId, planVersion, onChange }: PlanChoiceProps): ReactElement {
  const { client } = useWatched(sessions)
  const [plans, setPlans] = useState<readonly string[]>()
  const [versions, setVersions] = useState<readonly string[]>([])
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    client
      .call('listPlans', { query: { limit: MOST } })
      .then((read) => setPlans(read.plans.map((plan) => plan.planId)), setError)
  }, [client])
  useEffect(() => {
    const leaving = new AbortController()
    setVersions([])
    if (planId !== '')
      client.call('listPlanVersions', { params: { planId }, signal: leaving.signal }).then(
        (read) => {
          setError(undefined)
          return setVersions(read.versions.map((version) => version.planVersion))
        },
        (thrown: unknown) => (leaving.signal.aborted ? undefined : setError(thrown)),
      )
    return () => leaving.abort()
  }, [client, planId])
  return (
    <>
      <label className="field">
        Plan
        <select required value={planId} onChange={(event) => onChange(event.target.value, '')}>
          <option value="">{plans === undefined ? 'Loading …' : 'Choose a published plan'}</option>
          {withOwn(plans ?? [], planId).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {plans?.length === 0 ? (
        <p className="hint">
          No plan is published here: <code>keelson plan publish plan.yaml --server {window.location.origin}</code>
        </p>
      ) : null}
      <label className="field">
        Version
        <select value={planVersion} onChange={(event) => onChange(planId, event.target.value)}>
          <option value="">the newest at each start</option>
          {withOwn(versions, planVersion).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      {error === undefined ? null : <Trouble error={error} />}
    </>
  )
}

/** Also while it is not loaded yet, and when it is no longer there. */
function withOwn(names: readonly string[], own: string): readonly string[] {
  return own === '' || names.includes(own) ? names : [own, ...names]
}
