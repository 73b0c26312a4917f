/**
 * Triggers as a store keeps them: found by their tenant and name, or by the address that a sender was given, which alone tells whose they
 * are. Beside each the newest deliveries, with what became of them.
 */
export interface StoredTrigger {
  readonly tenantId: string
  /** Unique within its tenant. */
  readonly name: string
  /** Unique across tenants, and made by chance: nobody guesses it. */
  readonly address: string
  /** From 1. */
  readonly revision: number
  /** JSON. */
  readonly body: string
}

export interface StoredDelivery {
  /** Epoch milliseconds. */
  readonly at: number
  /** JSON. */
  readonly body: string
}

export interface TriggerStore {
  /** Stores it as the revision after `revision - 1`, or as the first; its address never changes. False: there is another revision, or none. */
  putTrigger(trigger: StoredTrigger): Promise<boolean>
  findTrigger(tenantId: string, name: string): Promise<StoredTrigger | undefined>
  /** Across tenants: the address decides the tenant. */
  findTriggerAt(address: string): Promise<StoredTrigger | undefined>
  /** By name, strictly after the name `after`. */
  listTriggers(tenantId: string, after: string, limit: number): Promise<readonly StoredTrigger[]>
  /** With its deliveries. False when the tenant has no such trigger. */
  deleteTrigger(tenantId: string, name: string): Promise<boolean>
  /** Beyond `keep` of one trigger the oldest go. Of a trigger that there is not nothing is kept. */
  noteDelivery(tenantId: string, name: string, delivery: StoredDelivery, keep: number): Promise<void>
  /** Newest first. */
  listDeliveries(tenantId: string, name: string, limit: number): Promise<readonly StoredDelivery[]>
}
