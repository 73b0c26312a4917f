/** Which key does what. */
import { useEffect, useRef, type ReactElement } from 'react'
import { NAMED_PAGES } from './page-keys.ts'

const KEYS: readonly (readonly [keys: string, does: string])[] = [
  ['?', 'this map'],
  ['⌘K  Ctrl K', 'find a run, plan, step, page or act'],
  ['/', 'filter the runs'],
  ['j  k', 'next and previous run or step'],
  ['Enter', 'open the chosen run'],
  ['x', 'pick the chosen run to compare it'],
  ['[  ]', 'the run above and below in the list'],
  ['←  →', 'one event back, one on'],
  ['⇧←  ⇧→', 'one decision back, one on'],
  ['↑  ↓', 'the event above, the one below, in the list of events'],
  ['n', 'now'],
  ['p', 'play the run back, or stop'],
  ['+  -  0', 'less time, more time, the whole run'],
  ['w', 'why'],
  ['c', 'copy the event as JSON'],
  ['esc', 'close, or choose no step'],
  ...NAMED_PAGES.flatMap(({ key, words }) => (key === undefined ? [] : [[`g ${key}`, words] as const])),
]

export function KeyMap({ onClose }: { readonly onClose: () => void }): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} className="key-map" onClose={onClose} aria-label="Keys">
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
