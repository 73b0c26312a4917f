/** Acts on all runs that the filter of the list chooses. The opened one is in the address. */
import type { ReactElement } from 'react'
import type { ReadFilter } from '../../../src/core/filter/run-filter.ts'
import { pathOf, setQuery, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { FLEET_ACTS, fleetAct, whyNotForAll } from './fleet-acts.ts'
import { FleetDialog } from './fleet-dialog.tsx'

export function FleetButtons({ filter }: { readonly filter: ReadFilter }): ReactElement {
  const act = fleetAct(useAddress().query.get('act'))
  const whyNot = whyNotForAll(filter)
  // Without a filter one looks at runs, and does nothing with all of them: one quiet line is enough.
  const isIdle = Object.keys(filter.asked).length + filter.words.length + filter.unknown.length === 0
  return (
    <div className="fleet-acts" role="group" aria-label="All runs that match">
      {isIdle ? null : <span className="quiet">All that match:</span>}
      {(isIdle ? [] : FLEET_ACTS).map(({ signalType, word }) => (
        <button
          key={signalType}
          type="button"
          className="small"
          disabled={whyNot !== undefined}
          onClick={() => setQuery({ act: signalType }, 'step')}
        >
          {word} …
        </button>
      ))}
      {whyNot === undefined ? null : (
        <span className="quiet">
          {isIdle ? 'To act on many at once, say by the filter which runs are meant.' : whyNot}
        </span>
      )}
      <Link href={pathOf('operations')}>Operations</Link>
      {act === undefined || whyNot !== undefined ? null : (
        <FleetDialog
          key={act.signalType}
          act={act}
          filter={filter.asked}
          onClose={() => setQuery({ act: undefined }, 'step')}
        />
      )}
    </div>
  )
}
