/** A button for an act that needs a right: without it, it is disabled and says why. */
import type { ReactElement } from 'react'
import type { Action } from '../../../src/core/authority/actions.ts'
import { useWhyNot } from '../server/may.ts'

export interface ActButtonProps {
  readonly words: string
  readonly needs: Action
  readonly onClick: () => void
  /** For those who hear it: of what. */
  readonly of?: string
  readonly isMain?: boolean
}

export function ActButton({ words, needs, onClick, of, isMain = false }: ActButtonProps): ReactElement {
  const whyNot = useWhyNot(needs)
  return (
    <button
      type="button"
      className={isMain ? 'main' : 'small'}
      disabled={whyNot !== undefined}
      title={whyNot}
      aria-label={of === undefined ? undefined : `${words} ${of}`}
      onClick={onClick}
    >
      {words}
    </button>
  )
}
