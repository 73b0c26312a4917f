/**
 * Which runs of the tenant moved, as the server tells it: over as many connections as it takes, each from where the last one broke
 * off. After `resync` the list must be read anew.
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

export async function followTenant(connection: Connection, listener: Listener, signal: AbortSignal): Promise<void> {
  let lastId = ''
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      const headers = lastId === '' ? {} : { 'last-event-id': lastId }
      const { body } = await respond(connection, streamTenant, { headers, signal })
      if (body === null) return
      for await (const { event, data, id } of messagesOf(body)) {
        failures = 0
        if (event === 'resync' || (event === 'hello' && lastId === '')) listener.resync()
        if (event === 'moved') listener.moved(runsIn(data))
        if (id !== '') lastId = id
      }
    } catch (thrown) {
      if (signal.aborted) return
      const isRefused = thrown instanceof KeelsonError && !thrown.problems[0].retryable
      if (isRefused) throw thrown
    }
    await connection.sleep(backoffSeconds(failures) * 1_000, signal).catch(() => undefined)
  }
}

function runsIn(data: string): readonly MovedRun[] {
  const read = readJsonText(data)
  return read.ok ? (read.value as unknown as { readonly executions: readonly MovedRun[] }).executions : []
}
