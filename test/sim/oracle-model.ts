/**
 * What the oracle remembers of a run: per slot the list of its attempts, and a few facts about the run. It is filled by
 * walking the records and answers plain questions (is this step satisfied? what is in flight?) by looking through them.
 */
import type { Plan, Step } from '../../src/core/plan/plan.ts'
import { kindOfStep, type Kind, type Phase } from './oracle-tables.ts'

export interface Attempt {
  readonly n: number
  state: 'RUNNING' | 'SUCCESS' | 'FAILED' | 'SKIPPED'
  readonly at: number
  readonly startSeq: number
  readonly epoch: number
  /** Clock instant of its backstop or expiry. */
  timeoutAt?: number
  waitUntil?: number
  /** Active time at which a relative wait or a backoff is over. */
  waitDue?: number
  /** Which events it waits for. */
  eventKey?: string
  retryDue?: number
  final?: boolean
  fallback?: boolean
  /** The plan says that its failure is handled. */
  handled?: boolean
  code?: string
  errorClass?: string
  /** Started without the units it wants. */
  ungranted?: true
  reason?: string
  /** Engine attempt whose report ended it; 0 when nobody's did. */
  endedBy?: number
  endSeq?: number
}

export interface SlotModel {
  readonly name: string
  readonly step: Step
  readonly item: number | undefined
  readonly isFallback: boolean
  readonly kind: Kind
  readonly attempts: Attempt[]
  /** Attempts there were when somebody opened a new one on purpose. */
  reopenedAt: number
  reopened: number
}

export type Standing = 'pending' | 'open' | 'backoff' | 'ready' | 'ok' | 'failed' | 'blocked'

export interface CompensationModel {
  slot: string
  attempt: number
  epoch: number
  state: 'RUNNING' | 'FAILED'
  retryAt?: number
  timeoutAt?: number
}

export class RunModel {
  readonly plan: Plan
  readonly order: readonly string[]
  readonly sequential: boolean
  readonly steps: ReadonlyMap<string, Step>
  readonly needs: ReadonlyMap<string, readonly string[]>
  readonly slots = new Map<string, SlotModel>()
  /** Slots that somebody looked at since they were last seen at rest: only they can be open. */
  readonly #touched = new Set<string>()
  readonly fans = new Map<string, number>()
  phase: Phase = 'PENDING'
  limit: number
  pauseCycle = 0
  pausedAt = -1
  pausedMs = 0
  /** The pause in force was told to take too long. */
  drainTold = false
  cancelling: { graceUntil: number; stop: boolean; undo: boolean; cut: boolean } | undefined
  runTimeoutAt = -1
  /** A delayed run starts no sooner; -1 when it starts at once. */
  notBefore = -1
  /** Queued or delayed, and approved as it starts. */
  asksNobody = false
  timedOutAt = -1
  isEnding = false
  /** It starts no step: it undoes what another run has finished. */
  undoes = false
  completions: string[] = []
  undo: CompensationModel | undefined
  undoStarted = false
  /** Epoch each compensation was started under, by `slot#attempt`. */
  readonly compensationEpochs = new Map<string, number>()
  /** Which engine attempt ended an attempt at undoing. */
  readonly undoEnds = new Map<string, number>()
  undone = { done: 0, failed: 0 }
  readonly late = new Set<string>()
  /** Which wait each event has ended. */
  readonly usedEvents = new Map<string, string>()
  /** What an accepted signal must be followed by at once. */
  follows: string | undefined
  readonly signals = new Map<string, { type: string; applied: boolean; target: string | undefined }>()

  constructor(plan: Plan) {
    this.plan = plan
    this.limit = plan.policy.concurrency
    const sorted = [...plan.steps].sort((a, b) => a.order - b.order || (a.stepId < b.stepId ? -1 : 1))
    this.order = sorted.map((step) => step.stepId)
    this.sequential = sorted.every((step) => step.dependsOn === undefined)
    this.steps = new Map(sorted.map((step) => [step.stepId, step]))
    this.needs = new Map(
      sorted.map((step, index) => [
        step.stepId,
        this.sequential ? this.order.slice(Math.max(0, index - 1), index) : (step.dependsOn ?? []),
      ]),
    )
  }

