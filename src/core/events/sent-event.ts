/**
 * An event that somebody sends to a tenant, and steps wait for by its name and key (P-54). It is no event of a log: only
 * what became of it in a run is recorded there.
 */
import { LIMITS } from '../limits.ts'

export const EVENT_NAME = new RegExp(`^[A-Za-z0-9_.:/-]{1,${LIMITS.nameBytes}}$`)

/** As expressions of `match` see it. */
export interface SentEvent {
  readonly id: string
  readonly name: string
  /** Empty for an event without a key. */
  readonly key: string
  readonly data: unknown
}
