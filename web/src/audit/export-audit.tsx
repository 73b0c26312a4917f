/** Saves the records that the filter chooses as lines of JSON, as `GET /v1/audit?format=ndjson` gives them: each with its hash and signature. */
import { useEffect, useRef, useState, type ReactElement } from 'react'
import { saveFile } from '../shown/save-file.ts'
import { Trouble } from '../shown/trouble.tsx'
import { plural } from '../shown/words.ts'
import { allRecords } from './all-records.ts'
import type { AuditAsked } from './audit-query.ts'

export function ExportAudit({ asked }: { readonly asked: AuditAsked }): ReactElement {
  const [done, setDone] = useState<{ readonly lines: number; readonly isWhole: boolean }>()
  const [error, setError] = useState<unknown>()
  const leaving = useRef<AbortController>(undefined)
  useEffect(() => () => leaving.current?.abort(), [])
  const save = async (): Promise<void> => {
    const { signal } = (leaving.current = new AbortController())
    setError(undefined)
    const parts: string[] = []
    let lines = 0
    for await (const { records } of allRecords(asked, signal)) {
      lines += records.length
      parts.push(records.map((one) => `${JSON.stringify(one)}\n`).join(''))
      setDone({ lines, isWhole: false })
    }
    saveFile('audit.ndjson', 'application/x-ndjson', parts)
    setDone({ lines, isWhole: true })
  }
  const isRunning = done?.isWhole === false && error === undefined
  return (
    <span className="row-acts">
      <button
        type="button"
        disabled={isRunning}
        onClick={() => void save().catch((thrown: unknown) => setError(thrown))}
      >
        Export as NDJSON
      </button>
      <span className="quiet" role="status" aria-label="Export">
        {done === undefined ? '' : `${plural(done.lines, 'record')} ${done.isWhole ? 'saved' : 'read'}`}
      </span>
      {error === undefined ? null : <Trouble error={error} />}
    </span>
  )
}
