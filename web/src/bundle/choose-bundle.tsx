/** No bundle is open: how one is made, and a way to choose it. */
import type { ReactElement, ReactNode } from 'react'
import { showBundle } from './bundle-file.ts'

export function ChooseBundle({ children }: { readonly children?: ReactNode }): ReactElement {
  return (
    <main className="bundle">
      <h1>A run from a file</h1>
      {children}
      <p>
        <label className="field">
          Bundle
          <input
            type="file"
            accept=".jsonl,.ndjson,application/x-ndjson"
            onChange={({ target }) => {
              const [file] = target.files ?? []
              if (file !== undefined) showBundle(file)
            }}
          />
        </label>
      </p>
      <p>
        Or drop one anywhere on this page. It is read and verified in this browser: nothing of it is sent anywhere, and
        no server is needed once the page is open.
      </p>
      <p className="quiet">This writes one:</p>
      <pre>keelson export last --out run.jsonl</pre>
    </main>
  )
}
