/** Requests with an idempotency key (IDC-06): one row per tenant, route and key, and one owner for it at a time. */
import type {
  IdempotencyStore,
  RequestAnswer,
  RequestRef,
  RequestTake,
  RequestTaken,
  SessionStore,
} from '../../../ports/idempotency.ts'
import type { RunRef } from '../../../ports/run-store.ts'
import { pair, type MemoryDisk, type MemoryRequest } from './connect.ts'
import { requireTenant } from './scope.ts'

export function idempotencyOf(disk: () => MemoryDisk): IdempotencyStore & SessionStore {
  return {
    takeRequest: async (take) => takeRequest(disk(), take),
    keepRequest: async (ref, owner, until) => changeHeld(disk(), ref, owner, (held) => ({ ...held, until })),
    noteExecution: async (ref, owner, executionId) =>
      changeHeld(disk(), ref, owner, (held) => ({ ...held, executionId })),
    answerRequest: async (ref, owner, answer, at) =>
      changeHeld(disk(), ref, owner, (held) => ({ ...held, answered: { answer: frozen(answer), at } })),
    dropRequest: async (ref, owner) => changeHeld(disk(), ref, owner, () => undefined),
    sweepRequests: async (before) => sweepRequests(disk(), before),
    endSession: async (tenantId, sessionId, endsAt) => {
      const answered = { answer: NO_ANSWER, at: endsAt }
      const ended = { tenantId, bodySha256: NO_BODY, owner: '', until: 0, answered }
      disk().requests.set(sessionKey(tenantId, sessionId), ended)
    },
    isSessionEnded: async (tenantId, sessionId) => disk().requests.has(sessionKey(tenantId, sessionId)),
  }
}

const NO_BODY = new Uint8Array(32)
const NO_ANSWER: RequestAnswer = Object.freeze({ status: 200, headers: Object.freeze({}), body: 'null' })

/** No route is called so. */
const SESSION_ROUTE = 'session'

function sessionKey(tenantId: string, sessionId: string): string {
  return keyOf({ tenantId, route: SESSION_ROUTE, key: sessionId })
}

function keyOf({ tenantId, route, key }: RequestRef): string {
  return pair(requireTenant(tenantId), pair(route, key))
}

function frozen({ status, headers, body }: RequestAnswer): RequestAnswer {
  return Object.freeze({ status, headers: Object.freeze({ ...headers }), body })
}

function takeRequest({ requests }: MemoryDisk, take: RequestTake): RequestTaken {
  const { bodySha256, owner, now, until, ttlMs } = take
  const key = keyOf(take)
  const found = requests.get(key)
  if (found?.answered !== undefined && now - found.answered.at <= ttlMs) {
    const { answer, at } = found.answered
    return { kind: 'answered', bodySha256: found.bodySha256, answer, answeredAt: at }
  }
  const left = found?.answered === undefined ? found : undefined
  const execution = left?.executionId === undefined ? {} : { executionId: left.executionId }
  if (left !== undefined && (left.until > now || Buffer.compare(left.bodySha256, bodySha256) !== 0))
    return { kind: 'in-flight', bodySha256: left.bodySha256, ...execution }
  requests.set(key, Object.freeze({ tenantId: take.tenantId, bodySha256, owner, until, ...execution }))
  return { kind: 'taken', ...execution }
}

function changeHeld(
  { requests }: MemoryDisk,
  ref: RequestRef,
  owner: string,
  change: (held: MemoryRequest) => MemoryRequest | undefined,
): boolean {
  const key = keyOf(ref)
  const held = requests.get(key)
  if (held === undefined || held.owner !== owner || held.answered !== undefined) return false
  const changed = change(held)
  if (changed === undefined) requests.delete(key)
  else requests.set(key, Object.freeze(changed))
  return true
}

function sweepRequests(disk: MemoryDisk, before: number): number {
  const over = [...disk.requests].filter(([, request]) =>
    request.answered === undefined
      ? request.until < before && !isGoingOn(disk, request, before)
      : request.answered.at < before,
  )
  for (const [key] of over) disk.requests.delete(key)
  return over.length
}

/** Its run goes on, or moved since. */
function isGoingOn({ byRef }: MemoryDisk, { tenantId, executionId = '' }: MemoryRequest, since: number): boolean {
  const row = byRef.get(pair(tenantId, executionId))?.row
  return row !== undefined && (!ENDED.has(row.status) || row.updatedAt >= since)
}

const ENDED: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED'])

/** An answer may hold the output of its run. One that is in flight holds nothing of it yet. */
export function eraseAnswers({ requests }: MemoryDisk, { tenantId, runId }: RunRef): void {
  for (const [key, { executionId, answered }] of requests)
    if (executionId === runId && answered !== undefined && key.startsWith(pair(tenantId, ''))) requests.delete(key)
}
