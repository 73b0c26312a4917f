/** The log of one run as a program reads it: its records, what is wrong with it, and its fold as it is now. */
import { damageTrouble, withDamage, troubleOf, type RunTrouble } from '../../app/loaded/run-trouble.ts'
import type { LoadedRun } from '../../app/loaded/load-run.ts'
import { readSoundLog } from '../../app/loaded/sound-log.ts'
import { recordOf } from '../../app/log/read-events.ts'
import { storedEvents } from '../../app/log/stored-events.ts'
import type { LogRecord } from '../../core/events/event.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import { fail } from '../../core/problems/problem.ts'
import type { RunRow, RunStatus, StoredEvent } from '../../ports/run-store.ts'
import type { ReadingParts } from '../parts.ts'

const LOOK_MS = 250

/** A page of the log, and how the run stood before it was read. */
export interface LogTail {
  readonly records: readonly LogRecord[]
  readonly lastEventSeq: number
  readonly status: RunStatus
}

export class RunLog {
  readonly #parts: ReadingParts
  readonly #row: RunRow

  constructor(parts: ReadingParts, row: RunRow) {
    this.#parts = parts
    this.#row = row
  }

  /** Has the run ended by now? */
  async hasEnded(): Promise<boolean> {
    const now = await this.#parts.services.store.getRun(this.#row.runKey)
    return now !== undefined && isTerminalRun(now.status)
  }

  /** The number of its last event. */
  async headSeq(): Promise<number> {
    return ((await this.#parts.services.store.getRun(this.#row.runKey)) ?? this.#row).nextSeq - 1
  }

  /** Why its log cannot be used, and how far it is sound: it was archived or set aside. Undefined: it can. */
  async trouble(): Promise<RunTrouble | undefined> {
    const { services, advancer } = this.#parts
    const now = await services.store.getRun(this.#row.runKey)
    return now === undefined ? undefined : troubleOf({ store: services.store, plans: advancer.plans }, now)
  }

  /** What in its log was altered, and up to which event it is sound; undefined when nothing was. Reads the whole log. */
  async damage(): Promise<{ readonly soundSeq: number; readonly what: string } | undefined> {
    const { services, advancer } = this.#parts
    const now = (await services.store.getRun(this.#row.runKey)) ?? this.#row
    if (now.archivedAt !== undefined) return undefined
    const { seq, damage } = await readSoundLog(services.store, advancer.plans, now)
    return damage === undefined ? undefined : { soundSeq: seq, what: damage }
  }

  async needUsable(): Promise<void> {
    const trouble = await this.trouble()
    if (trouble !== undefined) throw trouble.error
  }

  /** The run's log, from the first event. Of a run that was set aside only what `upToSeq` names can be had: its sound part. */
  async records(afterSeq = 0, upToSeq = Infinity): Promise<readonly LogRecord[]> {
    if (upToSeq === Infinity) await this.needUsable()
    const records: LogRecord[] = []
    for await (const stored of storedEvents(this.#parts.services.store, this.#row.runKey, afterSeq)) {
      if (stored.runSeq > upToSeq) break
      records.push(await this.#record(stored))
    }
    return records
  }

  /** At most `limit` records after an event. */
  async page(afterSeq: number, limit: number): Promise<readonly LogRecord[]> {
    await this.needUsable()
    const page = await this.#parts.services.store.readEvents(this.#row.runKey, { afterSeq, limit })
    return Promise.all(page.map((stored) => this.#record(stored)))
  }

  /** The same, with how the run stood: it has ended when its status says so and the page reaches its last event. */
  async tail(afterSeq: number, limit: number): Promise<LogTail> {
    const { services, advancer } = this.#parts
    const { store } = services
    // Before the page: the last event is on record by the time the run has ended.
    const now = await store.getRun(this.#row.runKey)
    if (now === undefined) return fail('RUN_NOT_FOUND', `no run ${this.#row.runId}`)
    const trouble = await troubleOf({ store, plans: advancer.plans }, now)
    if (trouble !== undefined) throw trouble.error
    const page = await store.readEvents(this.#row.runKey, { afterSeq, limit })
    const records = await Promise.all(page.map((stored) => this.#record(stored)))
    return { records, lastEventSeq: now.nextSeq - 1, status: now.status }
  }

  async #record(stored: StoredEvent): Promise<LogRecord> {
    const record = recordOf(stored)
    if (record.ok) return record.value
    const { services, advancer } = this.#parts
    const now = (await services.store.getRun(this.#row.runKey)) ?? this.#row
    throw (await damageTrouble({ store: services.store, plans: advancer.plans }, withDamage(now))).error
  }

  /**
   * The run's log from the first event (or after one) to its end, as it is written; ends early when Keelson closes. Of a run
   * that was set aside it gives the sound part, then throws RUN_QUARANTINED.
   */
  async *events(afterSeq = 0): AsyncGenerator<LogRecord, void> {
    const { services, moves } = this.#parts
    const { runKey } = this.#row
    for (let after = afterSeq; !moves.isClosed;) {
      // Asked for before the page is read: the last event is on record by the time the run has ended.
      const hasEnded = await this.hasEnded()
      const trouble = await this.trouble()
      if (trouble !== undefined) {
        yield* await this.records(after, trouble.soundSeq)
        throw trouble.error
      }
      // Before the look at the log: what is written after it wakes us.
      const { moved, forget } = moves.next(runKey, LOOK_MS)
      try {
        const page = await services.store.readEvents(runKey, { afterSeq: after })
        for (const stored of page) yield await this.#record(stored)
        after = page.at(-1)?.runSeq ?? after
        if (page.length === 0 && hasEnded) return
        if (page.length === 0) await moved
      } finally {
        forget()
      }
    }
  }

  /** The fold as the log has it now, also when another process drives the run. */
  async fresh(): Promise<LoadedRun> {
    const { advancer, services } = this.#parts
    const known = await advancer.current(this.#row.runKey)
    const row = await services.store.getRun(this.#row.runKey)
    const isOld = row !== undefined && (row.nextSeq !== known.nextSeq || row.quarantine !== undefined)
    if (!isOld) return known
    advancer.forget(this.#row.runKey)
    return advancer.current(this.#row.runKey)
  }
}
