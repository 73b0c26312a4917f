/** A route of the table with what carries it out. A handler translates and calls the library; it decides nothing, and it checks no right. */
import type { Caller } from '../../../app/identity/caller.ts'
import type { BodyOf, Contract, ParamsOf, QueryOf } from '../../../core/api/contract.ts'
import type { Keelson } from '../../../library/keelson/keelson.ts'
import type { World } from './world.ts'

export interface Asked<C extends Contract = Contract> {
  readonly caller: Caller
  /** Keelson on behalf of the caller: its tenant's runs and no others. */
  readonly keelson: Keelson
  readonly world: World
  readonly params: ParamsOf<C>
  readonly query: QueryOf<C>
  readonly body: BodyOf<C>
  /** The bytes of the body, for limits and fingerprints. */
  readonly bodyBytes: Uint8Array
  /** One header by its name in lower case. */
  readonly header: (name: string) => string | undefined
  readonly correlationId: string
  /** Aborted when the caller has gone. */
  readonly gone: AbortSignal
}

export interface Reply {
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Each a whole `Set-Cookie`. */
  readonly cookies?: readonly string[]
  /** Sent as JSON. */
  readonly body?: unknown
  /** The tag of the body is sent with it, and a caller who has it gets 304 (API-12). */
  readonly tag?: 'strong' | 'weak'
  /** What the audit log says it was about, where neither the address nor the body does. */
  readonly target?: string
  /** Why they did it, for the audit log: a word of a closed list. */
  readonly because?: string
  /** Nothing happened that anybody would look for later: it is counted, and not recorded one by one. */
  readonly isQuiet?: boolean
  /** Instead of a body: text or bytes as they come, of this type. */
  readonly text?: { readonly type: string; readonly chunks: AsyncIterable<string | Uint8Array> }
}

export interface BoundRoute {
  readonly contract: Contract
  readonly handle: (asked: Asked) => Promise<Reply> | Reply
}

/** Binds a handler to its row, with the types of the row. */
export function bind<C extends Contract>(
  contract: C,
  handle: (asked: Asked<NoInfer<C>>) => Promise<Reply> | Reply,
): BoundRoute {
  return { contract, handle: handle as BoundRoute['handle'] }
}
