/**
 * Tells a program's listeners what happens to the runs this process drives (OBS-01 … OBS-03). It reads what was committed
 * and is never in the way of a run: nobody waits for a listener, and one that throws is told and forgotten.
 */
import type { RunAdvancer } from '../../app/advance/advance-run.ts'
import { BoundedCache } from '../../app/schemas/bounded-cache.ts'
import { isHeard, ListenerFold, withContext } from '../../app/views/listener-events.ts'
import { jsonCopy } from '../../app/log/json-copy.ts'
import { correlationOf, type LoadedRun } from '../../app/loaded/load-run.ts'
import { recordOf } from '../../app/log/read-events.ts'
import { readVariables } from '../../app/loaded/read-variables.ts'
import type { Services } from '../../app/services.ts'
import { FUNCTION, needKind, oneOf } from '../../core/option-kinds.ts'
import { LIMITS } from '../../core/limits.ts'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { TurnResult } from '../../ports/engine.ts'
import type {
  BareListenerEvent,
  BareObserver,
  Listener,
  ListenerEventName,
  ListenerEvent,
  Observer,
} from '../../ports/listeners.ts'
import type { RunKey, SealedEvent, StoredEvent } from '../../ports/run-store.ts'
import type { TellProblem } from './receipt-service.ts'

const ENDED_KEPT = 10_000
/** What was written since the clock was set back and before that was noticed. */
const JUST_BEFORE_MS = 60_000

/** The type makes the list complete. */
const NAMES: Readonly<Record<ListenerEventName, true>> = {
  'execution.started': true,
  'step.started': true,
  'step.completed': true,
  'step.retried': true,
  'step.failed': true,
  'execution.completed': true,
}
const EVENT_NAME = oneOf(...Object.keys(NAMES))

export interface ListenersParts {
  readonly services: Services
  readonly advancer: Pick<RunAdvancer, 'current'>
  readonly tell: TellProblem
}

interface Told {
  readonly fold: ListenerFold
  readonly runKey: RunKey
  /** Undefined: its plan was altered, so it has failed and its values cannot be read. */
  readonly run: LoadedRun | undefined
  afterSeq: number
  /** What is under way for this run; the next waits for it. */
  turn: Promise<void>
}

export class Listeners {
  readonly #parts: ListenersParts
  readonly #observers = new Set<Observer>()
  readonly #bare = new Set<BareObserver>()
  readonly #told = new Map<RunKey, Promise<Told>>()
  readonly #turns = new Set<Promise<void>>()
  /** Late results may move a run after its end; there is nothing to tell of them. */
  readonly #ended = new BoundedCache<RunKey, true>(ENDED_KEPT)
  /** What was recorded before anybody listened is not told. */
  #since = 0

  constructor(parts: ListenersParts) {
    this.#parts = parts
  }

  /** Takes every event. Returns an unsubscribe function. */
  observe(observer: Observer): () => void {
    return this.#join(this.#observers, observer)
  }

  /** For log lines, spans and counts: the variables of a run are read for nobody else's sake. */
  observeBare(observer: BareObserver): () => void {
    return this.#join(this.#bare, observer)
  }

  #join<T>(group: Set<T>, observer: T): () => void {
    if (this.#isAlone) this.#since = this.#parts.services.clock.now()
    group.add(observer)
    return () => {
      group.delete(observer)
      if (this.#isAlone) this.#told.clear()
    }
  }

  get #isAlone(): boolean {
    return this.#observers.size === 0 && this.#bare.size === 0
  }

  /** For the runs of one tenant, or of all tenants. */
  on<N extends ListenerEventName>(name: N, handler: Listener<N>, tenantId?: string): () => void {
    needKind('on: the name of the event', name, EVENT_NAME)
    needKind(`on '${name}': the handler`, handler, FUNCTION)
    const isMeant = ({ name: told, event }: ListenerEvent): boolean =>
      told === name && (tenantId === undefined || event.metadata.tenantId === tenantId)
    return this.observe((event) => (isMeant(event) ? (handler as (event: unknown) => unknown)(event.event) : undefined))
  }

  /** A run of this process has moved on. */
  moved(runKey: RunKey, report: TurnResult): void {
    if (this.#isAlone || this.#ended.get(runKey) === true) return
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
    const begun = { runKey, afterSeq: 0, turn: Promise.resolve() }
    try {
      const run = await this.#parts.advancer.current(runKey)
      return { ...begun, run, fold: new ListenerFold(run.plan.plan, correlationOf(run)) }
    } catch (thrown) {
      if (!(thrown instanceof KeelsonError) || thrown.code !== 'PLAN_INTEGRITY_VALIDATION_FAILED') throw thrown
      const runId = (await this.#parts.services.store.getRun(runKey))?.runId ?? ''
      return { ...begun, run: undefined, fold: new ListenerFold({ steps: [] }, runId) }
    }
  }

  async #turn(begun: Promise<Told>, result: TurnResult): Promise<void> {
    const told = await begun
    const turn = this.#tellTurn(told, told.turn, result)
    told.turn = turn.catch(() => undefined)
    await turn
  }

  async #tellTurn(told: Told, before: Promise<void>, { headSeq, written = [] }: TurnResult): Promise<void> {
    await before
    await this.#tellWritten(told, written)
    await this.#tellUpTo(told, headSeq)
  }

  /** What the turn has at hand is not read back, where nothing lies between it and what was told. */
  async #tellWritten(told: Told, written: readonly SealedEvent[]): Promise<void> {
    const persistedAt = this.#parts.services.clock.now()
    for (const event of written)
      if (event.runSeq === told.afterSeq + 1) await this.#tellOne(told, { ...event, persistedAt })
  }

  async #tellUpTo(told: Told, headSeq: number): Promise<void> {
    const { store } = this.#parts.services
    while (told.afterSeq < headSeq) {
      const page = await store.readEvents(told.runKey, {
        afterSeq: told.afterSeq,
        limit: LIMITS.fetchPageEvents,
      })
      if (page.length === 0) return
      for (const stored of page) await this.#tellOne(told, stored)
    }
  }

  async #tellOne(told: Told, stored: StoredEvent): Promise<void> {
    const record = isHeard(stored.eventType) ? recordOf(stored) : undefined
    const heard = record?.ok === true ? told.fold.take(record.value) : []
    if (stored.persistedAt >= this.#since) await this.#emit(told, heard, stored.runSeq)
    told.afterSeq = stored.runSeq
  }

  async #emit({ run, runKey }: Told, heard: readonly BareListenerEvent[], seq: number): Promise<void> {
    if (heard.length === 0) return
    const { store, redactors } = this.#parts.services
    const redactor = redactors?.of(runKey)
    const masked = <E>(told: E): E => (redactor === undefined ? told : redactor.value(told))
    for (const bare of heard.map(masked)) for (const observer of this.#bare) this.#call(observer, bare)
    if (this.#observers.size === 0) return
    const context = run === undefined ? {} : jsonCopy(await readVariables(store, run, seq))
    for (const bare of heard) {
      const told = masked(withContext(bare, context))
      for (const observer of this.#observers) this.#call(observer, told)
    }
  }

  /** A listener may be asynchronous; nobody waits, but its failure is told as well. */
  #call<E>(observer: (event: E) => unknown, event: E): void {
    try {
      Promise.resolve(observer(event)).catch((thrown: unknown) => this.#complain(thrown))
    } catch (thrown) {
      this.#complain(thrown)
    }
  }

  #complain(thrown: unknown): void {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    this.#parts.tell(problem('LISTENER_FAILED', `a listener failed: ${why}`))
  }
}
