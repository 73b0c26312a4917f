/** One record of the audit log in full: its text as it was hashed, and what hangs it into the chain. */
import type { ReactElement } from 'react'
import { auditSaid } from '../../../src/core/audit/audit-chain.ts'
import { runPath, setQuery } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { CopyButton } from '../shown/copy-button.tsx'
import { JsonValue } from '../shown/json-value.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { isOfRun, saidBy, type AuditRecord } from './audit-record.ts'
import { useAudit } from './use-audit.ts'

export interface RecordPanelProps {
  readonly position: number
  /** Where the page has it already. */
  readonly known: AuditRecord | undefined
}

export function RecordPanel({ position, known }: RecordPanelProps): ReactElement {
  return (
    <section className="preview" aria-label="The record">
      {known === undefined ? <Fetched position={position} /> : <Whole one={known} />}
      <button type="button" className="small" onClick={() => setQuery({ record: undefined }, 'step')}>
        Close
      </button>
    </section>
  )
}

/** A link may lead to a record that the filter leaves out. */
function Fetched({ position }: { readonly position: number }): ReactElement {
  const { page, error, again } = useAudit({ after: position - 1, before: position + 1, limit: 1 })
  const [one] = page?.records ?? []
  if (error !== undefined) return <Trouble error={error} retry={again} />
  if (page === undefined) return <p className="quiet">Loading …</p>
  return one === undefined ? <p>There is no record {position}.</p> : <Whole one={one} />
}

function Whole({ one }: { readonly one: AuditRecord }): ReactElement {
  const { position, type, hash, keyId, mac, record } = one
  const said = saidBy(one)
  const rows: readonly (readonly [string, string])[] = [
    ['hash', hash],
    ['of the record before', String(auditSaid(record)['previous'] ?? '')],
    [`signature (key ${keyId})`, mac],
  ]
  return (
    <>
      <h3>
        record {position}, <code>{type}</code>
      </h3>
      {isOfRun(said) && said.target !== '' ? (
        <p>
          <Link href={runPath(said.target)}>The run that it is about</Link>
        </p>
      ) : null}
      <JsonValue value={auditSaid(record)} label="What it says" />
      <dl className="standing hashes">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
      <p className="row-acts">
        <CopyButton text={JSON.stringify(one)} words="Copy as a line" />
        <span className="quiet">
          The signature is checked where its key is: <code>keelson verify --audit</code>.
        </span>
      </p>
    </>
  )
}
