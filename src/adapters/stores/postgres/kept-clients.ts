/**
 * Connections of the pool that are kept from one statement to the next: giving one back and asking for it again costs this process as
 * much as a small statement, mostly for timers. They go back to the pool as soon as another caller waits for a connection, and after
 * a moment without work.
 */
import type { Pool, PoolClient } from 'pg'
import { isConnectionUsable } from './failure.ts'

const IN_HAND_MS = 1_000

export class KeptClients {
  readonly #pool: Pool
  readonly #kept: PoolClient[] = []
  #timer: NodeJS.Timeout | undefined
  #isClosing = false

  constructor(pool: Pool) {
    this.#pool = pool
    // Without a listener a server that stops would crash the process, whether a connection is idle or in use.
    pool.on('error', () => undefined)
    pool.on('connect', (client) => client.on('error', (error) => this.#lost(client, error)))
  }

  async use<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = this.#kept.pop() ?? (await this.#pool.connect())
    try {
      const answer = await work(client)
      this.#keep(client)
      return answer
    } catch (error) {
      client.release(error instanceof Error && !isConnectionUsable(error) ? error : undefined)
      throw error
    }
  }

  /** From now on nothing is kept. */
  close(): void {
    this.#isClosing = true
    this.#giveBack()
  }

  #keep(client: PoolClient): void {
    if (this.#isClosing || this.#pool.waitingCount > 0) {
      client.release()
      return
    }
    this.#kept.push(client)
    this.#timer ??= setTimeout(() => this.#giveBack(), IN_HAND_MS).unref()
  }

  #giveBack(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const client of this.#kept.splice(0)) client.release()
  }

  /** One that is in use learns of it from its statement. */
  #lost(client: PoolClient, error: Error): void {
    const at = this.#kept.indexOf(client)
    if (at < 0) return
    this.#kept.splice(at, 1)
    client.release(error)
  }
}
