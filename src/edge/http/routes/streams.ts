/** Streams: the log of a run, and which runs of the tenant moved (server-sent events). */
import * as api from '../../../core/api/execution-log.ts'
import { isOfMachine } from '../../../core/problems/outside.ts'
import { fail, KeelsonError } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import { bind, type Asked, type BoundRoute, type Reply } from '../serve/bound-route.ts'
import { runStream } from '../stream/run-stream.ts'
import type { Seat } from '../stream/seats.ts'
import { lastEventId, messageText, RECONNECT, SSE_HEADERS, SSE_TYPE } from '../stream/sse.ts'
import { endWithCaller } from '../stream/still-known.ts'
import { streamsOf } from '../stream/streams-of.ts'
import { openTenantStream } from '../stream/tenant-stream.ts'
import { failureOf } from '../wire/failure.ts'
import { statusOf } from '../wire/status.ts'

export const STREAMS: readonly BoundRoute[] = [
  bind(api.streamExecution, (asked) => seated(asked, (seat) => ofRun(asked, seat))),
  bind(api.streamTenant, (asked) => seated(asked, (seat) => ofTenant(asked, seat))),
]

async function ofRun(asked: Asked<typeof api.streamExecution>, seat: Seat): Promise<AsyncIterable<string>> {
  const { keelson, params, query, header, world } = asked
  const run = await keelson.run(params.executionId)
  const after = seqOf(lastEventId(header)) ?? query.after ?? 0
  const last = run.row.nextSeq - 1
  if (after > last)
    fail('HEADER_INVALID', `the run has ${last} events; it cannot be followed after event ${after}`, {
      details: { lastEventSeq: last },
    })
  // Refused with its reason before anything is sent.
  if (run.row.quarantine !== undefined) await run.tail(after, 1)
  const { tail, leave } = streamsOf(world).tails.watch(run, () => seat.poke())
  seat.onFree(leave)
  await tail.after(after)
  return runStream({ executionId: run.runId, tail, seat, after, failed: (thrown) => failedText(asked, thrown) })
}

/** The number of an event, as the stream sent it. */
function seqOf(id: string | undefined): number | undefined {
  if (id === undefined) return undefined
  if (!/^(0|[1-9][0-9]{0,15})$/.test(id)) fail('HEADER_INVALID', 'Last-Event-ID is not the number of an event')
  return Number(id)
}

function ofTenant(asked: Asked<typeof api.streamTenant>, seat: Seat): Promise<AsyncIterable<string>> {
  const { caller, header, world } = asked
  const { tenants, places, idPrefix } = streamsOf(world)
  const { movesMs } = world.streams
  const failed = (thrown: unknown): string => failedText(asked, thrown)
  const { tenantId } = caller
  return openTenantStream({ tenants, tenantId, seat, places, idPrefix, movesMs, failed }, lastEventId(header))
}

/** Whatever is refused gives the seat back. */
async function seated(
  asked: Pick<Asked, 'world' | 'caller' | 'gone' | 'header'>,
  open: (seat: Seat) => Promise<AsyncIterable<string>>,
): Promise<Reply> {
  const { world, caller, gone } = asked
  const seat = streamsOf(world).seats.take(caller, gone)
  try {
    const chunks = await open(seat)
    endWithCaller(asked, seat)
    return { headers: SSE_HEADERS, text: { type: SSE_TYPE, chunks } }
  } catch (thrown) {
    seat.free()
    throw thrown
  }
}

const TEMPORARY = 500

/** In the middle of a stream: what cannot be helped is told; after anything else the reader comes back. */
function failedText({ world, correlationId }: Pick<Asked, 'world' | 'correlationId'>, thrown: unknown): string {
  if (!(thrown instanceof KeelsonError) || isOfMachine(thrown.code)) world.tell(thrown, correlationId)
  if (!(thrown instanceof KeelsonError) || statusOf(thrown.code) >= TEMPORARY) return RECONNECT
  const { body } = failureOf(thrown, { timestamp: isoFromMs(world.now()), correlationId }, false)
  return messageText({ event: 'trouble', data: body })
}
