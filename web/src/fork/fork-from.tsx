/** From where a run is forked, and onto which version of its plan: all of it in the address. */
import type { ReactElement } from 'react'
import type { Plan } from '../../../src/core/plan/plan.ts'
import { setQuery, useAddress } from '../address/address.ts'
import type { OldRun } from './load-fork.ts'

export interface ForkFromProps {
  readonly old: OldRun
  readonly plan: Plan
  readonly version: string | undefined
}

export function ForkFrom({ old, plan, version }: ForkFromProps): ReactElement {
  const { query } = useAddress()
  const { lastEventSeq, planVersion, planSha256 } = old.execution
  const from = query.get('from') ?? ''
  const others = old.versions.filter(({ sha256 }) => sha256 !== planSha256)
  return (
    <>
      <label className="field">
        From step
        <select value={from} onChange={(event) => setQuery({ from: event.target.value })}>
          <option value="">what has not finished</option>
          {plan.steps.map(({ stepId }) => (
            <option key={stepId} value={stepId}>
              {stepId}
            </option>
          ))}
          {from === '' || plan.steps.some(({ stepId }) => stepId === from) ? null : <option>{from}</option>}
        </select>
        <span className="quiet">It and everything after it is done again.</span>
      </label>
      <label className="field">
        Take over results up to event
        <input
          type="number"
          min={1}
          max={lastEventSeq}
          placeholder={`${lastEventSeq}, all of them`}
          value={query.get('atSeq') ?? ''}
          onChange={(event) => setQuery({ atSeq: event.target.value })}
        />
      </label>
      <label className="field">
        Version of the plan
        <select value={version ?? ''} onChange={(event) => setQuery({ version: event.target.value })}>
          <option value="">{planVersion}, as it was</option>
          {others.map((one) => (
            <option key={one.planVersion} value={one.planVersion}>
              {one.planVersion}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}
