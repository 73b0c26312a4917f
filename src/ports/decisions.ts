/**
 * What was decided about each signal, stored before it is applied (AUT-01, AUT-02). A record and the inbox row by which its run is told
 * are written in one transaction: neither is there without the other. Records outlive the archival of their run (AUT-11).
 */
import type { InboxInsert, InboxRow } from './run-sides.ts'

/** PENDING: it waits for a second person (AUT-04). */
export type SignalDecision = 'ACCEPTED' | 'REJECTED' | 'REVISION_REQUIRED' | 'PENDING'

export interface SignalDecisionRecord {
  /** Unique in its tenant. */
  readonly signalDecisionId: string
  /** Chosen by the sender; unique in its run. */
  readonly signalId: string
  readonly runId: string
  readonly decision: SignalDecision
  readonly reason?: string
  /** A registered code, for decisions that refuse. */
  readonly reasonCode?: string
  readonly policyDecisionId: string
  readonly audit: {
    readonly actorId: string
    readonly actorRole: string
    readonly tenantId: string
    readonly timestamp: number
    /** The sender's justification. */
    readonly reason?: string
    readonly sourceIp?: string
  }
  readonly signalType: string
  /** JSON text; empty after erasure. */
  readonly signalPayload: string
  /** Hex of SHA-256(signalPayload), after erasure only: enough to recognise a repeat. */
  readonly payloadSha256?: string
  readonly engineProcessedAt?: number
  readonly engineResult?: EngineResult
  readonly approvalRequired?: boolean
  readonly approvedBy?: string
  readonly approvalTimestamp?: number
}

export interface EngineResult {
  readonly status: 'success' | 'failure'
  readonly errorCode?: string
}

export type RecordAnswer =
  | { readonly kind: 'recorded' }
  /** The run has a decision about that signal, or the tenant one of that id. Compare its content: it may be another signal. */
  | { readonly kind: 'exists'; readonly record: SignalDecisionRecord }
  /** The tenant has no such run, or it was archived and has no inbox. */
  | { readonly kind: 'no-run' }
  /** The run's inbox has another row of that id; nothing was stored. */
  | { readonly kind: 'conflict'; readonly row: InboxRow }

export interface Settlement {
  readonly decision: 'ACCEPTED' | 'REJECTED'
  readonly approvedBy: string
  readonly approvalTimestamp: number
  /** Takes the place of the record's own. */
  readonly reason?: string
}

export type SettleAnswer =
  | { readonly kind: 'settled'; readonly record: SignalDecisionRecord }
  /** It was not pending; the record is as somebody else left it. */
  | { readonly kind: 'already'; readonly record: SignalDecisionRecord }
  | { readonly kind: 'no-decision' }
  | Extract<RecordAnswer, { readonly kind: 'no-run' | 'conflict' }>

export type DecisionRef =
  | { readonly runId: string; readonly signalId: string }
  | { readonly signalDecisionId: string }
  | { readonly policyDecisionId: string }

export interface DecisionFilter {
  readonly runId?: string
  readonly state?: 'PENDING'
}

export interface DecisionPage {
  readonly decisions: readonly SignalDecisionRecord[]
  /** Opaque; pass it for the next page. */
  readonly next?: string
}

export interface DecisionStore {
  /** The tenant is that of `record.audit`. Without an inbox row the run only has to be known. */
  recordDecision(record: SignalDecisionRecord, inboxRow?: InboxInsert): Promise<RecordAnswer>
  findDecision(tenantId: string, ref: DecisionRef): Promise<SignalDecisionRecord | undefined>
  /** Oldest timestamp first, then in the order of storage. */
  listDecisions(
    tenantId: string,
    filter: DecisionFilter,
    page: { readonly limit: number; readonly cursor?: string },
  ): Promise<DecisionPage>
  /** From PENDING only, once, whoever else tries; with the inbox row in the same transaction. */
  settleDecision(
    tenantId: string,
    signalDecisionId: string,
    settlement: Settlement,
    inboxRow?: InboxInsert,
  ): Promise<SettleAnswer>
  /** What the engine made of it. False: there is no such record, or it has a result already. */
  noteResult(
    tenantId: string,
    signalDecisionId: string,
    engineProcessedAt: number,
    engineResult: EngineResult,
  ): Promise<boolean>
}
