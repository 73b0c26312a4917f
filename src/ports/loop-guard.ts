/**
 * Keeps a process's leases while a step's code blocks its event loop, and reports that: a separate thread. The store
 * says how that thread reaches it, because threads cannot share a connection.
 */

/** A module that exports `openRenewer`, and the argument for it. */
export interface LeaseRenewal {
  readonly module: string
  readonly settings: unknown
}

export interface LeaseRenewer {
  /** Extends the leases of this owner that have work in flight to that long from now. */
  renew(owner: string, leaseMs: number): Promise<void>
}

export type OpenRenewer = (settings: unknown) => Promise<LeaseRenewer>

/** A step's code that this process executes. */
export interface GuardedWork {
  readonly runId: string
  readonly step: string
  /** It runs on the event loop itself. */
  readonly inline: boolean
}

/** Reported when it is over. */
export interface LoopBlock {
  readonly forMs: number
  /** Steps that ran on the loop, the latest first: one of these blocked it. */
  readonly steps: readonly Omit<GuardedWork, 'inline'>[]
}
