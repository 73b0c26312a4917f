/** What belongs to a run beside its events: inbox rows, captured variables, cached folds, begin-claims. */
export interface InboxInsert {
  /** `signal:<id>`, `manual:<hash>`, `child:<runId>`, `outcome:<effectId>`, `approve:<id>`, `scope:<id>` … (P-21). */
  readonly inboxId: string
  readonly kind: string
  /** JSON text. */
  readonly body: string
}
export interface InboxRow extends InboxInsert {
  readonly insertedAt: number
  readonly consumedSeq?: number
}

export interface ContextWrite {
  readonly variable: string
  readonly seq: number
  /** JSON text of the merged value of this top-level variable as of `seq`. */
  readonly value: string
}

export type CheckpointKind = 'state' | 'view'
export interface StoredCheckpoint {
  readonly kind: CheckpointKind
  readonly seq: number
  readonly rulesVersion: number
  readonly body: string
}

export interface StepClaim {
  readonly slot: string
  readonly attempt: number
  readonly claimant: string
}
