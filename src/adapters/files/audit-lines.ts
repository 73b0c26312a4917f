/** Audited refusals as files: one line each, by month, on disk before the call returns; lines are only ever added. */
import type { AuditTrail } from '../../ports/audit.ts'
import { fileReceiptLines } from './receipt-lines.ts'

const MONTH = 'YYYY-MM'.length

export function fileAudit(folder: string): AuditTrail {
  const lines = fileReceiptLines(folder)
  return { record: (entry) => lines.append(entry.at.slice(0, MONTH), JSON.stringify(entry)) }
}
