/** What may be written here, beside the word that is being written. The focus stays in the text. */
import { useEffect, useRef, type ReactElement } from 'react'
import type { Option } from './completion.ts'

export interface CompletionListProps {
  readonly id: string
  readonly options: readonly Option[]
  readonly chosen: number
  /** In pixels. */
  readonly top: number
  /** In letters. */
  readonly left: number
  readonly isAbove: boolean
  readonly onTake: (at: number) => void
}

export function CompletionList({ id, options, chosen, top, left, isAbove, onTake }: CompletionListProps): ReactElement {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The list alone is scrolled, not what it stands in.
    const { current } = list
    const one = current?.querySelector<HTMLElement>('[aria-selected="true"]') ?? null
    if (current === null || one === null) return
    const isShown =
      one.offsetTop >= current.scrollTop && one.offsetTop + one.offsetHeight <= current.scrollTop + current.clientHeight
    if (!isShown) current.scrollTop = one.offsetTop
  }, [chosen])
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label="Fields of the plan format"
      className={isAbove ? 'completions above' : 'completions'}
      style={{ top, left: `${Math.max(0, left)}ch` }}
    >
      {options.map(({ name, about }, at) => (
        <div
          key={name}
          id={`${id}-${at}`}
          role="option"
          tabIndex={-1}
          aria-selected={at === chosen}
          onPointerDown={(event) => {
            // It would take the focus out of the text.
            event.preventDefault()
            onTake(at)
          }}
        >
          <code>{name}</code> <span className="quiet">{about}</span>
        </div>
      ))}
    </div>
  )
}
