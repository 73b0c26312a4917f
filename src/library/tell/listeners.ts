/**
 * Tells a program's listeners what happens to the runs this process drives (OBS-01 … OBS-03). It reads what was committed
 * and is never in the way of a run: nobody waits for a listener, and one that throws is told and forgotten.
 */
import type { RunAdvancer } from '../../app/advance/advance-run.ts'
import { isHeard, ListenerFold, withContext, type HeardEvent } from '../../app/views/listener-events.ts'
import { jsonCopy } from '../../app/log/json-copy.ts'
import { correlationOf, identityOf, type LoadedRun } from '../../app/loaded/load-run.ts'
import { recordOf } from '../../app/log/read-events.ts'
import { readVariables } from '../../app/loaded/read-variables.ts'
import type { Services } from '../../app/services.ts'
import { FUNCTION, needKind, oneOf } from '../../core/option-kinds.ts'
import { LIMITS } from '../../core/limits.ts'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { TurnResult, WrittenEvent } from '../../ports/engine.ts'
import type {
  BareListenerEvent,
  BareObserver,
  Listener,
  ListenerEventName,
  ListenerEvent,
  Observer,
} from '../../ports/listeners.ts'
import type { RunKey } from '../../ports/run-store.ts'
import type { TellProblem } from './receipt-service.ts'

/** Of each of two sets: when the newer one is full, the older one is dropped. */
const ENDED_KEPT = 5_000
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
  readonly advancer: Pick<RunAdvancer, 'current' | 'atHand'>
  readonly tell: TellProblem
}

interface Told {
  readonly fold: ListenerFold
  readonly runKey: RunKey
  /** Undefined: its plan was altered, so it has failed and its values cannot be read. */
  readonly run: LoadedRun | undefined
  afterSeq: number
  /** What is under way for this run; the next waits for it. */
  turn: Promise<void> | undefined
}

export class Listeners {
  readonly #parts: ListenersParts
  readonly #observers = new Set<Observer>()
  readonly #bare = new Set<BareObserver>()
  readonly #told = new Map<RunKey, Told | Promise<Told>>()
  readonly #turns = new Set<Promise<void>>()
  /** Late results may move a run after its end; there is nothing to tell of them. */
  #ended = new Set<RunKey>()
  #endedBefore = new Set<RunKey>()
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
    if (this.#isAlone || this.#hasEnded(runKey)) return
    this.#followClock()
    const told = this.#told.get(runKey) ?? this.#begin(runKey)
    if (!isTerminalRun(report.status)) this.#told.set(runKey, told)
    else {
      this.#told.delete(runKey)
      this.#noteEnd(runKey)
    }
    if (!(told instanceof Promise) && this.#tellAtOnce(told, report)) return
    const turn = this.#turn(told, report).catch((thrown: unknown) => this.#complain(thrown))
    this.#turns.add(turn)
    void turn.then(() => this.#turns.delete(turn))
  }

  #hasEnded(runKey: RunKey): boolean {
    return this.#ended.has(runKey) || this.#endedBefore.has(runKey)
  }

  #noteEnd(runKey: RunKey): void {
    if (this.#ended.size >= ENDED_KEPT) {
      this.#endedBefore = this.#ended
      this.#ended = new Set()
    }
    this.#ended.add(runKey)
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

  #begin(runKey: RunKey): Told | Promise<Told> {
    const run = this.#parts.advancer.atHand(runKey)
    return run === undefined ? this.#load(runKey) : beginOf(run)
  }