  slot(name: string): SlotModel | undefined {
    this.#touched.add(name)
    const known = this.slots.get(name)
    if (known !== undefined) return known
    const match = /^(FALLBACK:)?([^[\]:]+)(?:\[(\d+)\])?$/.exec(name)
    const step = this.steps.get(match?.[2] ?? '')
    if (match === null || step === undefined) return undefined
    const item = match[3] === undefined ? undefined : Number(match[3])
    const isFallback = match[1] !== undefined
    const made: SlotModel = {
      name,
      step,
      item,
      isFallback,
      kind: isFallback ? 'run' : kindOfStep(step),
      attempts: [],
      reopenedAt: -1,
      reopened: 0,
    }
    this.slots.set(name, made)
    return made
  }

  last(name: string): Attempt | undefined {
    return this.slots.get(name)?.attempts.at(-1)
  }

  /** By its compensation, or, where a child did the work, by a run of its own. */
  canBeUndone(name: string): boolean {
    const slot = this.slots.get(name)
    return slot !== undefined && (slot.step.compensate !== undefined || this.isUndoneByRun(name))
  }

  isUndoneByRun(name: string): boolean {
    const slot = this.slots.get(name)
    if (slot === undefined || slot.isFallback || slot.step.compensate !== undefined) return false
    return slot.kind === 'plan' && slot.step.effect === 'compensatable'
  }

  /** It cannot be undone, and somebody said yes before it: the people after whom nobody else was asked. */
  isReleased({ step }: SlotModel): boolean {
    if (step.effect !== 'irreversible') return false
    const open = [...(this.needs.get(step.stepId) ?? [])]
    const seen = new Set(open)
    for (const stepId of open) {
      const isManual = this.slots.get(stepId)?.kind === 'manual' || 'manual' in (this.steps.get(stepId) ?? {})
      if (isManual && this.last(stepId)?.state === 'SUCCESS') return true
      if (isManual) continue
      for (const before of this.needs.get(stepId) ?? []) {
        if (!seen.has(before)) open.push(before)
        seen.add(before)
      }
    }
    return false
  }

  isFanParent(slot: SlotModel): boolean {
    return slot.item === undefined && !slot.isFallback && slot.step.forEach !== undefined
  }

  /** Where a step or an item stands, its fallback included. */
  standing(name: string): Standing {
    const slot = this.slots.get(name)
    const last = slot?.attempts.at(-1)
    // Of a step that its fallback stood in for, only the fallback is taken over to be undone.
    if (last === undefined && this.undoes && this.last(`FALLBACK:${name}`)?.state === 'SUCCESS') return 'ok'
    if (slot === undefined || last === undefined) return 'pending'
    if (last.state === 'RUNNING') return 'open'
    if (last.state === 'SUCCESS') return 'ok'
    if (last.state === 'SKIPPED') return last.reason === 'DEPENDENCY_FAILED' ? 'blocked' : 'ok'
    if (slot.reopenedAt === slot.attempts.length) return 'ready'
    if (last.final !== true) return 'backoff'
    if (last.fallback !== true || slot.isFallback) return last.handled === true ? 'ok' : 'failed'
    const other = this.slots.get(`FALLBACK:${name}`)
    if (other === undefined || other.attempts.length === 0 || other.reopenedAt === other.attempts.length) return 'ready'
    return this.standing(other.name)
  }

  /** In backoff, and nothing keeps it there: an item of a parent that has failed waits for its parent. */
  isInBackoff(slot: SlotModel): boolean {
    const last = slot.attempts.at(-1)
    if (last?.state !== 'FAILED' || last.final !== false || slot.reopenedAt === slot.attempts.length) return false
    return slot.item === undefined || this.last(slot.step.stepId)?.state === 'RUNNING'
  }

