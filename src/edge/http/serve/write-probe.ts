/**
 * Whether the store takes a write: a disk that is full, or a database that only reads, still answers every question. A row is taken as
 * a request with an idempotency key takes it, and given back, so that nothing stays; whoever dies between the two leaves a row that is swept
 * with those of requests.
 */
import { randomUUID } from 'node:crypto'
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import type { IdempotencyStore } from '../../../ports/idempotency.ts'

type Writable = Pick<IdempotencyStore, 'takeRequest' | 'dropRequest'>

/** Anybody may ask whether a server is ready, as often as they like: that costs two writes in this time at most. */
const PROBE_MS = 1_000
/** No route is called so. */
const ROUTE = 'readyz'
const NO_BODY = new Uint8Array(32)

interface Probe {
  readonly at: number
  readonly written: Promise<void>
}

const probes = new WeakMap<Writable, Probe>()

/** Rejects as the write did. One that hangs is waited for by all who ask, and not begun again. */
export function probeWrite(store: Writable, now: number): Promise<void> {
  const last = probes.get(store)
  if (last !== undefined && now - last.at < PROBE_MS) return last.written
  const written = writeOnce(store, now)
  const probe = { at: Infinity, written }
  const settled = (): void => void probes.set(store, { at: now, written })
  probes.set(store, probe)
  written.then(settled, settled)
  return written
}

async function writeOnce(store: Writable, now: number): Promise<void> {
  const id = randomUUID()
  const ref = { tenantId: LOCAL_PRINCIPAL.tenantId, route: ROUTE, key: id }
  const lease = { owner: id, now, until: now + PROBE_MS, ttlMs: PROBE_MS }
  await store.takeRequest({ ...ref, bodySha256: NO_BODY, ...lease })
  await store.dropRequest(ref, id)
}
