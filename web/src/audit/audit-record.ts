/** A record of the audit log as the page shows it: what its text says, which is what was hashed. */
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { listAudit } from '../../../src/core/api/audit.ts'
import { auditSaid } from '../../../src/core/audit/audit-chain.ts'
import type { Look } from '../shown/states.ts'

export type AuditPage = AnswerOf<typeof listAudit>
export type AuditRecord = AuditPage['records'][number]

export interface Said {
  readonly at: string
  readonly actor: string
  readonly action: string
  readonly call: string
  readonly target: string
  readonly decision: string
  readonly reasonCode: string
  readonly count: string
}

export function saidBy({ record }: AuditRecord): Said {
  const said = auditSaid(record)
  const text = (name: string): string => {
    const value = said[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
  return {
    at: text('at'),
    actor: text('actorId'),
    action: text('action'),
    call: text('call'),
    target: text('target'),
    decision: text('decision'),
    reasonCode: text('reasonCode'),
    count: text('count'),
  }
}

/** A granted act may have failed all the same: then its record has a code. */
export function outcomeOf({ decision, reasonCode, count }: Said): Look {
  if (decision === 'DENIED') return { word: 'denied', shape: 'slash', tone: 'bad' }
  if (decision === 'GRANTED' && reasonCode !== '') return { word: 'failed', shape: 'cross', tone: 'held' }
  if (decision === 'GRANTED') return { word: 'granted', shape: 'check', tone: 'good' }
  return { word: count === '' ? 'noted' : 'counted', shape: 'ring', tone: 'idle' }
}

/** What it was about is a run. */
export function isOfRun({ action }: Said): boolean {
  return /^(?:RUN_|SIGNAL_|TASK_)/.test(action)
}
