/** Which key does what. */
import { useEffect, useRef, type ReactElement } from 'react'

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['?', 'this map'],
  ['/', 'filter the runs'],
  ['j  k', 'next and previous run or step'],
  ['Enter', 'open the chosen run'],
  ['←  →', 'one event back, one on'],
  ['⇧←  ⇧→', 'one decision back, one on'],
  ['n', 'now'],
  ['w', 'why'],
  ['esc', 'close, or choose no step'],
]

export function KeyMap({ onClose }: { readonly onClose: () => void }): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} onClose={onClose} aria-label="Keys">
      <h2>Keys</h2>
      <dl className="keys">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  )
}
