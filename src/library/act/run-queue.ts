/**
 * Runs that are admitted now and started later: when somebody asks for what is queued (QUEUE), or when their time has come
 * (DELAY). Any number of processes may start what is queued in one store: each run starts once (BPQ-05).
 */
import { approveRun, rejectRun, settleRun } from '../../app/steer/approve-run.ts'
import { dequeueAndStart, type Dequeued } from '../../app/start/dequeue-runs.ts'
import { mustFitNames } from '../../app/log/fitting.ts'
import type { Principal } from '../../app/principal.ts'
import type { StartRequest } from '../../app/start/start-request.ts'
import { isOutside } from '../../core/engine/engine-type.ts'
import { needKnown, type OptionNames } from '../../core/known-options.ts'
import { COUNT, needText, TEXT, TEXTS } from '../../core/option-kinds.ts'
import { fail } from '../../core/problems/problem.ts'
import type { RunStatus } from '../../core/run/state/transitions.ts'
import type { RunKey, RunRow } from '../../ports/run-store.ts'
import { vouchedFor } from './leave-signal.ts'
import type { Parts } from '../parts.ts'

export interface AdmissionOptions {
  /** Admit the run and leave it in the queue, until `keelson.queue.start()` of any process on this store starts it. */
  readonly queue?: boolean
  /** Not before this instant (epoch milliseconds or a Date). Whoever drives the run starts it then. */
  readonly notBefore?: number | Date
  /** With `queue: true`: false leaves it PENDING until somebody says `keelson.queue.approve`. Default true. */
  readonly autoApprove?: boolean
}

export interface Approver {
  /** Who decides, for the log. Default: whom this process acts for. */
  readonly actorId?: string
}

export interface Rejection extends Approver {
  readonly reason?: string
}

/** Where the run is now. Still PENDING: another process has it, and takes the word next. */
export interface Decided {
  readonly runId: string
  readonly status: RunStatus
}

export interface QueueStart {
  /** At most so many. Default 1,000. */
  readonly limit?: number
  /** Only these; default all that are queued. */
  readonly runIds?: readonly string[]
}

const HOLD_MS = 15_000
const QUEUE_START: OptionNames<QueueStart> = { limit: COUNT, runIds: TEXTS }
const APPROVER: OptionNames<Approver> = { actorId: TEXT }
const REJECTION: OptionNames<Rejection> = { actorId: TEXT, reason: TEXT }

/** Undefined: the run starts at once. */
export function admissionOf(options: AdmissionOptions): StartRequest['admission'] {
  const { queue = false, notBefore, autoApprove = true } = options
  if (!autoApprove && (!queue || notBefore !== undefined))
    fail('USAGE', 'a run that needs approval waits in the queue: give queue: true and no notBefore')
  if (!queue && notBefore === undefined) return undefined
  const at = notBefore === undefined ? {} : { notBefore: Number(notBefore) }
  return { policy: queue ? 'QUEUE' : 'DELAY', autoApprove, ...at }
}

interface StartingHere {
  readonly lease: () => { readonly owner: string; readonly until: number }
  readonly letGo: (runKey: RunKey) => void
}

/** A process that drives nothing holds a run only while it starts it, and then leaves it to one that does. */
function startingHere({ services, advancer, owner }: Parts): StartingHere {
  const { store, clock } = services
  const holder = `${owner}#queue`
  return {
    lease: () => ({ owner: holder, until: clock.now() + HOLD_MS }),
    letGo: (runKey) => {
      advancer.release(runKey)
      // Where the store does not take it, the lease runs out.
      store.releaseLease(runKey, holder).catch(() => undefined)
    },
  }
}

export class RunQueue {
  readonly #parts: Parts
  readonly #principal: Principal
  readonly #check: (row: RunRow) => Promise<void>

  constructor(parts: Parts, principal: Principal, check: (row: RunRow) => Promise<void>) {
    this.#parts = parts
    this.#principal = principal
    this.#check = check
  }

  /**
   * Starts what is queued, oldest first, and drives it in this process. SKIPPED: not due, not approved, without room, or another
   * process has it; FAILED: it cannot be started here, and stays queued.
   */
  async start(options: QueueStart = {}): Promise<readonly Dequeued[]> {
    needKnown('queue.start', options, QUEUE_START)
    const { limit, runIds } = options
    const { services, advancer, engine, capabilities, drives = true } = this.#parts
    // An outside engine has a queue of its own.
    if (isOutside(capabilities.engineType)) return []
    const here = startingHere(this.#parts)
    return dequeueAndStart(services, advancer, {
      tenantId: this.#principal.tenantId,
      lease: () => engine.lease() ?? here.lease(),
      engineType: capabilities.engineType,
      onStarted: ({ runKey }, report) => (drives ? engine.drive(runKey, report) : here.letGo(runKey)),
      check: this.#check,
      ...(limit === undefined ? {} : { limit }),
      ...(runIds === undefined ? {} : { runIds: new Set(runIds) }),
    })
  }

  /** Lets a run start that was queued with `autoApprove: false`; it stays queued until somebody starts it. */
  async approve(runId: string, by: Approver = {}): Promise<Decided> {
    needKnown('queue.approve', by, APPROVER)
    const { actorId = this.#principal.actorId } = by
    return { runId, status: await approveRun(this.#parts, await this.#row(runId), actorId) }
  }

  /** Where a run that waits for approval is, after what was said of it meanwhile is taken: a cancel in its inbox ends it. */
  async settle(runId: string): Promise<Decided> {
    return { runId, status: await settleRun(this.#parts, await this.#row(runId)) }
  }

  /** Ends such a run before it began. */
  async reject(runId: string, by: Rejection = {}): Promise<Decided> {
    needKnown('queue.reject', by, REJECTION)
    const { actorId = this.#principal.actorId, reason } = by
    return { runId, status: await rejectRun(this.#parts, await this.#row(runId), vouchedFor(actorId), reason) }
  }

  async #row(runId: string): Promise<RunRow> {
    mustFitNames({ runId: needText('the id of a run', runId) })
    const row = await this.#parts.services.store.findRun({ tenantId: this.#principal.tenantId, runId })
    return row ?? fail('RUN_NOT_FOUND', `no run ${runId}`)
  }
}
