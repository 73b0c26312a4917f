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
import { explainAt } from '../../app/explain-at.ts'
import { explainSlot } from '../../app/explain-slot.ts'
import { recordOf } from '../../app/read-events.ts'
import { listedArtifacts, type ListedArtifact } from '../../app/run-artifacts.ts'
import { readRunContext } from '../../app/read-run-context.ts'
import { getSnapshot } from '../../app/read-snapshot.ts'
import { signalRun, type SignalAnswer } from '../../app/signal-run.ts'
import type { ForeignRecord } from '../../core/events/event.ts'
import { fail } from '../../core/problems/problem.ts'
import type { Cause } from '../../core/run/explain.ts'
import type { RunSnapshot } from '../../core/view/run-snapshot.ts'
import { isTerminalRun, type RunStatus } from '../../core/run/transitions.ts'
import type { RunEnd } from '../../ports/engine.ts'
import type { RunContext } from '../../ports/run-context.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { Parts } from './parts.ts'

export interface RunResult {
  readonly runId: string
  readonly status: RunStatus
  readonly output?: unknown
  readonly error?: { readonly code: string; readonly slot?: string; readonly message?: string }
}

export class RunHandle {
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

  /** Resolves when the run has ended: at once where it is driven, elsewhere within a poll. */
  async result(): Promise<RunResult> {
    const { engine, services } = this.#parts
    const { runKey } = this.row
    // Asked for first: an end between the two is not missed. A handle that nobody asks for its result costs nothing.
    const ended = engine.ended(runKey)
    const now = engine.drives(runKey) ? undefined : await services.store.getRun(runKey)
    const known = now !== undefined && isTerminalRun(now.status) ? { status: now.status } : await ended
    const end = 'end' in known ? known.end : await this.#endOnRecord()
    return { runId: this.runId, status: known.status, ...(await this.#details(end)) }
  }

  async #endOnRecord(): Promise<RunEnd | undefined> {
    const last = (await this.records()).findLast(
      (one) => one.eventType === 'RunCompleted' || one.eventType === 'RunFailed' || one.eventType === 'RunCancelled',
    )
    if (last === undefined) return undefined
    const { eventType, payload = {}, data } = last
    return { eventType, payload, ...(data === undefined ? {} : { data }) }
  }

  async #details(end: RunEnd | undefined): Promise<Pick<RunResult, 'output' | 'error'>> {
    const payload = (end?.payload ?? {}) as Readonly<Record<string, unknown>>
    if (end?.eventType === 'RunCompleted') {
      const ref = payload['outputRef'] as { sha256: string } | undefined
      const text = ref === undefined ? undefined : await this.#parts.services.store.getBlob(this.row.runKey, ref.sha256)
      const output = text === undefined ? end.data?.output : (JSON.parse(text) as unknown)
      return output === undefined ? {} : { output }
    }
    if (end?.eventType !== 'RunFailed') return {}
    const error = payload['error'] as { code: string }
    const root = payload['rootCause'] as { slot: string; runSeq: number } | undefined
    const text = root === undefined ? end.data?.errorText : await this.#errorTextAt(root.runSeq)
    return {
      error: {
        code: error.code,
        ...(root === undefined ? {} : { slot: root.slot }),
        ...(text === undefined ? {} : { message: text.message }),
      },
    }
  }

  async #errorTextAt(runSeq: number): Promise<{ readonly message: string } | undefined> {
    const range = { afterSeq: runSeq - 1, limit: 1 }
    const [stored] = await this.#parts.services.store.readEvents(this.row.runKey, range)
    const record = stored === undefined ? undefined : recordOf(stored)
    return record?.ok === true
      ? (record.value.data?.['errorText'] as { readonly message: string } | undefined)
      : undefined
  }

  /** Has the run ended by now? */
  async hasEnded(): Promise<boolean> {
    const now = await this.#parts.services.store.getRun(this.row.runKey)
    return now !== undefined && isTerminalRun(now.status)
  }

  /** The run's log, from the first event. */
  async records(afterSeq = 0): Promise<readonly ForeignRecord[]> {
    const records: ForeignRecord[] = []
    for (let after = afterSeq; ;) {
      const page = await this.#parts.services.store.readEvents(this.row.runKey, { afterSeq: after })
      const last = page.at(-1)
      if (last === undefined) return records
      for (const stored of page) {
        const record = recordOf(stored)
        if (!record.ok) return fail('RUN_QUARANTINED', `event ${stored.runSeq} of run ${this.runId} cannot be read`)
        records.push(record.value)
      }
      after = last.runSeq
    }
  }

  /** Sends a signal as the local principal; the run's driver takes it within a second. */
  async signal(
    signalType: string,
    payload: Readonly<Record<string, unknown>> = {},
    signalId?: string,
  ): Promise<SignalAnswer> {
    const { services, engine } = this.#parts
    const request = { signalId: signalId ?? services.random.uuid(), signalType, payload }
    const sender = { actorId: 'local', actorRole: 'Admin', allowed: true }
    const answer = await signalRun(services, { tenantId: this.row.tenantId, runId: this.runId }, request, sender)
    const now = await services.store.getRun(this.row.runKey)
    // Nobody drives an ended run: its answer to a signal is written here.
    if (now !== undefined && isTerminalRun(now.status)) await this.#parts.advancer.advance(this.row.runKey)
    else engine.wake(this.row.runKey)
    return answer
  }

  async tasks(): Promise<readonly OpenTask[]> {
    return listTasks(this.#parts.keys, await this.#fresh())
  }

  async completeTask(completion: TaskCompletion): Promise<CompletionAnswer> {
    const { services, advancer, engine, keys } = this.#parts
    const answer = await completeTask(services, advancer, keys, this.row, completion)
    engine.wake(this.row.runKey)
    return answer
  }

  /** The run as people see it, now or as it was after an event. */
  async snapshot(atSeq?: number): Promise<RunSnapshot> {
    const { services, advancer } = this.#parts
    const found = await getSnapshot(services.store, advancer.plans, this.row, atSeq)
    if (!found.ok) return fail('RUN_QUARANTINED', `the log of run ${this.runId} cannot be read`)
    return found.value ?? fail('RUN_NOT_FOUND', `no run ${this.runId}`)
  }

  /** Pointers to what its steps kept; those past their `expiresAt` are flagged. */
  async artifacts(): Promise<readonly ListedArtifact[]> {
    return listedArtifacts((await this.snapshot()).artifacts, this.#parts.services.clock.now())
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

  /** The fold as the log has it now, also when another process drives the run. */
  async #fresh(): Promise<Awaited<ReturnType<RunAdvancer['current']>>> {
    const { advancer, services } = this.#parts
    const known = await advancer.current(this.row.runKey)
    const row = await services.store.getRun(this.row.runKey)
    if (row !== undefined && row.nextSeq !== known.nextSeq) advancer.forget(this.row.runKey)
    return advancer.current(this.row.runKey)
  }
}
