/**
 * What an undoing run takes over from the other run: every finished result in order of completion, as a fork does, but
 * items and fallbacks with a compensation one by one, so that each is undone under its own slot.
 */
import { appendAll } from '../../core/collections/append-all.ts'
import type { ArtifactRef, EventData, LogRecord, Payload } from '../../core/events/event.ts'
import { TRAIT } from '../../core/plan/compile/graph.ts'
import { fail } from '../../core/problems/problem.ts'
import type { Unit } from '../../core/run/state/unit.ts'
import { hasTrait, isFanParent, locate } from '../../core/run/state/units.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { Blob } from '../values/offload.ts'
import { recordOf } from '../log/read-events.ts'
import { blobText } from '../values/read-results.ts'
import { recordedSlot } from '../rederive/recorded-decision.ts'
import type { ContextVariables } from '../values/run-context.ts'
import { logOf } from '../loaded/run-outputs.ts'
import { storedEvents } from '../log/stored-events.ts'
import { capturesOf, takenCaptures, type OldCapture } from './taken-captures.ts'
import { takenOver, type TakenOver } from './taken-over.ts'
import { planStepOf } from '../../core/events/slot-of.ts'

export async function takenForCompensation(store: RunStore, old: LoadedRun): Promise<readonly TakenOver[]> {
  const taker = new Taker(store, old)
  for await (const stored of storedEvents(store, old.row.runKey)) {
    if (stored.eventType !== 'StepCompleted' && stored.eventType !== 'FanOutExpanded') continue
    const record = recordOf(stored)
    if (!record.ok) return fail('RUN_QUARANTINED', `event ${stored.runSeq} of run ${old.row.runId} cannot be read`)
    await taker.take(record.value)
  }
  return taker.taken
}

class Taker {
  readonly #store: RunStore
  readonly #old: LoadedRun
  #context: ContextVariables
  /** Captures of items that are not taken over themselves, by step: they are recorded with the step's own result. */
  readonly #ofItems = new Map<string, OldCapture[]>()
  readonly taken: TakenOver[] = []

  constructor(store: RunStore, old: LoadedRun) {
    this.#store = store
    this.#old = old
    this.#context = old.plan.plan.context
  }

  async take(record: LogRecord): Promise<void> {
    const slot = recordedSlot(record)
    const unit = locate(this.#old.state, slot)?.unit
    if (unit === undefined) return
    const byItems = this.#isByItems(unit)
    if (record.eventType === 'FanOutExpanded') {
      if (byItems) this.taken.push(await this.#opened(slot, record))
      return
    }
    if (unit.outputSeq !== record.runSeq) return
    if (!isFanParent(this.#graph, unit)) {
      if (unit.item < 0 || byItems) this.taken.push(await this.#one(slot, unit, record))
      else this.#keepCaptures(record)
      return
    }
    // A fan-out that was opened here ends with its items; one that a fork took over as a whole has none.
    if (!byItems || unit.fan === undefined) await this.#whole(slot, unit)
  }

  get #graph(): LoadedRun['plan']['graph'] {
    return this.#old.plan.graph
  }

  #isByItems({ step }: Unit): boolean {
    return hasTrait(this.#graph, step, TRAIT.undone | TRAIT.childUndone)
  }

  #keepCaptures(record: LogRecord): void {
    const stepId = planStepOf(record) ?? ''
    const kept = this.#ofItems.get(stepId) ?? []
    appendAll(kept, capturesOf(record))
    this.#ofItems.set(stepId, kept)
  }

  #owner(unit: Unit): { readonly ownerRunId: string; readonly attempt?: number } {
    const { runId } = this.#old.identity
    if (unit.ownerRunId === '') return { ownerRunId: runId, attempt: unit.attempt }
    return { ownerRunId: unit.ownerRunId, ...(unit.ownerAttempt === 0 ? {} : { attempt: unit.ownerAttempt }) }
  }

  async #blob(sha256: string): Promise<Blob> {
    return { sha256, text: await blobText(logOf(this.#store, this.#old), sha256) }
  }

  async #opened(slot: string, record: LogRecord): Promise<TakenOver> {
    const items = record.payload as Payload<'FanOutExpanded'>
    const { runId } = this.#old.identity
    const result = { slot, runId, runSeq: record.runSeq, ownerRunId: runId, items, artifactRefs: [] }
    return { result, blobs: items.count === 0 ? [] : [await this.#blob(items.sha256)], writes: [] }
  }

  async #whole(slot: string, unit: Unit): Promise<void> {
    const captured = await this.#captured(this.#ofItems.get(slot) ?? [])
    const step = { stepId: slot, seq: unit.outputSeq, skipped: false, ownerRunId: unit.ownerRunId }
    this.taken.push(await takenOver(this.#store, this.#old, step, captured))
  }

  async #captured(recorded: readonly OldCapture[]): ReturnType<typeof takenCaptures> {
    const captured = await takenCaptures(this.#store, this.#old.row.runKey, recorded, this.#context)
    this.#context = captured.context
    return captured
  }

  /** As in the old log, with the blobs it names. */
  async #one(slot: string, unit: Unit, record: LogRecord): Promise<TakenOver> {
    const { artifactRefs, resultRef } = (record.payload ?? {}) as Partial<Payload<'StepCompleted'>>
    const captured = await this.#captured(capturesOf(record).map((one) => ({ ...one, isItem: false })))
    const value = record.data?.['result']
    const data: EventData = {
      ...(value === undefined ? {} : { result: value }),
      ...(captured.captures.length === 0 ? {} : { captureValues: captured.values }),
    }
    const blobs = [...(resultRef === undefined ? [] : [await this.#blob(resultRef.sha256)]), ...captured.blobs]
    const result = {
      slot,
      runId: this.#old.identity.runId,
      runSeq: record.runSeq,
      ...this.#owner(unit),
      artifactRefs: (artifactRefs ?? []) as readonly ArtifactRef[],
      ...(Object.keys(data).length === 0 ? {} : { data }),
      ...(resultRef === undefined ? {} : { resultRef }),
      ...(captured.captures.length === 0 ? {} : { captures: captured.captures }),
    }
    return { result, blobs, writes: captured.writes }
  }
}
