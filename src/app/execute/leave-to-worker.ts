/**
 * A step that its plan sends to a queue: the work is put into the store, and this process waits for the report of the worker that claims
 * it. The row is found again by whoever takes the run over, so a report is never lost and the step is never offered twice. A claim is the
 * begin-claim of P-28: what is irreversible and was claimed is not handed out again, and is in doubt once its worker is silent.
 */
import { LIMITS } from '../../core/limits.ts'
import { fail, KeelsonError, problem } from '../../core/problems/problem.ts'
import { isStopping } from '../../core/run/proceed/fail-step.ts'
import type { StoredWork, WorkRef } from '../../ports/work.ts'
import { reportOf, type WorkBody, type WorkReport } from '../work/record.ts'
import type { WatchedWork, WorkDesk } from '../work/work-desk.ts'
import type { AttemptTime } from './attempt-time.ts'
import type { StepCall } from './step-call.ts'
import { workOf } from './step-work.ts'

/** How often the log is asked whether anybody still wants the attempt. */
const LOOK_MS = 30_000
const LOOK_WHILE_STOPPING_MS = 500

export interface LeftWork {
  readonly step: StepCall
  readonly watch: AttemptTime
  readonly queue: string
  readonly handler: string
  readonly secrets: boolean
  readonly body: WorkBody
  /** It was handed out for the n-th time, at this instant. */
  readonly onClaim: (claims: number, at: number) => void
}

export async function leaveToWorker(left: LeftWork): Promise<WorkReport> {
  const desk = left.step.services.desk ?? fail('NO_HANDLER', `this process sends nothing to the queue '${left.queue}'`)
  const waiting = new Waiting(left, desk, await offered(left, desk))
  left.step.handedOver?.()
  try {
    return await waiting.report()
  } finally {
    waiting.stop()
  }
}

function refOf({ step: { run, effect } }: LeftWork): WorkRef {
  return { runKey: run.row.runKey, slot: effect.slot, attempt: effect.attempt }
}

/** The row of this attempt, as an earlier driver left it, or a new one. */
async function offered(left: LeftWork, desk: WorkDesk): Promise<StoredWork> {
  const { store, clock } = left.step.services
  const { slot, engineAttempt } = left.step.effect
  for (;;) {
    const found = await store.findWork(refOf(left))
    if (found !== undefined && !isReopened(found) && found.engineAttempt === engineAttempt) return found
    const now = clock.now()
    if (found === undefined && isIrreversible(left) && (await wasBegun(left))) throw unknownFate(slot)
    const next = found === undefined ? firstOffer(left, now) : offeredAgain(found, engineAttempt, now)
    if (!(await store.putWork(next))) continue
    desk.moved(next)
    return next
  }
}

function isIrreversible({ body }: LeftWork): boolean {
  return body.effect === 'irreversible'
}

function firstOffer(left: LeftWork, now: number): StoredWork {
  const { run, effect } = left.step
  const { queue, handler, secrets } = left
  return {
    ...refOf(left),
    tenantId: run.identity.tenantId,
    revision: 1,
    state: 'offered',
    queue,
    handler,
    irreversible: isIrreversible(left),
    secrets,
    engineAttempt: effect.engineAttempt,
    offeredAt: now,
    touchedAt: now,
    claims: 0,
    body: JSON.stringify(left.body),
  }
}

/** Under a new driver; whoever has claimed it keeps it. */
function offeredAgain(found: StoredWork, engineAttempt: number, now: number): StoredWork {
  const { claim: _claim, report: _report, ...bare } = found
  const revision = found.revision + 1
  if (!isReopened(found)) return { ...found, revision, engineAttempt }
  return { ...bare, revision, engineAttempt, state: 'offered', touchedAt: now }
}

/** An earlier driver gave it up, and died before the log had that. */
function isReopened({ state, irreversible, claims }: StoredWork): boolean {
  return state === 'closed' && !(irreversible && claims > 0)
}

/** Its row is gone, but somebody had begun it. */
async function wasBegun({ step: { services, run, effect } }: LeftWork): Promise<boolean> {
  const claims = await services.store.readClaims(run.row.runKey)
  return claims.some(({ slot, attempt }) => slot === effect.slot && attempt === effect.attempt)
}

