/** How the files of this store talk to the database: a statement, several askers' one statement, or a transaction. */
import type { InboxRow, RunKey, ScopePause } from '../../../ports/run-store.ts'
import type { Columns } from './run-row.ts'

/** One statement after another. Values given as a function are asked for when there is a connection to send them on. */
export interface Session {
  query(sql: string, values?: Values): Promise<readonly Columns[]>
}

export type Values = readonly unknown[] | (() => readonly unknown[])

export interface Transaction extends Session {
  /** Several statements without parameters, such as a migration. */
  script(sql: string): Promise<void>
}

export interface Sessions extends Session {
  /** Host, port and name: what messages may say. */
  readonly database: string
  /** BEGIN … COMMIT on one connection. `work` runs again when the server gave the transaction up. */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
}

type Ask<Key, Answer> = (keys: () => readonly Key[]) => Promise<(key: Key) => Answer>

interface Asked<Key, Answer> {
  readonly keys: Set<Key>
  readonly answer: Promise<(key: Key) => Answer>
}

/**
 * One read for everybody who asks before it leaves: runs that go on in one turn of the loop cost one round trip, not one
 * each. It leaves after the last of them asked, so nobody's answer is older than the question.
 */
export class AskedTogether<Key, Answer> {
  readonly #ask: Ask<Key, Answer>
  #open: Asked<Key, Answer> | undefined

  /** `ask` calls `keys` when its read leaves: whoever asks from then on waits for the next one. */
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
    // One that failed before it left must not keep later askers waiting for it.
    const asked = { keys, answer: this.#ask(leave).finally(close) }
    if (isOpen) this.#open = asked
    return asked
  }
}

/** What a run asks for at the beginning of its turn. */
export interface TurnReads {
  pauses(tenantId: string): Promise<readonly ScopePause[]>
  letters(runKey: RunKey): Promise<readonly InboxRow[]>
}
