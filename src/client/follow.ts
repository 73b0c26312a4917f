/**
 * The log of a run as it is written, over as many connections as it takes: each goes on after the last event that arrived, so that
 * none is missed and none comes twice.
 */
import { streamExecution } from '../core/api/execution-log.ts'
import type { LogRecord } from '../core/events/event.ts'
import { readJsonText } from '../core/json/read-json-text.ts'
import { fail, KeelsonError } from '../core/problems/problem.ts'
import { respond } from './ask.ts'
import { backoffSeconds } from './backoff.ts'
import type { Connection } from './connection.ts'
import { messagesOf, type StreamMessage } from './event-stream.ts'

export interface FollowOptions {
  /** Ends the iteration with its reason. */
  readonly signal?: AbortSignal
  /** So many connections in a row that bring nothing, and it throws why. Default: it never gives up. */
  readonly tries?: number
}

/** What the stream says last, when no more will come. */
const END = 'end'
/** The server goes away, and comes back. */
const RECONNECT = 'reconnect'

export async function* followRun(
  connection: Connection,
  executionId: string,
  after = 0,
  options: FollowOptions = {},
): AsyncGenerator<LogRecord, void> {
  let last = after
  for (let failures = 0; ;) {
    let asked: number | undefined
    try {
      for await (const message of opened(connection, executionId, last, options)) {
        failures = 0
        if (message.event === END) return
        if (message.event === RECONNECT) asked = message.retryMs
        const record = recordIn(message)
        if (record === undefined || record.runSeq <= last) continue
        last = record.runSeq
        yield record
      }
    } catch (thrown) {
      if (!isPassing(thrown) || failures + 1 >= (options.tries ?? Infinity)) throw thrown
    }
    await connection.sleep(asked ?? backoffSeconds(failures) * 1_000, options.signal)
    failures += asked === undefined ? 1 : 0
  }
}

async function* opened(
  connection: Connection,
  executionId: string,
  last: number,
  { signal }: FollowOptions,
): AsyncGenerator<StreamMessage, void> {
  const { body } = await respond(connection, streamExecution, {
    params: { executionId },
    headers: last === 0 ? {} : { 'last-event-id': String(last) },
    ...(signal === undefined ? {} : { signal }),
  })
  if (body === null) return
  try {
    yield* messagesOf(body)
  } catch (thrown) {
    signal?.throwIfAborted()
    if (thrown instanceof KeelsonError) throw thrown
    // The connection broke off; the next one goes on.
    fail('SERVER_UNREACHABLE', `the stream of run ${executionId} broke off`)
  }
}

/** It may be better later; a refusal that stays is thrown. */
function isPassing(thrown: unknown): boolean {
  return thrown instanceof KeelsonError && thrown.problems[0].retryable
}

function recordIn({ data }: StreamMessage): LogRecord | undefined {
  const read = readJsonText(data)
  if (!read.ok) return fail('SERVER_NOT_KEELSON', `an event of the stream is not JSON: ${read.fault.message}`)
  const record = read.value as Partial<LogRecord> | null
  return typeof record?.runSeq === 'number' && typeof record.eventType === 'string' ? (record as LogRecord) : undefined
}
