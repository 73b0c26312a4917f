/**
 * Tells a program's listeners what happens to the runs this process drives (OBS-01 … OBS-03). It reads what was committed
 * and is never in the way of a run: nobody waits for a listener, and one that throws is told and forgotten.
 */
import type { RunAdvancer } from '../../app/advance-run.ts'
import { BoundedCache } from '../../app/bounded-cache.ts'
import { HookFold, withContext, type BareHook } from '../../app/hook-events.ts'
import { jsonCopy } from '../../app/json-copy.ts'
import { correlationOf, type LoadedRun } from '../../app/load-run.ts'
import { recordOf } from '../../app/read-events.ts'
import { readVariables } from '../../app/read-variables.ts'
import type { Services } from '../../app/services.ts'
import { LIMITS } from '../../core/limits.ts'
import { problem } from '../../core/problems/problem.ts'
import { isTerminalRun } from '../../core/run/transitions.ts'
import type { AdvanceReport } from '../../ports/engine.ts'
import type { HookHandler, HookName, NamedHook, Observer } from '../../ports/hooks.ts'
import type { RunKey } from '../../ports/run-store.ts'
import type { TellProblem } from './receipt-service.ts'

const ENDED_KEPT = 10_000
/** What was written since the clock was set back and before that was noticed. */
const JUST_BEFORE_MS = 60_000

export interface HookParts {
  readonly services: Services
  readonly advancer: Pick<RunAdvancer, 'current'>
  readonly tell: TellProblem
}

interface Told {
  readonly fold: HookFold
  readonly run: LoadedRun
  afterSeq: number
  /** What is under way for this run; the next waits for it. */
  turn: Promise<void>
}

export class Hooks {
  readonly #parts: HookParts
  readonly #observers = new Set<Observer>()
  readonly #told = new Map<RunKey, Promise<Told>>()
  readonly #turns = new Set<Promise<void>>()
  /** Late results may move a run after its end; there is nothing to tell of them. */
  readonly #ended = new BoundedCache<RunKey, true>(ENDED_KEPT)
  /** What was recorded before anybody listened is not told. */
  #since = 0

  constructor(parts: HookParts) {
    this.#parts = parts
  }

  /** Takes every event; gives back what ends that. */
  observe(observer: Observer): () => void {
    if (this.#observers.size === 0) this.#since = this.#parts.services.clock.now()
    this.#observers.add(observer)
    return () => {
      this.#observers.delete(observer)
      if (this.#observers.size === 0) this.#told.clear()
    }
  }

  on<N extends HookName>(name: N, handler: HookHandler<N>): () => void {
    return this.observe((hook) =>
      hook.name === name ? (handler as (event: unknown) => unknown)(hook.event) : undefined,
    )
  }

  /** A run of this process has moved on. */
  moved(runKey: RunKey, report: AdvanceReport): void {
    if (this.#observers.size === 0 || this.#ended.get(runKey) === true) return
    this.#followClock()
    const told = this.#told.get(runKey) ?? this.#begin(runKey)
    this.#told.set(runKey, told)
    const turn = this.#turn(told, report).catch((thrown: unknown) => this.#complain(thrown))
    if (isTerminalRun(report.status)) {
      this.#told.delete(runKey)
      this.#ended.set(runKey, true)
    }
    this.#turns.add(turn)
    void turn.then(() => this.#turns.delete(turn))
  }

  /** A clock that was set back stamps what is new with instants from before. */
  #followClock(): void {
    const now = this.#parts.services.clock.now()
    if (now < this.#since) this.#since = now - JUST_BEFORE_MS
  }

  /** Resolves when everything committed until now was told. */
  async flush(): Promise<void> {
    await Promise.all(this.#turns)
  }

  async #begin(runKey: RunKey): Promise<Told> {
    const run = await this.#parts.advancer.current(runKey)
    return { fold: new HookFold(run.plan.plan, correlationOf(run)), run, afterSeq: 0, turn: Promise.resolve() }
  }

  async #turn(begun: Promise<Told>, { headSeq }: AdvanceReport): Promise<void> {
    const told = await begun
    const turn = told.turn.then(() => this.#tellUpTo(told, headSeq))
    told.turn = turn.catch(() => undefined)
    await turn
  }

  async #tellUpTo(told: Told, headSeq: number): Promise<void> {
    const { store } = this.#parts.services
    while (told.afterSeq < headSeq) {
      const page = await store.readEvents(told.run.row.runKey, {
        afterSeq: told.afterSeq,
        limit: LIMITS.fetchPageEvents,
      })
      const last = page.at(-1)
      if (last === undefined) return
      for (const stored of page) {
        const record = recordOf(stored)
        const hooks = record.ok ? told.fold.take(record.value) : []
        if (stored.persistedAt >= this.#since) await this.#emit(told.run, hooks, stored.runSeq)
      }
      told.afterSeq = last.runSeq
    }
  }

  async #emit(run: LoadedRun, hooks: readonly BareHook[], seq: number): Promise<void> {
    if (hooks.length === 0) return
    const { store, redactor } = this.#parts.services
    const variables = jsonCopy(await readVariables(store, run, seq))
    const context = redactor === undefined ? variables : redactor.value(variables)
    for (const bare of hooks) {
      const hook = withContext(bare, context)
      for (const observer of this.#observers) this.#call(observer, hook)
    }
  }

  /** A listener may be asynchronous; nobody waits, but its failure is told as well. */
  #call(observer: Observer, hook: NamedHook): void {
    try {
      Promise.resolve(observer(hook) as unknown).catch((thrown: unknown) => this.#complain(thrown))
    } catch (thrown) {
      this.#complain(thrown)
    }
  }

  #complain(thrown: unknown): void {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    this.#parts.tell(problem('HOOK_FAILED', `a listener failed: ${why}`))
  }
}
