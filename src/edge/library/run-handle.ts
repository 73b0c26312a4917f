/**
 * One run in the hands of a program: its result, its log, its tasks, and the signals that steer it.
 */
import type { RunAdvancer } from '../../app/advance-run.ts'
import {
  completeTask,
  listTasks,
  type CompletionAnswer,
  type OpenTask,
  type TaskCompletion,
} from '../../app/manual-tasks.ts'
import { deliverSignal } from '../../app/deliver-signal.ts'
import { explainAt } from '../../app/explain-at.ts'
import { explainSlot } from '../../app/explain-slot.ts'
import { recordOf } from '../../app/read-events.ts'
import { listedArtifacts, type ListedArtifact } from '../../app/run-artifacts.ts'
import { damageTrouble, troubleOf, type RunTrouble } from '../../app/run-trouble.ts'
import { readRunContext } from '../../app/read-run-context.ts'
import { getSnapshot } from '../../app/read-snapshot.ts'
import { relatedRuns, type RelatedRuns } from '../../app/related-runs.ts'
import type { SignalAnswer } from '../../app/signal-run.ts'
import type { ForeignRecord } from '../../core/events/event.ts'
import { fail } from '../../core/problems/problem.ts'
import type { Cause } from '../../core/run/explain.ts'
import type { SignalType } from '../../core/run/signals.ts'
import type { RunSnapshot } from '../../core/view/run-snapshot.ts'
import { stepOutputOf, type StepOutput } from '../../core/view/step-output.ts'
import { isSettled, isTerminalRun, type RunStatus } from '../../core/run/transitions.ts'
import type { RunEnd } from '../../ports/engine.ts'
import type { RunContext } from '../../ports/run-context.ts'
import type { RunRow, StoredEvent } from '../../ports/run-store.ts'
import type { Parts } from './parts.ts'
import { endDetails, isEnd, type RunResult } from './run-result.ts'

export interface AwaitOptions {
  /** Ends the waiting, not the run: `AbortSignal.timeout(30_000)`, say. */
  readonly signal?: AbortSignal
}

export interface SignalOptions {
  /** UUID v4: a repeat under the same id is one signal. */
  readonly signalId?: string
  /** Who sends it, for the log. Default `local`. */
  readonly actorId?: string
}

const LOOK_MS = 250

export class RunHandle<O = unknown> {
  readonly #parts: Parts
  /** As it was when the handle was made. */
  readonly row: RunRow
  /** The run was there before: a repeated request found it. */
  readonly existed: boolean

  constructor(parts: Parts, row: RunRow, existed = true) {
    this.#parts = parts
    this.row = row
    this.existed = existed
  }

  get runId(): string {
    return this.row.runId
  }

  /**
   * Resolves when the run has ended: at once where it is driven, elsewhere within a poll. Rejects with KEELSON_CLOSED when
   * Keelson is closed before, and with the signal's reason when the caller gives up; the run goes on in both cases. Of a run
   * that was archived or set aside it rejects with RUN_ARCHIVED, which names its bundle, or RUN_QUARANTINED.
   */
  async result(options: AwaitOptions = {}): Promise<RunResult<O>> {
    const known = await this.#ended(options)
    if (!isTerminalRun(known.status)) await this.#needUsable()
    const end = 'end' in known ? known.end : await this.#endOnRecord()
    return {
      runId: this.runId,
      status: known.status,
      ...(await endDetails(this.#parts.services.store, this.row.runKey, end)),
    } as RunResult<O>
  }

  async #ended({ signal }: AwaitOptions): Promise<{ readonly status: RunStatus; readonly end?: RunEnd }> {
    const { engine, services, moves } = this.#parts
    const { runKey } = this.row
    const asked = new AbortController()
    // Asked for first: an end between the two is not missed. A handle that nobody asks for its result costs nothing.
    const ended = engine.ended(runKey, asked.signal)
    let isTold = false
    try {
      const now = engine.drives(runKey) ? undefined : await services.store.getRun(runKey)
      if (now !== undefined && isSettled(now)) return { status: now.status }
      const end = await moves.whileOpen(ended, signal)
      isTold = true
      return end
    } finally {
      // Whoever was told waits no more; an abort for nothing costs as much as a step.
      if (!isTold) asked.abort()
    }
  }

  /** The output once the run has completed; throws RUN_NOT_COMPLETED, with the cause, when it ended otherwise. */
  async output(options: AwaitOptions = {}): Promise<O> {
    const result = await this.result(options)
    if (result.status === 'COMPLETED') return result.output
    const { runId, status, error } = result
    const cause = error === undefined ? '' : `: ${[error.slot, error.code, error.message].filter(Boolean).join(', ')}`
    return fail('RUN_NOT_COMPLETED', `run ${runId} ended ${status}${cause}`, { details: { runId, status, error } })
  }

  async #endOnRecord(): Promise<RunEnd> {
    const last = (await this.records()).findLast(isEnd)
    if (last === undefined)
      return fail('RUN_QUARANTINED', `the row of run ${this.runId} says that it has ended, and its log does not`)
    const { eventType, payload = {}, data } = last
    return { eventType, payload, ...(data === undefined ? {} : { data }) }
  }

  /** Has the run ended by now? */
  async hasEnded(): Promise<boolean> {
    const now = await this.#parts.services.store.getRun(this.row.runKey)
    return now !== undefined && isTerminalRun(now.status)
  }

  /** Why its log cannot be used, and how far it is sound: it was archived or set aside. Undefined: it can. */
  async trouble(): Promise<RunTrouble | undefined> {
    const { services, advancer } = this.#parts
    const now = await services.store.getRun(this.row.runKey)
    return now === undefined ? undefined : troubleOf({ store: services.store, plans: advancer.plans }, now)
  }

