/** The second word of a state, as it was written, and what it means, when it is asked for. */
import { useId, type ReactElement } from 'react'
import { meaningOf } from './substatus-words.ts'

export interface SubstatusProps {
  readonly word: string
  readonly message?: string | undefined
}

export function Substatus({ word, message }: SubstatusProps): ReactElement {
  const id = useId()
  return (
    <span className="substatus">
      <button type="button" popoverTarget={id} title={meaningOf(word)}>
        <code>{word}</code>
        {message === undefined ? null : <span> {message}</span>}
      </button>
      <span id={id} popover="auto" className="meaning">
        {meaningOf(word)}
      </span>
    </span>
  )
}
