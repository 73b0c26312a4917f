/** Event rows: what a database's indexes and checks would refuse is reported before anything is added. */
import type { SealedEvent, StoredEvent } from '../../../ports/run-store.ts'
import type { MemoryRun } from './connect.ts'

/** The name of the first field that a unique index or a check of a database would refuse. */
export function brokenConstraint(run: MemoryRun, events: readonly SealedEvent[], nextSeq: number): string | undefined {
  if (events.some((event, index) => event.runSeq !== nextSeq + index)) return 'runSeq'
  const keys = new Set<string>()
  const slots = new Set<string>()
  for (const { idempotencyKey, chainHash, data, salt, terminalSlot } of events) {
    const key = keyText(idempotencyKey)
    if (idempotencyKey.length !== 32) return 'idempotencyKey'
    if (chainHash.length !== 32) return 'chainHash'
    if ((data === undefined) !== (salt === undefined)) return 'salt'
    if (run.keys.has(key) || keys.has(key)) return 'idempotencyKey'
    keys.add(key)
    if (terminalSlot === undefined) continue
    if (run.terminalSlots.has(terminalSlot) || slots.has(terminalSlot)) return 'terminalSlot'
    slots.add(terminalSlot)
  }
  return undefined
}

export function keyText(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
}

export function addEvent(run: MemoryRun, event: SealedEvent, now: number): StoredEvent {
  const { data, salt, terminalSlot } = event
  const stored: StoredEvent = Object.freeze({
    runSeq: event.runSeq,
    eventType: event.eventType,
    idempotencyKey: new Uint8Array(event.idempotencyKey),
    record: event.record,
    ...(data === undefined ? {} : { data }),
    ...(salt === undefined ? {} : { salt: new Uint8Array(salt) }),
    chainHash: new Uint8Array(event.chainHash),
    ...(terminalSlot === undefined ? {} : { terminalSlot }),
    persistedAt: now,
  })
  run.events.push(stored)
  run.keys.set(keyText(stored.idempotencyKey), stored)
  if (terminalSlot !== undefined) run.terminalSlots.add(terminalSlot)
  return stored
}
