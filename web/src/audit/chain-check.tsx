/** Has the browser check the whole chain of the audit log, and says exactly what that proves and what it does not. */
import { useEffect, useRef, useState, type ReactElement } from 'react'
import type { AuditPlace } from '../../../src/core/audit/audit-chain.ts'
import { appendAll } from '../../../src/core/collections/append-all.ts'
import { CopyButton } from '../shown/copy-button.tsx'
import { StateChip } from '../shown/state-mark.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { plural } from '../shown/words.ts'
import { allRecords } from './all-records.ts'
import { BEGINNING, canHash, faultsIn, type Fault } from './check-records.ts'

interface Progress {
  readonly looked: number
  readonly of: number
  readonly faults: readonly Fault[]
  /** Set when all were looked at. */
  readonly end?: AuditPlace
}

const SHOWN = 20

export function ChainCheck({ tenantId }: { readonly tenantId: string }): ReactElement {
  const [progress, setProgress] = useState<Progress>()
  const [error, setError] = useState<unknown>()
  const leaving = useRef<AbortController>(undefined)
  useEffect(() => () => leaving.current?.abort(), [])
  const check = async (): Promise<void> => {
    const { signal } = (leaving.current = new AbortController())
    setError(undefined)
    let before: AuditPlace = BEGINNING
    let [looked, of] = [0, 0]
    const faults: Fault[] = []
    let head: AuditPlace = BEGINNING
    for await (const page of allRecords({}, signal)) {
      if (of === 0) [of, head] = [page.head.position, page.head]
      const own = page.records.filter(({ position }) => position <= of)
      appendAll(faults, await faultsIn(own, tenantId, before))
      before = own.at(-1) ?? before
      looked += own.length
      setProgress({ looked, of, faults: faults.slice() })
    }
    if (before.position !== head.position || before.hash !== head.hash)
      faults.push({ position: head.position, what: 'the end that the server tells is not the last record' })
    setProgress({ looked, of, faults, end: before })
  }
  if (!canHash())
    return (
      <p className="hint">
        This browser hashes only on pages with TLS, so nothing was checked here. <code>keelson verify --audit</code>{' '}
        proves the log where it is.
      </p>
    )
  const isRunning = progress !== undefined && progress.end === undefined && error === undefined
  return (
    <section className="preview" aria-label="The chain">
      <div className="row-acts">
        <button
          type="button"
          disabled={isRunning}
          onClick={() => void check().catch((thrown: unknown) => setError(thrown))}
        >
          Check the whole chain
        </button>
        {isRunning ? (
          <>
            <progress aria-label="Records checked" max={Math.max(1, progress.of)} value={progress.looked} />
            <span className="quiet">{`${progress.looked.toLocaleString('en')} of ${plural(progress.of, 'record')}`}</span>
          </>
        ) : null}
      </div>
      {error === undefined ? null : <Trouble error={error} />}
      <div role="status" aria-label="Result of the check">
        {progress?.end === undefined ? null : <Result {...progress} end={progress.end} />}
      </div>
    </section>
  )
}

function Result({ looked, faults, end }: Progress & { readonly end: AuditPlace }): ReactElement {
  if (faults.length > 0)
    return (
      <>
        <p>
          <StateChip look={{ word: 'altered', shape: 'cross', tone: 'bad' }} /> This log was altered, or was altered on
          its way here. <code>keelson verify --audit</code> says which.
        </p>
        <ul className="plain">
          {faults.slice(0, SHOWN).map(({ position, what }) => (
            <li key={`${position} ${what}`}>{`record ${position}: ${what}`}</li>
          ))}
        </ul>
      </>
    )
  return (
    <>
      <p>
        <StateChip look={{ word: 'chain whole', shape: 'check', tone: 'good' }} />{' '}
        {`${plural(looked, 'record')}: each has the hash of its text and names the record before it; none is missing.`}
      </p>
      <p>
        This shows that nobody changed, removed, added or moved a record without making every later one anew. It does
        not show who made the chain: that is what the signatures are for, and their key stays on the server's machine.{' '}
        <code>keelson verify --audit</code> checks them there.
      </p>
      <p className="secret">
        <span>
          Its end is <code>{end.hash}</code>: note it elsewhere, and a log that is cut later is found.
        </span>
        <CopyButton text={end.hash} words="Copy the end" />
      </p>
    </>
  )
}
