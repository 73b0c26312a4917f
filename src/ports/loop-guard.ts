/**
 * What keeps a process's leases while its event loop is stuck in a step's code, and says so: a thread of its own. The store
 * tells how that thread reaches it; a thread cannot share a connection.
 */

/** A module that exports `openRenewer`, and what to hand to it. */
export interface LeaseRenewal {
  readonly module: string
  readonly settings: unknown
}

export interface LeaseRenewer {
  /** Leases of this owner under which work is in flight are good for that long from now. */
  renew(owner: string, leaseMs: number): Promise<void>
}

export type OpenRenewer = (settings: unknown) => Promise<LeaseRenewer>

/** A step's code in the hands of this process. */
export interface GuardedWork {
  readonly runId: string
  readonly step: string
  /** It runs on the event loop itself. */
  readonly inline: boolean
}

/** Told when it is over. */
export interface LoopBlock {
  readonly forMs: number
  /** Steps that were at work on the loop, the latest first: one of these kept it. */
  readonly steps: readonly Omit<GuardedWork, 'inline'>[]
}
