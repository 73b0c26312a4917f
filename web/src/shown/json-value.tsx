/** A value as JSON, to read and to copy. Long ones are cut; the copy is whole. */
import type { ReactElement } from 'react'
import { CopyButton } from './copy-button.tsx'

const SHOWN_CHARS = 20_000

export function JsonValue({ value, label }: { readonly value: unknown; readonly label: string }): ReactElement {
  const text = JSON.stringify(value, null, 2) ?? 'undefined'
  return (
    <div className="json">
      <CopyButton text={text} words="copy" />
      <pre role="region" aria-label={label} tabIndex={0}>
        {text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}\n… ${text.length} characters in all`}
      </pre>
    </div>
  )
}
