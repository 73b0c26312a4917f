/** How far the log was verified in this browser, and where it is not what was written. */
import type { ReactElement } from 'react'
import type { CheckedChain } from '../history/chain-of-log.ts'
import { StateMark } from '../shown/state-mark.tsx'
import { chainLook } from './chain-look.ts'

export function ChainNote({ chain, total }: { readonly chain: CheckedChain; readonly total: number }): ReactElement {
  const { broken, checked, lastSeq, missing, head } = chain
  if (broken !== undefined || missing.length > 0)
    return (
      <p className="chain-note broken" role="alert">
        {broken === undefined ? (
          <>The data of event {missing[0]} is gone, and no event says that it was erased.</>
        ) : (
          <>
            The log is not what was written: event {broken.runSeq}, {broken.what}. <code>keelson verify</code> tells
            more.
          </>
        )}
      </p>
    )
  return (
    <span className="chain-note quiet" title={`the hash of the last event is ${head}; compare it with a receipt`}>
      <StateMark look={chainLook(chain, lastSeq)} size={12} />
      {checked === total ? 'verified here' : `${checked.toLocaleString('en')} verified here …`}
    </span>
  )
}
