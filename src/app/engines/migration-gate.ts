/**
 * The gate of a migration: no new step starts while a run changes engines. A driven run is paused by a normal signal,
 * with a reason that identifies the gate; a run without a driver is held by its lease, and needs no draining: its open
 * work is dispatched again anyway.
 */
import { fail } from '../../core/problems/problem.ts'
import type { Effect } from '../../core/run/effect.ts'
import { engineTypeOf, isOutside, type EngineType } from '../../core/engine/engine-type.ts'
import { openEffects } from '../../core/run/open-effects.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { Engines } from './engines.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { pauseReason } from '../views/pause-reason.ts'
import type { Services } from '../services.ts'
import { signalRun } from '../signals/signal-run.ts'

export interface GateParts {
  readonly services: Services
  readonly engines: Engines
  /** The name of this process in leases. */
  readonly owner: string
  readonly isOwnerGone: (owner: string) => boolean
}

const REASON = 'migrate to '
const HOLD_MS = 15_000

/** Slots that are being executed: people, timers and child runs go on under any engine. */
export function workOf(effects: readonly Effect[]): readonly string[] {
  const isWork = ({ kind }: Effect): boolean => kind === 'ExecuteStep' || kind === 'CancelStep' || kind === 'Compensate'
  return effects.filter(isWork).map(({ slot }) => slot)
}

export class Gate {
  readonly #parts: GateParts
  readonly #row: RunRow
  readonly #order: { readonly to: EngineType; readonly actorId: string }
  #lifts = false
  #holds = false
  #hasPaused = false
  /** The time for draining is over: running work is handed over with the run. */
  forced = false
  /** The run was paused before the migration, and stays paused. */
  wasPaused = false

  constructor(parts: GateParts, row: RunRow, order: { readonly to: EngineType; readonly actorId: string }) {
    this.#parts = parts
    this.#row = row
    this.#order = order
  }

  async shut(): Promise<void> {
    const isPaused = this.#row.status === 'PAUSED'
    this.wasPaused = isPaused && !(await this.takeUp())
    this.#holds = await this.#takeLease()
    if (!this.#holds && !isPaused) await this.#pause()
  }

  /**
   * A pause that others made may be lifted at any moment, perhaps by a signal that was on its way before this migration began:
   * the resume of the one before it. Then the gate pauses by itself, once; who lifts that pause wants the run to stay.
   */
  async keepShut({ state }: LoadedRun): Promise<void> {
    if (this.#holds || this.#hasPaused || state.status === 'PAUSED' || isTerminalRun(state.status)) return
    this.wasPaused = false
    await this.#pause()
  }

  /** Removes only its own pause; a pause that a person made stays. */
  async open(): Promise<void> {
    const { store } = this.#parts.services
    if (this.#holds) await store.releaseLease(this.#row.runKey, this.#holder)
    if (this.#lifts) await this.#signal('RESUME')
  }

  /** What prevents the hand-off; empty when nothing does. */
  workAt({ plan, state, epoch }: LoadedRun): readonly string[] {
    const { runId, engineType } = this.#row
    if (isTerminalRun(state.status)) fail('RUN_TERMINAL', `run ${runId} ended ${state.status} before it could be moved`)
    if (state.engineType !== engineType)
      fail('ENGINE_UNCHANGED', `run ${runId} was moved to '${state.engineType}' by somebody else meanwhile`)
    if (this.forced || this.#holds) return []
    const work = workOf(openEffects(plan.graph, state, epoch))
    return work.length === 0 && state.status !== 'PAUSED' ? ['it is not paused yet'] : work
  }

  /** True when an unfinished migration shut the gate: then this one lifts it. */
  async takeUp(): Promise<boolean> {
    const { store } = this.#parts.services
    const reason = this.#row.status === 'PAUSED' ? await pauseReason(store, this.#row.runKey) : undefined
    this.#lifts = reason?.startsWith(REASON) === true
    return this.#lifts
  }

  /** In the name of the migration and not of this process, whose own engine must not take the run meanwhile. */
  get #holder(): string {
    return `${this.#parts.owner}#migrate`
  }

  /** True when nobody drives the run, and nobody can now. The workers of an outside engine need no lease. */
  async #takeLease(): Promise<boolean> {
    const { services, engines, isOwnerGone } = this.#parts
    const { store, clock } = services
    const { runKey, engineType } = this.#row
    const isDrivenHere = engines.of(engineType)?.host.drives(runKey) === true
    if (isDrivenHere || isOutside(engineTypeOf(engineType))) return false
    const acquire = async (gone?: string): Promise<RunRow | undefined> =>
      store.acquireLease(runKey, this.#holder, clock.now(), clock.now() + HOLD_MS, gone)
    if ((await acquire()) !== undefined) return true
    const { lease } = (await store.getRun(runKey)) ?? {}
    if (lease === undefined || !isOwnerGone(lease.owner)) return false
    return (await acquire(lease.owner)) !== undefined
  }

  async #pause(): Promise<void> {
    this.#lifts = true
    this.#hasPaused = true
    await this.#signal('PAUSE')
  }

  async #signal(signalType: 'PAUSE' | 'RESUME'): Promise<void> {
    const { services, engines } = this.#parts
    const { runKey } = this.#row
    const now = await services.store.getRun(runKey)
    if (now === undefined || isTerminalRun(now.status)) return
    const { to, actorId } = this.#order
    const payload = { reason: `${REASON}${to}` }
    const sender = { actorId, actorRole: 'Admin', allowed: true }
    await signalRun(services, this.#row, { signalId: services.random.uuid(), signalType, payload }, sender)
    engines.wake(runKey)
  }
}
