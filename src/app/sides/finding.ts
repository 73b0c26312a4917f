/** One fault in what is stored, as verification reports it. */
import type { ProblemCode } from '../../core/problems/registry.ts'

export interface EvidenceFinding {
  readonly code: Extract<
    ProblemCode,
    | 'VALUE_MISSING'
    | 'VALUE_ALTERED'
    | 'ROW_ALTERED'
    | 'ERASURE_UNSIGNED'
    | 'RUN_MISSING'
    | 'RECEIPT_MISSING'
    | 'RECEIPT_INVALID'
    | 'STORE_ALTERED'
    | 'PLAN_ALTERED'
    | 'AUDIT_ALTERED'
    | 'PLAN_INTEGRITY_VALIDATION_FAILED'
    | 'RUN_UNPROVED'
  >
  readonly message: string
  /** The event it is about. */
  readonly runSeq?: number
}

export function altered(message: string, runSeq?: number): EvidenceFinding {
  return { code: 'ROW_ALTERED', message, ...(runSeq === undefined ? {} : { runSeq }) }
}
