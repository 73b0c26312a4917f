/** A value as JSON, to read and to copy. Long ones are cut; the copy is whole. */
import { useState, type ReactElement } from 'react'

const SHOWN_CHARS = 20_000

export function JsonValue({ value, label }: { readonly value: unknown; readonly label: string }): ReactElement {
  const [isCopied, setCopied] = useState(false)
  const text = JSON.stringify(value, null, 2) ?? 'undefined'
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(() => setCopied(true))
  }
  return (
    <div className="json">
      <button type="button" className="small" onClick={copy}>
        {isCopied ? 'copied' : 'copy'}
      </button>
      <pre role="region" aria-label={label} tabIndex={0}>
        {text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}\n… ${text.length} characters in all`}
      </pre>
    </div>
  )
}
