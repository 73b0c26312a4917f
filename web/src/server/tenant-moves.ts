/**
 * Which runs of the tenant moved, as the server tells it: one stream for the whole tab, however many parts of the page listen, over as
 * many connections as it takes, each from where the last one broke off. After `resync` a list must be read anew.
 */
import { streamTenant } from '../../../src/core/api/execution-log.ts'
import { readJsonText } from '../../../src/core/json/read-json-text.ts'
import { KeelsonError } from '../../../src/core/problems/problem.ts'
import { respond } from '../../../src/client/ask.ts'
import { backoffSeconds } from '../../../src/client/backoff.ts'
import type { Connection } from '../../../src/client/connection.ts'
import { messagesOf } from '../../../src/client/event-stream.ts'

export interface MovedRun {
  readonly executionId: string
  readonly status: string
  readonly state: string
  readonly lastEventSeq: number
  readonly updatedAt: string
}

export interface Listener {
  readonly moved: (runs: readonly MovedRun[]) => void
  /** Everything may have changed: at the beginning, and where the server cannot say what did. */
  readonly resync: () => void
}

/** The next page opens a moment after the last one is left: it goes on with the same stream. */
const LINGER_MS = 2_000

class SharedStream {
  readonly #listeners = new Map<Listener, (thrown: unknown) => void>()
  readonly #connection: Connection
  #following: AbortController | undefined
  #leaving: ReturnType<typeof setTimeout> | undefined
  #isOpen = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Rejects when the server refuses the stream; resolves when the listener leaves. */
  follow(listener: Listener, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return resolve()
      this.#listeners.set(listener, reject)
      clearTimeout(this.#leaving)
      signal.addEventListener('abort', () => {
        this.#listeners.delete(listener)
        if (this.#listeners.size === 0) this.#leaveSoon()
        resolve()
      })
      if (this.#following === undefined) this.#open()
      // It has said hello to others before.
      else if (this.#isOpen) listener.resync()
    })
  }

  #open(): void {
    const following = (this.#following = new AbortController())
    const all: Listener = {
      moved: (runs) => this.#each((one) => one.moved(runs)),
      resync: () => {
        this.#isOpen = true
        this.#each((one) => one.resync())
      },
    }
    followTenantStream(this.#connection, all, following.signal).catch((thrown: unknown) => {
      this.#end(following)
      for (const refuse of this.#listeners.values()) refuse(thrown)
    })
  }

  #each(tell: (listener: Listener) => void): void {
    for (const one of this.#listeners.keys()) tell(one)
  }

  #leaveSoon(): void {
    clearTimeout(this.#leaving)
    const following = this.#following
    this.#leaving = setTimeout(() => {
      if (following !== undefined) this.#end(following)
    }, LINGER_MS)
  }

  #end(following: AbortController): void {
    following.abort()
    if (this.#following !== following) return
    this.#following = undefined
    this.#isOpen = false
  }
}

const streams = new WeakMap<Connection, SharedStream>()

export function followTenant(connection: Connection, listener: Listener, signal: AbortSignal): Promise<void> {
  const shared = streams.get(connection) ?? new SharedStream(connection)
  streams.set(connection, shared)
  return shared.follow(listener, signal)
}

async function followTenantStream(connection: Connection, listener: Listener, signal: AbortSignal): Promise<void> {
  let lastId = ''
  for (let failures = 0; !signal.aborted; failures += 1) {
    let asked: number | undefined
    try {
      const headers = lastId === '' ? {} : { 'last-event-id': lastId }
      const { body } = await respond(connection, streamTenant, { headers, signal })
      if (body === null) return
      for await (const { event, data, id, retryMs } of messagesOf(body)) {
        failures = 0
        // Of a server that goes away the sleep finds out by itself when it is back; the tab itself comes back at once.
        if (event === 'reconnect' && retryMs === 0) asked = retryMs
        if (event === 'resync' || (event === 'hello' && lastId === '')) listener.resync()
        if (event === 'moved') listener.moved(runsIn(data))
        if (id !== '') lastId = id
      }
    } catch (thrown) {
      if (signal.aborted) return
      const isRefused = thrown instanceof KeelsonError && !thrown.problems[0].retryable
      if (isRefused) throw thrown
    }
    await connection.sleep(asked ?? backoffSeconds(failures) * 1_000, signal).catch(() => undefined)
  }
}

function runsIn(data: string): readonly MovedRun[] {
  const read = readJsonText(data)
  return read.ok ? (read.value as unknown as { readonly executions: readonly MovedRun[] }).executions : []
}
