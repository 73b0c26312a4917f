/** Copies a text, and says that it did, or that it could not. */
import { useState, type ReactElement } from 'react'
import { copyText } from './copy-text.ts'

export function CopyButton({ text, words = 'Copy' }: { readonly text: string; readonly words?: string }): ReactElement {
  const [last, setLast] = useState<{ readonly text: string; readonly isCopied: boolean }>()
  const copy = (): void => void copyText(text).then((isCopied) => setLast({ text, isCopied }))
  // What is shown now may be another text than the one that was copied.
  const told = last?.text === text ? (last.isCopied ? 'copied' : 'cannot copy: mark the text') : words
  return (
    <button type="button" className="small" onClick={copy}>
      {told}
    </button>
  )
}
