/** Which two versions are compared; both are in the address. */
import type { ReactElement } from 'react'
import { setQuery } from '../address/address.ts'
import { useAsked } from '../server/use-asked.ts'
import { Trouble } from '../shown/trouble.tsx'

export interface VersionChoiceProps {
  readonly planId: string
  readonly from: string
  readonly to: string
}

export function VersionChoice({ planId, from, to }: VersionChoiceProps): ReactElement {
  const { value, error } = useAsked(`versions of ${planId}`, (client, signal) =>
    client.call('listPlanVersions', { params: { planId }, signal }),
  )
  const versions = (value?.versions ?? []).map(({ planVersion }) => planVersion)
  const choice = (name: 'from' | 'to', chosen: string): ReactElement => (
    <label>
      {name}{' '}
      <select value={chosen} onChange={(event) => setQuery({ [name]: event.target.value, step: undefined }, 'step')}>
        {chosen === '' ? <option value="">choose</option> : null}
        {chosen !== '' && !versions.includes(chosen) ? <option>{chosen}</option> : null}
        {versions.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  )
  return (
    <div className="version-choice" role="group" aria-label="Versions">
      {choice('from', from)}
      {choice('to', to)}
      <button
        type="button"
        className="small"
        disabled={from === '' || to === ''}
        onClick={() => setQuery({ from: to, to: from }, 'step')}
      >
        Swap
      </button>
      {error === undefined ? null : <Trouble error={error} />}
    </div>
  )
}
