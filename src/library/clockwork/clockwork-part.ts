/** The parts of what a server does by the clock, and what they are given. */
import type { Authorizer } from '../../ports/authorizer.ts'

/** What the parts are given beside Keelson. */
export interface ClockworkWorld {
  /** Asked about every signal that is sent in somebody's name. */
  readonly authorizer: Authorizer
}

/** One part of what a server does by the clock. */
export interface ClockworkPart {
  readonly name: string
  /** Does it do its work? */
  working(): boolean
  /** While it does not: a registered code, where one is known. */
  why?(): string | undefined
  close(): Promise<void>
}
