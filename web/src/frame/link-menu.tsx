/** A button that shows links to pages, and hides them again: when one is followed, by Escape, and when the focus goes elsewhere. */
import { useEffect, useId, useRef, useState, type ReactElement } from 'react'
import type { PageName } from '../../../src/core/api/page.ts'
import { pathOf, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'

export interface PageLink {
  readonly page: PageName
  readonly words: string
  /** Pages that are opened from this one: on them, one is here. */
  readonly under?: readonly PageName[]
}

export interface LinkMenuProps {
  readonly words: string
  readonly links: readonly PageLink[]
  readonly here: PageName | undefined
}

export function LinkMenu({ words, links, here }: LinkMenuProps): ReactElement {
  const [isOpen, setOpen] = useState(false)
  const list = useId()
  const menu = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const { place } = useAddress()
  const current = links.find(({ page, under = [] }) => here !== undefined && [page, ...under].includes(here))
  useEffect(() => setOpen(false), [place?.page])
  useEffect(() => {
    if (!isOpen) return undefined
    const isOutside = ({ target }: Event): boolean =>
      !(target instanceof Node && menu.current?.contains(target) === true)
    const left = (event: Event): void => {
      if (isOutside(event)) setOpen(false)
    }
    const pressed = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      setOpen(false)
      button.current?.focus()
    }
    window.addEventListener('pointerdown', left)
    window.addEventListener('focusin', left)
    window.addEventListener('keydown', pressed, { capture: true })
    return () => {
      window.removeEventListener('pointerdown', left)
      window.removeEventListener('focusin', left)
      window.removeEventListener('keydown', pressed, { capture: true })
    }
  }, [isOpen])
  return (
    <div ref={menu} className="link-menu">
      <button
        ref={button}
        type="button"
        className={current === undefined ? 'small' : 'small here'}
        aria-expanded={isOpen}
        aria-controls={list}
        onClick={() => setOpen(!isOpen)}
      >
        {current === undefined ? (
          words
        ) : (
          <>
            <span className="menu-name">{words}: </span>
            {current.words}
          </>
        )}{' '}
        <span aria-hidden="true">▾</span>
      </button>
      <ul id={list} hidden={!isOpen}>
        {links.map((link) => (
          <li key={link.page}>
            <Link href={pathOf(link.page)} aria-current={link.page === here ? 'page' : undefined}>
              {link.words}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
