/**
 * What the run's workflow does with the answers of its activities: send out what is new, cancel what is to stop, keep one
 * timer, wake when asked, and come to a quiet point when the history is to be rotated. It runs in Temporal's sandbox and
 * is deterministic: it reads nothing but answers, signals and the workflow's own clock.
 */
import {
  CancellationScope,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  scheduleActivity,
  startChild,
  WorkflowIdReusePolicy,
  workflowInfo,
} from '@temporalio/workflow'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import { askWake } from './ask-wake.ts'
import { isLeftAlone, LEFT_ALONE_MS } from './left-alone.ts'
import { WakeTimer } from './wake-timer.ts'
import { EPOCH_MEMO, longStepId, STEP_WORKFLOW } from './wire.ts'
import type { Effect } from '../../../../core/run/effect.ts'
import type {
  Carried,
  LostEffect,
  Phase,
  Reply,
  Rotation,
  RunAt,
  Sending,
  SentEffect,
  StepCall,
  WakeCall,
} from './wire.ts'

/**
 * Beyond this part of a threshold the next moment without work is used for the rotation, so that the rotation need not wait for
 * one later.
 */
const SOFTLY = 0.75
export class RunLoop {
  #carried: Carried
  /** Ids sent out in this execution: a repeat would fail the workflow task (P-36). */
  readonly #sent = new Set<string>()
  readonly #scopes = new Map<string, CancellationScope>()
  /** To be stopped before they began. They are sent out nevertheless, to report this, because the log waits for their outcome. */
  readonly #stoppedFirst = new Set<string>()
  #pending = 0
  #beside = 1
  #steps = 0
  #wakeWanted = true
  #waking = false
  #cancelled = false
  #after: string | undefined
  #lost: LostEffect[] = []
  readonly #timer = new WakeTimer(() => this.wake())
  #rotation: Rotation = { events: Number.MAX_SAFE_INTEGER }
  #draining = false
  #rotates = false
  #end: Reply['end'] | 'superseded'
  #failure: unknown

  constructor(carried: Carried) {
    this.#carried = carried
  }

  get isGoingOn(): boolean {
    return this.#end === undefined && this.#failure === undefined && !this.#rotates
  }

  /** Is there something to do that no activity or timer is doing already? */
  get hasTurn(): boolean {
    return !this.isGoingOn || (this.#wakeWanted && !this.#waking) || this.#mayRotate()
  }

  get rotates(): boolean {
    return this.#rotates
  }

  get end(): Reply['end'] | 'superseded' {
    return this.#end
  }

  get #at(): RunAt {
    const { tenantId, runId, epoch } = this.#carried
    return { tenantId, runId, epoch }
  }

  get carried(): Carried {
    return { ...this.#carried, rotations: this.#carried.rotations + 1 }
  }

  get phase(): Phase {
    return this.#draining ? 'CONTINUE_AS_NEW' : 'RUNNING'
  }

  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure
  }

  wake(): void {
    this.#wakeWanted = true
  }

  cancel(): void {
    this.#cancelled = true
    this.wake()
  }

