/** The audit log of the tenant: who did what and who was refused what, newest first; checked, exported, and each record in full. */
import { useEffect, useState, type ReactElement } from 'react'
import { setQuery, useAddress } from '../address/address.ts'
import { useWhyNot } from '../server/may.ts'
import { me } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { AuditFilter } from './audit-filter.tsx'
import { auditAsked, narrowed } from './audit-query.ts'
import type { AuditPage as Page, AuditRecord } from './audit-record.ts'
import { AuditRows } from './audit-rows.tsx'
import { ChainCheck } from './chain-check.tsx'
import { canHash, faultsAmong } from './check-records.ts'
import { ExportAudit } from './export-audit.tsx'
import { RecordPanel } from './record-panel.tsx'
import { useAudit } from './use-audit.ts'
import '../styles/operate.css'
import '../styles/oversight.css'

export function AuditPage(): ReactElement {
  const whyNot = useWhyNot('AUDIT_READ')
  return (
    <main className="operate">
      <header>
        <h1>Audit</h1>
        <p className="quiet">What people and programs of your tenant did and were refused. Nothing is ever removed.</p>
      </header>
      {whyNot === undefined ? <Records /> : <p className="hint">{whyNot}</p>}
    </main>
  )
}

function Records(): ReactElement {
  const { query } = useAddress()
  const tenantId = useWatched(me)?.tenantId ?? ''
  const asked = auditAsked(query)
  const { page, error, again } = useAudit(asked)
  const now = useClock(true)
  const faults = useFaults(page?.records, tenantId)
  const open = openRecord(query)
  return (
    <>
      <AuditFilter />
      <div className="row-acts">
        <button
          type="button"
          onClick={() => (asked.before === undefined ? again() : setQuery({ before: undefined }, 'step'))}
        >
          {asked.before === undefined ? 'Look again' : 'To the newest'}
        </button>
        <ExportAudit asked={narrowed(query)} />
      </div>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {open === undefined ? null : (
        <RecordPanel key={open} position={open} known={page?.records.find(({ position }) => position === open)} />
      )}
      {page === undefined ? (
        error === undefined ? (
          <p className="quiet">Loading …</p>
        ) : null
      ) : (
        <>
          {page.records.length === 0 ? <p>{page.more ? lookedAt(page) : 'No record fits.'}</p> : null}
          {page.records.length === 0 ? null : (
            <AuditRows records={page.records} faults={faults} open={open} now={now} />
          )}
          {page.more ? (
            <p>
              <button type="button" onClick={() => setQuery({ before: String(page.next) }, 'step')}>
                {page.records.length === 0 ? 'Look further back' : 'Older records'}
              </button>
            </p>
          ) : null}
        </>
      )}
      <ChainCheck key={tenantId} tenantId={tenantId} />
      <p className="quiet">
        Reads of single runs are counted, not recorded one by one. That you look at this page is in the log too.
      </p>
    </>
  )
}

function lookedAt({ next, head }: Page): string {
  return `None of the records from ${head.position} back to ${next} fits.`
}

function openRecord(query: URLSearchParams): number | undefined {
  const position = Number(query.get('record'))
  return Number.isSafeInteger(position) && position > 0 ? position : undefined
}

const NONE: ReadonlyMap<number, string> = new Map()

function useFaults(records: readonly AuditRecord[] | undefined, tenantId: string): ReadonlyMap<number, string> {
  const [found, setFound] = useState(NONE)
  useEffect(() => {
    let isHere = true
    setFound(NONE)
    if (records !== undefined && canHash())
      void faultsAmong(records, tenantId).then((faults) => {
        if (isHere) setFound(faults)
        return undefined
      })
    return () => {
      isHere = false
    }
  }, [records, tenantId])
  return found
}
