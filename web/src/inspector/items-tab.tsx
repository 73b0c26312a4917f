/** The items of a fan-out; one of them can be selected as a step can. */
import { useState, type ReactElement } from 'react'
import { itemsOf } from '../../../src/core/view/show/snapshot-of.ts'
import { StateMark } from '../shown/state-mark.tsx'
import { stepLook } from '../shown/states.ts'
import type { At } from '../history/at.ts'
import { chipOf } from '../graph/step-chip.ts'
import { selectStep } from '../history/use-moment.ts'

const PAGE = 100

export function ItemsTab({ at, stepId }: { readonly at: At; readonly stepId: string }): ReactElement {
  const [shown, setShown] = useState(PAGE)
  const items = itemsOf(at.view, stepId, 0, shown)
  const total = at.snapshot.steps.find((one) => one.stepId === stepId)?.items?.total ?? 0
  return (
    <>
      <ul className="items">
        {items.map((item, index) => (
          <li key={index}>
            <button type="button" onClick={() => selectStep(`${stepId}[${index}]`)}>
              <StateMark look={stepLook(item)} size={12} />
              {stepId}[{index}]{' '}
              <span className="quiet">
                {stepLook(item).word} {chipOf(item, at.asOf)}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {total > shown ? (
        <button type="button" onClick={() => setShown(shown + PAGE)}>
          {total - shown} more
        </button>
      ) : null}
    </>
  )
}