  turn(): void {
    if (this.#mayRotate()) this.#rotates = true
    else if (this.#wakeWanted && !this.#waking) void this.#wakeNow()
  }

  async #wakeNow(): Promise<void> {
    this.#wakeWanted = false
    this.#waking = true
    const lost = this.#lost
    this.#lost = []
    const call: WakeCall = {
      ...this.#at,
      headSeq: this.#carried.headSeq,
      ...(lost.length === 0 ? {} : { lost }),
      ...(this.#cancelled ? { cancelled: true } : {}),
      ...(this.#draining ? { draining: true } : {}),
      ...(this.#after === undefined ? {} : { after: this.#after }),
    }
    this.#cancelled = false
    try {
      const reply = await askWake(call)
      this.#waking = false
      this.#rotation = reply.rotation ?? this.#rotation
      this.#after = reply.more
      if (reply.more !== undefined) this.#wakeWanted = true
      // Woken while it asked: the run may have come back meanwhile, and nobody would start another workflow for it.
      if (reply.superseded === true) this.#end = this.#wakeWanted ? undefined : 'superseded'
      else this.#take(reply)
    } catch (error) {
      this.#failure = error
    }
  }

  #take(reply: Reply): void {
    if (reply.superseded === true || reply.epoch < this.#carried.epoch) {
      this.wake()
      return
    }
    const { epoch, headSeq } = reply
    this.#carried = { ...this.#carried, epoch, headSeq: Math.max(headSeq, this.#carried.headSeq) }
    if (reply.end !== undefined) this.#end = reply.end
    if (this.#isOver(SOFTLY) && this.#pending === 0 && !this.#waking) this.#draining = true
    if (this.#isOver(1)) this.#draining = true
    this.#beside = this.#pending + reply.effects.length
    for (const sent of reply.effects) this.#sendOut(sent, reply.sendings?.[sent.by])
    this.#setTimer(reply.wakeInMs === undefined ? reply.wakeAt : Date.now() + reply.wakeInMs)
  }

  /** While the history is to be rotated only what stops work leaves; the next execution asks for all the rest. */
  #sendOut(sent: SentEffect, sending: Sending | undefined): void {
    const { effect } = sent
    if (effect.kind === 'CancelStep') {
      this.#stop(sent)
      return
    }
    if (this.#sent.has(effect.id) || this.#draining || sending === undefined) return
    this.#sent.add(effect.id)
    this.#pending += 1
    this.#steps += 1
    void (sent.long === true ? this.#startLong(effect, sending) : this.#execute(effect, sending))
  }

  async #execute(effect: Effect, sending: Sending): Promise<void> {
    const scope = new CancellationScope()
    this.#scopes.set(effect.id, scope)
    const options = { ...sending, activityId: effect.id, cancellationType: 'WAIT_CANCELLATION_COMPLETED' as const }
    try {
      const call: StepCall = { ...this.#callOf(effect), beside: this.#beside }
      const reply = await scope.run(() => scheduleActivity<Reply>('step', [call], options))
      this.#settle(effect.id)
      this.#take(reply)
    } catch (error) {
      this.#settle(effect.id)
      if (isLeftAlone(error)) this.#sendAgainLater(effect.id)
      else if (isCancellation(error) && !this.#stoppedFirst.has(effect.id)) this.#sendStopped(effect, sending)
      else this.#giveUp(effect, error)
    }
  }

  #callOf(effect: Effect): StepCall {
    return { ...this.#at, effect, ...(this.#stoppedFirst.has(effect.id) ? { stopped: true } : {}) }
  }

  #settle(effectId: string): void {
    this.#pending -= 1
    this.#scopes.delete(effectId)
  }

  /** A cancel that overtook its activity: what had begun would have answered. Only a worker knows whether it ever did. */
  #sendStopped(effect: Effect, sending: Sending): void {
    this.#stoppedFirst.add(effect.id)
    this.#pending += 1
    void this.#execute(effect, sending)
  }

  #giveUp(effect: Effect, error: unknown): void {
    if (!isCancellation(error)) this.#noteLost(effect)
    this.wake()
  }

  /** The log still owes it: the next wake-up brings it again. */
  #sendAgainLater(effectId: string): void {
    this.#sent.delete(effectId)
    this.#setTimer(Date.now() + LEFT_ALONE_MS)
  }

  #noteLost(effect: Effect): void {
    if (effect.kind !== 'ExecuteStep' && effect.kind !== 'Compensate') return
    const { slot, attempt, engineAttempt } = effect
    this.#lost.push({ slot, attempt, engineAttempt })
  }

  async #startLong(effect: Effect, sending: Sending): Promise<void> {
    const { taskQueue, ...rest } = sending
    try {
      await startChild(STEP_WORKFLOW, {
        workflowId: longStepId(workflowInfo().workflowId, effect.id),
        args: [this.#callOf(effect), rest],
        memo: { [EPOCH_MEMO]: this.#carried.epoch },
        parentClosePolicy: ParentClosePolicy.ABANDON,
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        ...(taskQueue === undefined ? {} : { taskQueue }),
      })
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) this.#noteLost(effect)
      this.wake()
    }
    this.#settle(effect.id)
  }

  #stop({ effect, long }: SentEffect): void {
    const work = ['ExecuteStep', 'Compensate'].map((kind) => effect.id.replace(/^CancelStep/, kind))
    for (const id of work) {
      if (!this.#sent.has(id)) this.#stoppedFirst.add(id)
      if (!this.#stoppedFirst.has(id)) this.#scopes.get(id)?.cancel()
    }
    if (long !== true || this.#sent.has(effect.id)) return
    this.#sent.add(effect.id)
    for (const id of work)
      // It may be over already; then there is nothing to stop.
      void getExternalWorkflowHandle(longStepId(workflowInfo().workflowId, id))
        .cancel()
        .catch(() => undefined)
  }

  #setTimer(wakeAt: number | undefined): void {
    if (wakeAt !== undefined && this.#end === undefined) this.#timer.set(wakeAt)
  }

  /** A quiet point: nothing is under way that an answer is owed for, so the next execution can ask for everything. */
  #mayRotate(): boolean {
    const isTold = this.#lost.length === 0 && !this.#cancelled
    return this.#draining && this.#pending === 0 && !this.#waking && isTold && this.#end === undefined
  }

  #isOver(part: number): boolean {
    const { historyLength, historySize, continueAsNewSuggested } = workflowInfo()
    const { events, steps = Number.MAX_SAFE_INTEGER, bytes = Number.MAX_SAFE_INTEGER } = this.#rotation
    return (
      continueAsNewSuggested ||
      historyLength >= events * part ||
      this.#steps >= steps * part ||
      historySize >= bytes * part
    )
  }
}
