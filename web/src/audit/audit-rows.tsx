/** Records of the audit log as rows: who did what to what, and how it ended. What does not fit its hash is marked. */
import { Fragment, type ReactElement } from 'react'
import { msFromIso } from '../../../src/core/time.ts'
import { setQuery } from '../address/address.ts'
import { StateChip } from '../shown/state-mark.tsx'
import { When } from '../shown/when.tsx'
import { outcomeOf, saidBy, type AuditRecord } from './audit-record.ts'

export interface AuditRowsProps {
  readonly records: readonly AuditRecord[]
  readonly faults: ReadonlyMap<number, string>
  /** The position of the record that is shown in full. */
  readonly open: number | undefined
  readonly now: number
}

export function AuditRows({ records, faults, open, now }: AuditRowsProps): ReactElement {
  return (
    <table className="listing audit-rows">
      <thead>
        <tr>
          <th scope="col">record</th>
          <th scope="col">when</th>
          <th scope="col">who</th>
          <th scope="col">what</th>
          <th scope="col" className="wide">
            about
          </th>
          <th scope="col">outcome</th>
        </tr>
      </thead>
      <tbody>
        {records.map((one) => (
          <Row key={one.position} one={one} fault={faults.get(one.position)} isOpen={one.position === open} now={now} />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps {
  readonly one: AuditRecord
  readonly fault: string | undefined
  readonly isOpen: boolean
  readonly now: number
}

function Row({ one, fault, isOpen, now }: RowProps): ReactElement {
  const said = saidBy(one)
  const { at, actor, action, call, target, reasonCode, count } = said
  return (
    <tr className={isOpen ? 'chosen' : undefined}>
      <td className="number">
        <button
          type="button"
          className="small"
          aria-label={`Record ${one.position}`}
          aria-expanded={isOpen}
          onClick={() => setQuery({ record: isOpen ? undefined : String(one.position) }, 'step')}
        >
          {one.position}
        </button>
      </td>
      <td>
        <When at={at} now={Math.max(now, msFromIso(at) ?? now)} />
      </td>
      <td className="cut">{actor}</td>
      <td>
        <code>
          {action.split('_').map((part, index) => (
            <Fragment key={index}>
              {index === 0 ? '' : '_'}
              <wbr />
              {part}
            </Fragment>
          ))}
        </code>{' '}
        <span className="quiet call">
          {call}
          {count === '' ? '' : ` ${count} times`}
        </span>
      </td>
      <td className="wide cut">
        <code>{target}</code>
      </td>
      <td>
        <StateChip look={outcomeOf(said)} /> {reasonCode === '' ? null : <code>{reasonCode}</code>}
        {fault === undefined ? null : (
          <p className="altered">
            <StateChip look={{ word: 'altered', shape: 'cross', tone: 'bad' }} /> {fault}
          </p>
        )}
      </td>
    </tr>
  )
}
