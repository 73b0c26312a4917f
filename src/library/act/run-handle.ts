/**
 * One run in the hands of a program: what it reads of it, its result, and the signals that steer it.
 */
import type { CompletionAnswer } from '../../app/steer/manual-tasks.ts'
import type { TaskCompletion } from '../../app/inbox/task-completion.ts'
import type { SignalAnswer } from '../../app/signals/signal-run.ts'
import { needKnown } from '../../core/known-options.ts'
import { fail } from '../../core/problems/problem.ts'
import type { SignalType } from '../../core/run/signals/catalogue.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { RunRow } from '../../ports/run-store.ts'
import { awaitEnd, type AwaitOptions } from '../read/await-end.ts'
import { completeHere } from './complete-task.ts'
import { AWAIT_OPTIONS, CANCEL_OPTIONS, COMPLETION, WAIT_OPTIONS } from '../option-names.ts'
import type { Parts } from '../parts.ts'
import type { CancelOptions, SignalOptions } from '../run-options.ts'
import { RunReader } from '../read/run-reader.ts'
import { sendSignal, type SentSignal } from './send-signal.ts'
import { RunLog } from '../read/run-log.ts'
import { endDetails, endOnRecord, type RunResult } from '../read/run-result.ts'

export class RunHandle<O = unknown> extends RunReader<O> {
  readonly #parts: Parts
  /** The run was there before: a repeated request found it. */
  readonly existed: boolean

  constructor(parts: Parts, row: RunRow, existed = true) {
    super(parts, row)
    this.#parts = parts
    this.existed = existed
  }

  /**
   * Resolves when the run has ended: at once where it is driven, elsewhere within a poll. Rejects with KEELSON_CLOSED when
   * Keelson is closed before, and with the signal's reason when the caller gives up; the run goes on in both cases. Of a run
   * that was archived or set aside it rejects with RUN_ARCHIVED, which names its bundle, or RUN_QUARANTINED.
   */
  override async result(options: AwaitOptions = {}): Promise<RunResult<O>> {
    needKnown('result', options, AWAIT_OPTIONS)
    const known = await awaitEnd(this.#parts, this.row, options)
    const log = new RunLog(this.#parts, this.row)
    if (!isTerminalRun(known.status)) await log.needUsable()
    const end = 'end' in known ? known.end : await endOnRecord(log, this.runId)
    return {
      runId: this.runId,
      status: known.status,
      ...(await endDetails(this.#parts.services.store, this.row.runKey, end)),
    } as RunResult<O>
  }

  /** The output once the run has completed; throws RUN_NOT_COMPLETED, with the cause, when it ended otherwise. */
  async output(options: AwaitOptions = {}): Promise<O> {
    const result = await this.result(options)
    if (result.status === 'COMPLETED') return result.output
    const { runId, status, error } = result
    const cause = error === undefined ? '' : `: ${[error.slot, error.code, error.message].filter(Boolean).join(', ')}`
    return fail('RUN_NOT_COMPLETED', `run ${runId} ended ${status}${cause}`, { details: { runId, status, error } })
  }

  /**
   * Sends a signal and waits up to 2 s for the run's driver to take it; rejects with the recorded code when it was refused.
   * `pending`: nobody drives the run, or has not answered yet. The program vouches for who sends it. RETRY_RUN starts the new
   * run, which the answer names.
   */
  async signal(
    signalType: SignalType | (string & Readonly<Record<never, never>>),
    payload: Readonly<Record<string, unknown>> = {},
    options: string | SignalOptions = {},
  ): Promise<SentSignal> {
    const given: SignalOptions = typeof options === 'string' ? { signalId: options } : options
    return sendSignal(this.#parts, this.row, { signalType, payload }, given)
  }

  /** Asks the run to stop: steps have 5 s. What was done stays, unless `undo` asks for what a failing run does: to undo it. */
  cancel(reason?: string, options: CancelOptions = {}): Promise<SignalAnswer> {
    needKnown('cancel', options, CANCEL_OPTIONS)
    return this.signal('CANCEL', { ...reasonOf(reason), ...(options.undo === true ? { undo: true } : {}) })
  }

  /** No further step starts; what runs goes on to its end. */
  pause(reason?: string): Promise<SignalAnswer> {
    return this.signal('PAUSE', reasonOf(reason))
  }

  resume(reason?: string): Promise<SignalAnswer> {
    return this.signal('RESUME', reasonOf(reason))
  }

  /**
   * Completes a task and waits up to 2 s until it is taken; rejects when the rule of the task is against this person by then.
   * Where nobody drives the run, it is in its inbox.
   */
  async completeTask(completion: TaskCompletion, options: Pick<SignalOptions, 'wait'> = {}): Promise<CompletionAnswer> {
    needKnown('completeTask', options, WAIT_OPTIONS)
    needKnown('completeTask', completion, COMPLETION)
    return completeHere(this.#parts, this.row, completion, options)
  }
}

function reasonOf(reason: string | undefined): Readonly<Record<string, unknown>> {
  return reason === undefined ? {} : { reason }
}
