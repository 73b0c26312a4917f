/** Finds runs, plans, steps, pages and acts by a few letters, by keyboard alone: ↑ ↓ choose, Enter goes there, Escape leaves. */
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactElement } from 'react'
import { Trouble } from '../shown/trouble.tsx'
import { findAll, type Found, type FoundGroup } from './found.ts'
import { useSources } from './use-sources.ts'
import '../styles/palette.css'

export function Palette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const { sources, isLooking, error } = useSources(text)
  const groups = findAll(text, sources)
  const all = groups.flatMap(({ found }) => found)
  const at = Math.min(chosen, all.length - 1)
  const list = useId()
  useEffect(() => dialog.current?.showModal(), [])
  const go = (found: Found | undefined): void => {
    if (found === undefined || found.whyNot !== undefined) return
    dialog.current?.close()
    found.go()
  }
  const pressed = (event: KeyboardEvent): void => {
    const to = movedTo(event.key, at, all.length)
    if (to === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (to === undefined) go(all[at])
    else setChosen(to)
  }
  return (
    <dialog ref={dialog} className="palette" onClose={onClose} aria-label="Find">
      <input
        role="combobox"
        aria-label="Find runs, plans, steps, pages and acts"
        aria-expanded={all.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={at < 0 ? undefined : `${list}-${at}`}
        autoComplete="off"
        spellCheck={false}
        placeholder="a run, plan, step, page or act; or label:team=ops"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setChosen(0)
        }}
        onKeyDown={pressed}
      />
      {error === undefined ? null : <Trouble error={error} />}
      <div id={list} role="listbox" aria-label="Found" className="found">
        {groups.map((group, index) => (
          <Group
            key={group.title}
            group={group}
            list={list}
            first={groups.slice(0, index).reduce((sum, { found }) => sum + found.length, 0)}
            chosen={at}
            onGo={go}
          />
        ))}
      </div>
      <p className="quiet" role="status">
        {all.length > 0
          ? '↑ ↓ choose · Enter goes there · Esc leaves'
          : isLooking
            ? 'Looking …'
            : 'Nothing of this name.'}
      </p>
    </dialog>
  )
}

function movedTo(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % count
    case 'ArrowUp':
      return (at + count - 1) % count
    case 'PageDown':
      return count - 1
    case 'PageUp':
      return 0
    default:
      return undefined
  }
}

interface GroupProps {
  readonly group: FoundGroup
  readonly list: string
  /** The place of its first among all that is found. */
  readonly first: number
  readonly chosen: number
  readonly onGo: (found: Found) => void
}

function Group({ group: { title, found }, list, first, chosen, onGo }: GroupProps): ReactElement {
  return (
    <div role="group" aria-label={title}>
      <div className="title" aria-hidden="true">
        {title}
      </div>
      {found.map((one, index) => (
        <Option
          key={one.id}
          id={`${list}-${first + index}`}
          found={one}
          isChosen={first + index === chosen}
          onGo={onGo}
        />
      ))}
    </div>
  )
}

interface OptionProps {
  readonly id: string
  readonly found: Found
  readonly isChosen: boolean
  readonly onGo: (found: Found) => void
}

function Option({ id, found, isChosen, onGo }: OptionProps): ReactElement {
  const { words, detail = '', keys, whyNot } = found
  const option = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isChosen) option.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    // The keys are those of the field, which keeps the focus.
    <button
      ref={option}
      id={id}
      type="button"
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      aria-disabled={whyNot !== undefined}
      className={isChosen ? 'option chosen' : 'option'}
      onClick={() => onGo(found)}
    >
      <span className="words">{words}</span> <span className="quiet">{whyNot ?? detail}</span>
      {keys === undefined ? null : <kbd>{keys}</kbd>}
    </button>
  )
}
