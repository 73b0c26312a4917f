/**
 * Audited refusals as files: one line each, one file per month, on disk before the call returns; lines are only added.
 */
import type { AuditTrail } from '../../ports/audit.ts'
import { fileReceiptLines } from './receipt-lines.ts'

const MONTH = 'YYYY-MM'.length

export function fileAudit(folder: string): AuditTrail {
  const lines = fileReceiptLines(folder)
  return { record: (entry) => lines.append(entry.at.slice(0, MONTH), JSON.stringify(entry)) }
}
