/** Copies a text, and says that it did. */
import { useState, type ReactElement } from 'react'

export function CopyButton({ text, words = 'Copy' }: { readonly text: string; readonly words?: string }): ReactElement {
  const [isCopied, setCopied] = useState(false)
  const copy = (): void => void navigator.clipboard.writeText(text).then(() => setCopied(true))
  return (
    <button type="button" className="small" onClick={copy}>
      {isCopied ? 'copied' : words}
    </button>
  )
}