  async #needUsable(): Promise<void> {
    const trouble = await this.trouble()
    if (trouble !== undefined) throw trouble.error
  }

  /** The run's log, from the first event. Of a run that was set aside only what `upToSeq` names can be had: its sound part. */
  async records(afterSeq = 0, upToSeq = Infinity): Promise<readonly ForeignRecord[]> {
    if (upToSeq === Infinity) await this.#needUsable()
    const records: ForeignRecord[] = []
    for (let after = afterSeq; after < upToSeq;) {
      const page = await this.#parts.services.store.readEvents(this.row.runKey, { afterSeq: after })
      const last = page.at(-1)
      if (last === undefined) break
      for (const stored of page) if (stored.runSeq <= upToSeq) records.push(await this.#record(stored))
      after = last.runSeq
    }
    return records
  }

  async #record(stored: StoredEvent): Promise<ForeignRecord> {
    const record = recordOf(stored)
    if (record.ok) return record.value
    const { services, advancer } = this.#parts
    const now = (await services.store.getRun(this.row.runKey)) ?? this.row
    throw (await damageTrouble({ store: services.store, plans: advancer.plans }, now)).error
  }

  /**
   * The run's log from the first event (or after one) to its end, as it is written; ends early when Keelson closes. Of a run
   * that was set aside it gives the sound part, then throws RUN_QUARANTINED.
   */
  async *events(afterSeq = 0): AsyncGenerator<ForeignRecord, void> {
    const { services, moves } = this.#parts
    const { runKey } = this.row
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

  /** Sends a signal; the run's driver takes it within a second. The program vouches for who sends it. */
  async signal(
    signalType: SignalType | (string & Readonly<Record<never, never>>),
    payload: Readonly<Record<string, unknown>> = {},
    options: string | SignalOptions = {},
  ): Promise<SignalAnswer> {
    const { signalId = this.#parts.services.random.uuid(), actorId = 'local' } =
      typeof options === 'string' ? { signalId: options } : options
    const sender = { actorId, actorRole: 'Admin', allowed: true }
    return deliverSignal(this.#parts, this.row, { signalId, signalType, payload }, sender)
  }

  /** Asks the run to stop: steps have 5 s. What was done stays; only a run that fails undoes it. */
  cancel(reason?: string): Promise<SignalAnswer> {
    return this.signal('CANCEL', reasonOf(reason))
  }

  /** No further step starts; what runs goes on to its end. */
  pause(reason?: string): Promise<SignalAnswer> {
    return this.signal('PAUSE', reasonOf(reason))
  }

  resume(reason?: string): Promise<SignalAnswer> {
    return this.signal('RESUME', reasonOf(reason))
  }

  async tasks(): Promise<readonly OpenTask[]> {
    return listTasks(this.#parts.services.store, this.#parts.keys, await this.#fresh())
  }

  async completeTask(completion: TaskCompletion): Promise<CompletionAnswer> {
    const { services, advancer, engine, keys } = this.#parts
    await this.#needUsable()
    const answer = await completeTask(services, advancer, keys, this.row, completion)
    engine.wake(this.row.runKey)
    return answer
  }

  /** The run as people see it, now or as it was after an event. */
  async snapshot(atSeq?: number): Promise<RunSnapshot> {
    const { services, advancer } = this.#parts
    if (atSeq === undefined) await this.#needUsable()
    const found = await getSnapshot(services.store, advancer.plans, this.row, atSeq)
    if (!found.ok) return fail('RUN_QUARANTINED', `the log of run ${this.runId} cannot be read`)
    return found.value ?? fail('RUN_NOT_FOUND', `no run ${this.runId}`)
  }

  /** Pointers to what its steps kept; those past their `expiresAt` are flagged. */
  async artifacts(): Promise<readonly ListedArtifact[]> {
    return listedArtifacts((await this.snapshot()).artifacts, this.#parts.services.clock.now())
  }

  /** What became of a step: its end, its artifacts, its error. Undefined until it has ended. */
  async stepOutput(stepId: string): Promise<StepOutput | undefined> {
    const { steps } = await this.snapshot()
    const found = steps.find((step) => step.stepId === stepId && step.role === undefined)
    return found === undefined ? fail('STEP_UNKNOWN', `the plan has no step '${stepId}'`) : stepOutputOf(found)
  }

  /** Metadata, variables and results of its steps so far: all of them once it has ended (CTX-06). */
  async context(): Promise<RunContext> {
    const run = await this.#fresh()
    return readRunContext(this.#parts.services.store, run, run.state, run.state.seq)
  }

  /** Why a step is where it is, now or as it was after an event. */
  async why(slot: string, atSeq?: number): Promise<readonly Cause[]> {
    const { services, advancer } = this.#parts
    if (atSeq !== undefined) return explainAt(services.store, advancer.plans, this.row, slot, atSeq)
    return explainSlot(services.store, await this.#fresh(), slot, services.clock.now())
  }

  /** Its parent, its children, the run it undoes and the one that undid it. */
  async related(): Promise<RelatedRuns> {
    return relatedRuns(this.#parts.services.store, await this.#fresh())
  }

  /** The fold as the log has it now, also when another process drives the run. */
  async #fresh(): Promise<Awaited<ReturnType<RunAdvancer['current']>>> {
    const { advancer, services } = this.#parts
    const known = await advancer.current(this.row.runKey)
    const row = await services.store.getRun(this.row.runKey)
    const isOld = row !== undefined && (row.nextSeq !== known.nextSeq || row.quarantine !== undefined)
    if (isOld) advancer.forget(this.row.runKey)
    return advancer.current(this.row.runKey)
  }
}

function reasonOf(reason: string | undefined): Readonly<Record<string, unknown>> {
  return reason === undefined ? {} : { reason }
}
