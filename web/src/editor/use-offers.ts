/** The fields that are offered where one writes, on demand and for this text alone. */
import { useEffect, useState, type RefObject } from 'react'
import { completionsAt, type Completion } from './completion.ts'
import { LINE_PX, placeOf } from './text-places.ts'

export interface Offered extends Completion {
  readonly chosen: number
  /** In pixels. */
  readonly top: number
  /** In letters. */
  readonly left: number
  /** It stands above the line, for there is no room below. */
  readonly isAbove: boolean
}

export interface Offers {
  readonly offered: Offered | undefined
  readonly choose: (at: number) => void
  readonly open: () => void
  readonly close: () => void
  readonly take: (at: number) => void
}

/** About as wide as a letter is. */
const LETTER_PX = 7.2

export function useOffers(text: string, field: RefObject<HTMLTextAreaElement | null>): Offers {
  const [offered, setOffered] = useState<Offered>()
  // What was offered was for another text.
  useEffect(() => setOffered(undefined), [text])
  const close = (): void => setOffered(undefined)
  const open = (): void => {
    const { selectionStart = 0, scrollTop = 0, scrollLeft = 0, clientHeight = 0 } = field.current ?? {}
    const found = completionsAt(text, selectionStart)
    const { line, column } = placeOf(text, found?.from ?? 0)
    const [below, left] = [line * LINE_PX - scrollTop, column - 1 - scrollLeft / LETTER_PX]
    const isAbove = below > clientHeight / 2
    setOffered(found && { ...found, chosen: 0, top: isAbove ? below - LINE_PX : below, left, isAbove })
  }
  const take = (at: number): void => {
    const { current } = field
    const option = offered?.options[at]
    if (current === null || offered === undefined || option === undefined) return
    current.focus()
    current.setSelectionRange(offered.from, current.selectionStart)
    insert(`${option.name}: `)
    close()
  }
  const choose = (at: number): void => {
    if (offered === undefined) return
    const { length } = offered.options
    setOffered({ ...offered, chosen: (at + length) % length })
  }
  return { offered, choose, open, close, take }
}

/** The one way to write into a field that its undoing knows. */
export function insert(text: string): void {
  document.execCommand('insertText', false, text)
}
