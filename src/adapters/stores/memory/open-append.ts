/**
 * The open append (P-15): no expected position; known keys return what is stored, the rest is numbered in the order of
 * the batch. Everything is sealed and checked before the first event is added: all or nothing (STO-29).
 */
import { hasContent } from '../../../core/events/event-content.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { OpenAppendResult, OpenWrite, RunRef, SealedEvent, StoredEvent } from '../../../ports/run-store.ts'
import type { AppendSettings } from './append.ts'
import type { MemoryDisk, MemoryRun } from './connect.ts'
import { addEvent, keyText } from './insert-events.ts'
import { liveByRef } from './read.ts'

type Seal<W> = (write: W, runSeq: number, previous: Uint8Array) => SealedEvent

export function appendOpen<W extends OpenWrite>(
  disk: MemoryDisk,
  ref: RunRef,
  writes: readonly W[],
  seal: Seal<W>,
  settings: AppendSettings,
): readonly OpenAppendResult[] {
  const run = liveByRef(disk, ref) ?? fail('RUN_NOT_FOUND', `There is no run ${ref.runId}.`)
  const added: StoredEvent[] = []
  const fresh = new Map<string, StoredEvent>()
  const results = writes.map((write) => {
    const key = Buffer.from(write.idempotencyKey, 'hex').toString('latin1')
    const known = run.keys.get(key) ?? fresh.get(key)
    if (known !== undefined) return resultOf(known, write, true)
    const stored = { ...sealNext(run, added, write, seal), persistedAt: settings.now }
    added.push(stored)
    fresh.set(keyText(stored.idempotencyKey), stored)
    return resultOf(stored, write, false)
  })
  if (added.length > 0) addAll(disk, run, added, settings)
  return results
}

function sealNext<W>(run: MemoryRun, before: readonly SealedEvent[], write: W, seal: Seal<W>): SealedEvent {
  const runSeq = run.row.nextSeq + before.length
  const sealed = seal(write, runSeq, before.at(-1)?.chainHash ?? run.row.headHash)
  if (sealed.runSeq !== runSeq)
    fail('SCHEMA_VALIDATION_FAILED', `An event came with runSeq ${sealed.runSeq}; the store assigned ${runSeq}.`)
  const { terminalSlot } = sealed
  const taken = terminalSlot !== undefined && run.terminalSlots.has(terminalSlot)
  if (taken || before.some((event) => terminalSlot !== undefined && event.terminalSlot === terminalSlot))
    fail('INVALID_TRANSITION', `The attempt ${terminalSlot} has already ended.`)
  return sealed
}

function addAll(disk: MemoryDisk, run: MemoryRun, events: readonly SealedEvent[], settings: AppendSettings): void {
  for (const event of events) addEvent(run, event, settings.now)
  run.row = Object.freeze({
    ...run.row,
    nextSeq: run.row.nextSeq + events.length + settings.burn,
    headHash: run.events.at(-1)?.chainHash ?? run.row.headHash,
    updatedAt: settings.now,
  })
  run.feedPos = ++disk.feedPos
}

function resultOf(stored: StoredEvent, write: OpenWrite, known: boolean): OpenAppendResult {
  const { eventId } = JSON.parse(stored.record) as { readonly eventId: string }
  const { runSeq, persistedAt } = stored
  const result = { runSeq, eventId, persistedAt, idempotent: known, persisted: !known }
  return known && !hasContent(stored, write.content) ? { ...result, conflict: true } : result
}