  /** May what depends on this step go on? */
  lets(stepId: string): boolean {
    const standing = this.standing(stepId)
    // Skipped before it was its turn, it keeps its place: what follows waits for what it would have waited for.
    const isSkipped = this.last(stepId)?.state === 'SKIPPED'
    if (standing === 'ok') return !isSkipped || (this.needs.get(stepId) ?? []).every((needed) => this.lets(needed))
    const orderOnly = this.sequential && this.plan.policy.onFailure === 'continue'
    if (!orderOnly) return false
    // Once it failed for good its successor may go, even if somebody has it tried again meanwhile (P-46).
    const attempts = [stepId, `FALLBACK:${stepId}`].flatMap((name) => this.slots.get(name)?.attempts ?? [])
    return attempts.some(
      ({ state, final, fallback, code }) =>
        state === 'FAILED' && final === true && fallback !== true && code !== 'CANCELLED',
    )
  }

  /** A step before it was skipped by a condition, and this one is then skipped too. */
  isCascaded({ stepId, onSkip = this.plan.policy.onSkip }: Step): boolean {
    if (onSkip !== 'cascade') return false
    return (this.needs.get(stepId) ?? []).some((needed) =>
      ['CONDITION_FALSE', 'DEPENDENCY_SKIPPED'].includes(this.last(needed)?.reason ?? ''),
    )
  }

  /** Code that ended the step: its fallback's when that ran last. */
  failureCode(name: string): string | undefined {
    const other = this.last(`FALLBACK:${name}`)
    return this.last(name)?.fallback === true && other !== undefined ? other.code : this.last(name)?.code
  }

  /** Does a failed step lie among everything this one needs, however far back? */
  isBehindFailure(stepId: string): boolean {
    return (this.needs.get(stepId) ?? []).some(
      (needed) =>
        ['failed', 'blocked', 'backoff', 'ready'].includes(this.standing(needed)) || this.isBehindFailure(needed),
    )
  }

  failedSteps(): string[] {
    return this.order.filter((stepId) => this.standing(stepId) === 'failed')
  }

  /** What stops work that can be undone: a failure, or somebody who wants the run undone. */
  isToBeUndone(): boolean {
    return this.cancelling === undefined ? this.isFailing() : this.cancelling.undo
  }

  /** failFast with a failure for good, or a run out of time: nothing new starts. */
  isFailing(): boolean {
    if (this.timedOutAt >= 0) return true
    if (this.plan.policy.onFailure !== 'failFast') return false
    // What only closed with the run, or may have happened, is no cause.
    return this.failedSteps().some((stepId) => !['INDETERMINATE', 'CANCELLED'].includes(this.failureCode(stepId) ?? ''))
  }

  isHeld(): boolean {
    const failed = this.failedSteps()
    if (failed.length === 0 || this.timedOutAt >= 0 || this.undoes) return false
    return (
      this.plan.policy.onFailure === 'hold' || failed.some((stepId) => this.failureCode(stepId) === 'INDETERMINATE')
    )
  }

  /** Ready steps may start now, as far as the run itself is concerned. */
  mayStartMore(): boolean {
    if (this.phase !== 'RUNNING' || this.cancelling !== undefined || this.undoes) return false
    return !this.undoStarted && !this.isEnding && !this.isFailing()
  }

  *open(): Generator<{ slot: SlotModel; attempt: Attempt }> {
    for (const name of this.#touched) {
      const slot = this.slots.get(name)
      const attempt = slot?.attempts.at(-1)
      if (slot === undefined || attempt?.state !== 'RUNNING') this.#touched.delete(name)
      else yield { slot, attempt }
    }
  }

  /** Attempts that take one of the run's slots. */
  inFlight(): { slot: SlotModel; attempt: Attempt }[] {
    return [...this.open()].filter(
      ({ slot }) => !this.isFanParent(slot) && (slot.kind === 'run' || slot.kind === 'plan'),
    )
  }

  /** When people are told that a pause waits too long for steps; undefined when it waits for none, or they were told. */
  drainDue(): number | undefined {
    if (this.phase !== 'PAUSED' || this.drainTold || this.cancelling !== undefined || this.undoStarted) return undefined
    if (!this.inFlight().some(({ slot }) => slot.kind === 'run')) return undefined
    return this.pausedAt + (this.plan.policy.drainTimeoutMs ?? 300_000)
  }

  /** Time that stands still while the run is paused. */
  active(at: number): number {
    return (this.pausedAt >= 0 ? this.pausedAt : at) - this.pausedMs
  }
}
