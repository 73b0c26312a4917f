/** What else a start takes: a key under which it counts once, a time before which it does not begin, a queue, an approval. */
import type { ReactElement } from 'react'
import type { StartGiven } from '../../../src/client/connect.ts'

export interface Options {
  readonly requestKey: string
  readonly notBefore: string
  readonly isQueued: boolean
  readonly needsApproval: boolean
}

export const NO_OPTIONS: Options = { requestKey: '', notBefore: '', isQueued: false, needsApproval: false }

/** The time is of the clock of whoever writes it. */
export function askedBy(options: Options): Pick<StartGiven, 'runRequestId' | 'notBefore' | 'queue' | 'needsApproval'> {
  const { requestKey, notBefore, isQueued, needsApproval } = options
  return {
    ...(requestKey.trim() === '' ? {} : { runRequestId: requestKey.trim() }),
    ...(notBefore === '' ? {} : { notBefore: new Date(notBefore).toISOString() }),
    ...(isQueued ? { queue: true } : {}),
    ...(needsApproval ? { needsApproval: true } : {}),
  }
}

export interface StartOptionsProps {
  readonly options: Options
  readonly onChange: (options: Options) => void
}

export function StartOptions({ options, onChange }: StartOptionsProps): ReactElement {
  const { requestKey, notBefore, isQueued, needsApproval } = options
  return (
    <details className="start-options">
      <summary>When and how it starts</summary>
      <label className="field">
        Request key
        <input value={requestKey} onChange={(event) => onChange({ ...options, requestKey: event.target.value })} />
        <span className="quiet">Started again under the same key, it is the same run.</span>
      </label>
      <label className="field">
        Not before
        <input
          type="datetime-local"
          value={notBefore}
          onChange={(event) => onChange({ ...options, notBefore: event.target.value })}
        />
      </label>
      <label>
        <input
          type="checkbox"
          checked={isQueued}
          onChange={(event) => onChange({ ...options, isQueued: event.target.checked })}
        />{' '}
        Wait in the queue until there is room
      </label>
      <label>
        <input
          type="checkbox"
          checked={needsApproval}
          onChange={(event) => onChange({ ...options, needsApproval: event.target.checked })}
        />{' '}
        Wait until somebody approves it
      </label>
    </details>
  )
}
