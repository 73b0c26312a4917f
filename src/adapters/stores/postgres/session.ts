/** How the files of this store talk to the database: a statement, or a transaction of several. */
import type { Columns } from './run-row.ts'

/** One statement after another. */
export interface Session {
  query(sql: string, values?: readonly unknown[]): Promise<readonly Columns[]>
}

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
