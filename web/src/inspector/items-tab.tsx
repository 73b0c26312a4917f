/** The items of a fan-out, failed ones first; one of them can be selected as a step can. */
import { useMemo, useState, type ReactElement } from 'react'
import { itemsOf } from '../../../src/core/view/show/snapshot-of.ts'
import { StateMark } from '../shown/state-mark.tsx'
import { stepLook } from '../shown/states.ts'
import type { At } from '../history/at.ts'
import { chipOf } from '../graph/step-chip.ts'
import { selectStep } from '../history/use-moment.ts'
import { failedItems, fanOf, listedItems } from './item-order.ts'

const PAGE = 100

export function ItemsTab({ at, stepId }: { readonly at: At; readonly stepId: string }): ReactElement {
  const [shown, setShown] = useState(PAGE)
  const fan = fanOf(at.view, stepId)
  const total = fan?.total ?? 0
  const failed = useMemo(() => failedItems(fan), [fan])
  const listed = useMemo(() => listedItems(failed, total, shown), [failed, total, shown])
  return (
    <>
      {failed.length === 0 ? null : (
        <p className="error" role="status">
          {failed.length.toLocaleString('en')} of {total.toLocaleString('en')} items failed; listed first.
        </p>
      )}
      <ul className="items">
        {listed.map((index) => {
          const [item] = itemsOf(at.view, stepId, index, 1)
          if (item === undefined) return null
          return (
            <li key={index}>
              <button type="button" onClick={() => selectStep(`${stepId}[${index}]`)}>
                <StateMark look={stepLook(item)} size={12} />
                {stepId}[{index}]{' '}
                <span className="quiet">
                  {stepLook(item).word} {chipOf(item, at.asOf)}
                </span>
              </button>
            </li>
          )
        })}
      </ul>
      {total > shown ? (
        <button type="button" onClick={() => setShown(shown + PAGE)}>
          {total - shown} more
        </button>
      ) : null}
    </>
  )
}
