/**
 * How the files of this store talk to the database: one statement, one statement for several callers, or a transaction.
 */
import type { InboxRow, RunKey } from '../../../ports/run-store.ts'
import type { ScopePause } from '../../../ports/scope-pauses.ts'
import type { Columns } from './run-row.ts'

/** One statement after another. Values given as a function are computed when a connection is ready to send them. */
export interface Session {
  query(sql: string, values?: Values): Promise<readonly Columns[]>
}

export type Values = readonly unknown[] | (() => readonly unknown[])

export interface Transaction extends Session {
  /** Several statements without parameters, such as a migration. */
  script(sql: string): Promise<void>
}

export interface Sessions extends Session {
  /** Host, port and name: what messages may show. */
  readonly database: string
  /** BEGIN … COMMIT on one connection. `work` runs again when the server rolled the transaction back. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
}

type Ask<Key, Answer> = (keys: () => readonly Key[]) => Promise<(key: Key) => Answer>

interface Asked<Key, Answer> {
  readonly keys: Set<Key>
  readonly answer: Promise<(key: Key) => Answer>
}

/**
 * One read for all who ask before it leaves: runs that advance in one turn of the event loop cost one round trip, not
 * one each. It leaves after the last of them asked, so no answer is older than its question.
 */
export class AskedTogether<Key, Answer> {
  readonly #ask: Ask<Key, Answer>
  #open: Asked<Key, Answer> | undefined

  /** `ask` calls `keys` when its read leaves: later callers wait for the next read. */
  constructor(ask: Ask<Key, Answer>) {
    this.#ask = ask
  }

  async of(key: Key): Promise<Answer> {
    const open = this.#open ?? this.#begin(key)
    open.keys.add(key)
    return (await open.answer)(key)
  }

  #begin(first: Key): Asked<Key, Answer> {
    const keys = new Set([first])
    let isOpen = true
    const close = (): void => {
      isOpen = false
      if (this.#open?.keys === keys) this.#open = undefined
    }
    const leave = (): readonly Key[] => {
      close()
      return [...keys]
    }
    // A read that failed before it left must not keep later callers waiting.
    const asked = { keys, answer: this.#ask(leave).finally(close) }
    if (isOpen) this.#open = asked
    return asked
  }
}

/** What a run reads at the beginning of its turn. */
export interface TurnReads {
  pauses(tenantId: string): Promise<readonly ScopePause[]>
  inboxRows(runKey: RunKey): Promise<readonly InboxRow[]>
}