  async #load(runKey: RunKey): Promise<Told> {
    try {
      const begun = beginOf(await this.#parts.advancer.current(runKey))
      // Unless the run has ended meanwhile, or nobody listens any more.
      if (this.#told.has(runKey)) this.#told.set(runKey, begun)
      return begun
    } catch (thrown) {
      if (!(thrown instanceof KeelsonError) || thrown.code !== 'PLAN_INTEGRITY_VALIDATION_FAILED') throw thrown
      const row = await this.#parts.services.store.getRun(runKey)
      if (row === undefined) throw thrown
      const fold = new ListenerFold({ steps: [] }, identityOf(row), row.runId)
      return { runKey, run: undefined, fold, afterSeq: 0, turn: undefined }
    }
  }

  /** Where nothing has to be read or waited for. False: it has, and nothing was told. */
  #tellAtOnce(told: Told, { headSeq, written = [] }: TurnResult): boolean {
    if (told.turn !== undefined || this.#observers.size > 0) return false
    if (!isWhole(written, told.afterSeq, headSeq)) return false
    for (const event of written) this.#tellBare(told, told.fold.take(event))
    told.afterSeq = headSeq
    return true
  }

  async #turn(begun: Told | Promise<Told>, result: TurnResult): Promise<void> {
    const told = await begun
    const turn = this.#tellTurn(told, told.turn, result)
    const settled = turn.catch(() => undefined)
    told.turn = settled
    await turn
    if (told.turn === settled) told.turn = undefined
  }

  async #tellTurn(told: Told, before: Promise<void> | undefined, { headSeq, written = [] }: TurnResult): Promise<void> {
    await before
    // What the turn has at hand is not read back, where nothing lies between it and what was told.
    for (const event of written) if (event.runSeq === told.afterSeq + 1) await this.#tellOne(told, event, true)
    await this.#tellUpTo(told, headSeq)
  }

  async #tellUpTo(told: Told, headSeq: number): Promise<void> {
    const { store } = this.#parts.services
    while (told.afterSeq < headSeq) {
      const page = await store.readEvents(told.runKey, {
        afterSeq: told.afterSeq,
        limit: LIMITS.fetchPageEvents,
      })
      if (page.length === 0) return
      for (const stored of page) {
        const record = isHeard(stored.eventType) ? recordOf(stored) : undefined
        if (record?.ok === true) await this.#tellOne(told, record.value, stored.persistedAt >= this.#since)
        told.afterSeq = stored.runSeq
      }
    }
  }

  async #tellOne(told: Told, event: HeardEvent, isNew: boolean): Promise<void> {
    const heard = told.fold.take(event)
    if (isNew) await this.#emit(told, heard, event.runSeq)
    told.afterSeq = event.runSeq
  }

  async #emit(told: Told, heard: readonly BareListenerEvent[], seq: number): Promise<void> {
    this.#tellBare(told, heard)
    if (heard.length === 0 || this.#observers.size === 0) return
    const { store } = this.#parts.services
    const context = told.run === undefined ? {} : jsonCopy(await readVariables(store, told.run, seq))
    for (const bare of heard) {
      const event = this.#masked(told, withContext(bare, context))
      for (const observer of this.#observers) this.#call(observer, event)
    }
  }

  #tellBare(told: Told, heard: readonly BareListenerEvent[]): void {
    if (this.#bare.size === 0) return
    for (const bare of heard) {
      const event = this.#masked(told, bare)
      for (const observer of this.#bare) this.#call(observer, event)
    }
  }

  #masked<E>({ runKey }: Told, event: E): E {
    const redactor = this.#parts.services.redactors?.of(runKey)
    return redactor === undefined ? event : redactor.value(event)
  }

  /** A listener may be asynchronous; nobody waits, but its failure is told as well. */
  #call<E>(observer: (event: E) => unknown, event: E): void {
    try {
      const answer = observer(event)
      if (answer !== undefined) Promise.resolve(answer).catch((thrown: unknown) => this.#complain(thrown))
    } catch (thrown) {
      this.#complain(thrown)
    }
  }

  #complain(thrown: unknown): void {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    this.#parts.tell(problem('LISTENER_FAILED', `a listener failed: ${why}`))
  }
}

function beginOf(run: LoadedRun): Told {
  const fold = new ListenerFold(run.plan.plan, run.identity, correlationOf(run))
  return { runKey: run.row.runKey, run, fold, afterSeq: 0, turn: undefined }
}

/** Whether these are all events between the two numbers. */
function isWhole(written: readonly WrittenEvent[], afterSeq: number, headSeq: number): boolean {
  return headSeq - afterSeq === written.length && (written[0]?.runSeq ?? afterSeq + 1) === afterSeq + 1
}