function unknownFate(slot: string): KeelsonError {
  const message = `a worker began '${slot}' and has not reported; whether it happened is not known`
  return new KeelsonError([problem('INDETERMINATE', message)])
}

function unclaimed({ slot, queue }: StoredWork): KeelsonError {
  return new KeelsonError([problem('WORK_UNCLAIMED', `no worker of the queue '${queue}' took '${slot}' in time`)])
}

/** This process waits no more, and nobody is told: another one waits, or the log has said already how it ended. */
function letGo(): KeelsonError {
  return new KeelsonError([problem('CANCELLED', 'nobody waits for this attempt here any more')])
}

class Waiting {
  readonly #left: LeftWork
  readonly #desk: WorkDesk
  readonly #work: WatchedWork
  #claims = 0

  constructor(left: LeftWork, desk: WorkDesk, row: StoredWork) {
    this.#left = left
    this.#desk = desk
    this.#work = desk.watch(row)
  }

  stop(): void {
    this.#work.stop()
  }

  async report(): Promise<WorkReport> {
    const { watch, step } = this.#left
    for (;;) {
      const { row } = this.#work
      if (row.state === 'reported') return reportOf(row)
      if (row.state === 'closed') throw row.irreversible ? unknownFate(row.slot) : letGo()
      if (row.claim !== undefined && row.claims > this.#claims) {
        this.#claims = row.claims
        this.#left.onClaim(row.claims, row.claim.at)
      }
      const aborted = watch.aborted()
      const isSilent =
        row.state === 'claimed' && row.claim !== undefined && row.claim.until <= step.services.clock.now()
      if (isSilent && row.irreversible) await this.#end(row, unknownFate(row.slot))
      else if (aborted === 'timeout') await this.#end(row, watch.signal.reason)
      else if (aborted === 'cancel') await this.#stopAsked(row)
      else if (row.state === 'offered' && this.#allowedMs(row) <= 0) await this.#end(row, unclaimed(row))
      else await this.#next(row)
    }
  }

  /** How long it may wait for its first worker: the time that the decider allows for queues, counted from here (P-26). */
  #allowedMs({ offeredAt }: StoredWork): number {
    return offeredAt + LIMITS.queueAllowanceMs - this.#left.step.services.clock.now()
  }

  /** A worker that has the step is waited for, until the decider's grace is over; work that nobody has ends at once. */
  async #stopAsked(row: StoredWork): Promise<void> {
    const { step, watch } = this.#left
    const run = await step.latest()
    const isOpen = workOf(run, step.effect) !== undefined
    if (isOpen && !isStopping(run.state)) throw letGo()
    if (isOpen && row.state === 'claimed') {
      await this.#work.next(LOOK_WHILE_STOPPING_MS, new AbortController().signal)
      return
    }
    await this.#end(row, isOpen ? watch.signal.reason : letGo())
  }

  /** Until it moves, until its lease is over, or until it is time to ask the log again. */
  async #next(row: StoredWork): Promise<void> {
    const { step, watch } = this.#left
    const leaseMs = row.irreversible && row.claim !== undefined ? row.claim.until - step.services.clock.now() : LOOK_MS
    const leftMs = Math.min(row.state === 'offered' ? this.#allowedMs(row) : leaseMs, LOOK_MS)
    await this.#work.next(Math.max(1, leftMs), watch.signal)
    if (this.#work.row !== row || watch.signal.aborted) return
    if (workOf(await step.latest(), step.effect) === undefined) await this.#end(row, letGo())
  }

  /** Throws the reason, and from then on a report is late. Returns when the row has moved: look again. */
  async #end(row: StoredWork, reason: unknown): Promise<void> {
    const { store, clock } = this.#left.step.services
    const closed: StoredWork = { ...row, revision: row.revision + 1, state: 'closed', touchedAt: clock.now() }
    if (await store.putWork(closed)) throw reason
    const found = await store.findWork(row)
    if (found === undefined) throw letGo()
    this.#desk.moved(found)
  }
}
