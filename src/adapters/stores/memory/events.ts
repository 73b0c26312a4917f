/**
 * Events from outside and the waits for them (P-54). Sending looks for waits, opening a wait looks for kept events; each is
 * one transaction, so neither order loses an event.
 */
import { hash } from 'node:crypto'
import { noticeId, noticeText } from '../../../core/events/event-notice.ts'
import { LIMITS } from '../../../core/limits.ts'
import type { EventWaitChanges, EventWaitRow, NewEvent, SendAnswer } from '../../../ports/events.ts'
import { pair, type MemoryDisk, type MemoryRun, type MemorySentEvent } from './connect.ts'
import { insertRow } from './inbox.ts'
import { requireTenant } from './scope.ts'

export function sendEvent(disk: MemoryDisk, event: NewEvent, now: number): SendAnswer {
  const { tenantId, eventId, name, key, data, ttlMs } = event
  requireTenant(tenantId)
  const id = pair(tenantId, eventId)
  const known = disk.sentEvents.get(id)
  if (known !== undefined && known.expiresAt > now) {
    const isSame = known.name === name && known.key === key && hasData(known, data)
    return isSame ? { kind: 'duplicate', expiresAt: known.expiresAt } : { kind: 'conflict' }
  }
  const kept = [...disk.sentEvents.values()].filter((one) => one.tenantId === tenantId && one.expiresAt > now)
  if (kept.length >= LIMITS.eventsPerTenant) return { kind: 'full', of: 'tenant' }
  if (kept.filter((one) => one.name === name && one.key === key).length >= LIMITS.eventsPerKey)
    return { kind: 'full', of: 'key' }
  const sent = { tenantId, eventId, name, key, data, sentAt: now, expiresAt: now + ttlMs }
  disk.sentEvents.delete(id)
  disk.sentEvents.set(id, sent)
  const runs = disk.runs.filter((run) => run.row.tenantId === tenantId && tellWaits(run, sent, now))
  return { kind: 'sent', expiresAt: sent.expiresAt, runs: runs.map(({ row }) => row.runKey) }
}

function tellWaits(run: MemoryRun, event: MemorySentEvent, now: number): boolean {
  const waits = [...run.eventWaits.values()].filter((wait) => wait.name === event.name && wait.key === event.key)
  for (const wait of waits.sort(bySlot)) tell(run, wait, event, now)
  return waits.length > 0
}

function tell(run: MemoryRun, { slot, attempt }: EventWaitRow, event: MemorySentEvent, now: number): void {
  const notice = { ...event, slot, attempt }
  insertRow(run, { inboxId: noticeId(notice), kind: 'event', body: noticeText(notice) }, now)
}

function hasData(known: MemorySentEvent, data: string): boolean {
  return known.dataSha256 === undefined ? known.data === data : known.dataSha256 === hash('sha256', data)
}

/** Within a commit. */
export function changeEventWaits(disk: MemoryDisk, run: MemoryRun, changes: EventWaitChanges, now: number): void {
  if (changes.closed === 'all') run.eventWaits.clear()
  else for (const { slot, attempt } of changes.closed) run.eventWaits.delete(`${slot}#${attempt}`)
  for (const { slot, attempt, name, key } of changes.opened) {
    const wait = Object.freeze({ slot, attempt, name, key })
    run.eventWaits.set(`${slot}#${attempt}`, wait)
    for (const event of disk.sentEvents.values()) {
      const isIts = event.tenantId === run.row.tenantId && event.name === name && event.key === key
      if (isIts && event.expiresAt > now && event.dataSha256 === undefined) tell(run, wait, event, now)
    }
  }
}

export function readEventWaits(run: MemoryRun | undefined): readonly EventWaitRow[] {
  return [...(run?.eventWaits.values() ?? [])].sort(bySlot)
}

function bySlot(a: EventWaitRow, b: EventWaitRow): number {
  return a.slot === b.slot ? a.attempt - b.attempt : a.slot < b.slot ? -1 : 1
}

export function purgeEvents(disk: MemoryDisk, limit: number, now: number): number {
  const over = [...disk.sentEvents].filter(([, { expiresAt }]) => expiresAt <= now).slice(0, limit)
  for (const [id] of over) disk.sentEvents.delete(id)
  return over.length
}

/** Erasure of a run: the events that it was told of keep only what recognises a repeat. */
export function eraseEvents(disk: MemoryDisk, run: MemoryRun, upToSeq: number): void {
  for (const [id, event] of disk.sentEvents) {
    const isTold = [...run.inbox.values()].some(
      ({ row }) =>
        (row.consumedSeq ?? Infinity) <= upToSeq &&
        row.kind === 'event' &&
        row.inboxId.startsWith(`event:${event.eventId}:`),
    )
    if (event.tenantId !== run.row.tenantId || !isTold || event.dataSha256 !== undefined) continue
    disk.sentEvents.set(id, { ...event, data: 'null', dataSha256: hash('sha256', event.data) })
  }
}
