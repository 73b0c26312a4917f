/**
 * Events that somebody sends to a tenant, and the steps that wait for them (P-54). Sending and opening a wait each look for
 * the other in their own transaction, so that neither order loses an event.
 */
import type { NoticeParts } from '../core/events/event-notice.ts'
import type { RunKey } from './stored-run.ts'

export interface EventWaitRow {
  readonly slot: string
  readonly attempt: number
  readonly name: string
  /** Empty: events without a key. */
  readonly key: string
}

/** Part of a commit: what its StepStarteds wait for, and waits that its other events end. */
export interface EventWaitChanges {
  /** Each that is open already stays as it is. */
  readonly opened: readonly EventWaitRow[]
  /** `all`: the run has ended. */
  readonly closed: readonly Pick<EventWaitRow, 'slot' | 'attempt'>[] | 'all'
}

export interface NewEvent {
  readonly tenantId: string
  /** Unique per tenant while it is kept. */
  readonly eventId: string
  readonly name: string
  readonly key: string
  /** Canonical JSON. */
  readonly data: string
  /** How long it is kept, by the store's clock. */
  readonly ttlMs: number
}

export type SendAnswer =
  /** `runs`: those whose inbox got it. */
  | { readonly kind: 'sent'; readonly expiresAt: number; readonly runs: readonly RunKey[] }
  /** The same event was sent before. */
  | { readonly kind: 'duplicate'; readonly expiresAt: number }
  /** Another event has that id (EVENT_DUPLICATE). */
  | { readonly kind: 'conflict' }
  /** As many as may be are kept, of the tenant or of that name and key. */
  | { readonly kind: 'full'; readonly of: 'tenant' | 'key' }

/** The body of the inbox row by which a run is told. */
export type EventNotice = Omit<NoticeParts, 'data'> & { readonly data: unknown }

export interface EventStore {
  /** Keeps the event, and leaves a row in the inbox of every run that waits for its name and key, in one transaction. */
  sendEvent(event: NewEvent): Promise<SendAnswer>
  /** Open waits of a run, by slot and attempt. */
  readEventWaits(runKey: RunKey): Promise<readonly EventWaitRow[]>
  /** Deletes events whose time is over; answers how many. */
  purgeEvents(limit: number): Promise<number>
}
