/**
 * Fail-open of intents (LAT-02, docs/adr/0003-fail-open.md): a decision that consists only of StepStarted and needs no
 * grant may be written to a local buffer when the store exceeds its time limit. It enters the log before anything else
 * of its run.
 */
import type { EventType } from '../../core/events/event.ts'
import { LIMITS } from '../../core/limits.ts'
import { KeelsonError, problem, type Problem } from '../../core/problems/problem.ts'
import type { Draft } from '../../core/run/draft.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { locate, stepAt } from '../../core/run/state/units.ts'
import type { IntentBuffer } from '../../ports/intents.ts'
import type { CommitResult, RunCommit, RunKey, RunRef, RunStore } from '../../ports/run-store.ts'
import type { Timers } from '../../ports/timers.ts'
import { withinBudget } from './budget.ts'
import { intentLine, intentOf, type Intent } from './intent.ts'
import type { CommitQueue } from './queue.ts'

export interface FailOpenParts {
  readonly store: RunStore
  readonly timers: Timers
  readonly buffer: IntentBuffer
  readonly late: ReadonlySet<EventType>
  readonly writeLatencyBudgetMs?: number
  /** Called for each intent that no longer fits. */
  readonly tell: (problem: Problem) => void
}

/** One turn's decision on its way to the log. */
export interface Decided {
  readonly run: RunRef
  readonly state: RunState
  readonly drafts: readonly Draft[]
  readonly commit: RunCommit
}

/** The decision is in the local buffer and counts as committed. */
export interface Diverted {
  readonly kind: 'diverted'
}

/** How long a run with buffered intents waits before it asks the store again. */
export const ASK_AGAIN_MS = 200

export type Reconciled =
  | { readonly kind: 'clear' }
  /** Intents wait, and the store still does not answer. */
  | { readonly kind: 'down'; readonly problem: KeelsonError }
  /** The log continued without the intents: the cached run is wrong. */
  | { readonly kind: 'dropped' }

export class FailOpen {
  readonly #parts: FailOpenParts
  readonly #ahead = new Map<RunKey, Intent[]>()

  constructor(parts: FailOpenParts) {
    this.#parts = parts
  }

  /** Otherwise it only writes intents that were left behind. */
  get isOn(): boolean {
    return this.#parts.late.size > 0
  }

  /** The cached fold holds intents that the log does not have yet. */
  isAhead(runKey: RunKey): boolean {
    return this.#ahead.has(runKey)
  }

  /** Decides with the store's help, or without it when the store does not answer in time. */
  async decide<T>(down: KeelsonError | undefined, decide: (blind?: KeelsonError) => Promise<T>): Promise<T> {
    try {
      return await this.#inTime(decide(down))
    } catch (thrown) {
      if (down !== undefined || !isAway(thrown)) throw thrown
      return this.#inTime(decide(thrown))
    }
  }

  /**
   * Commits, or buffers on disk what may be late: then its effects may leave all the same. `blind`: the store is not
   * asked.
   */
  async submit(queue: CommitQueue, write: Decided, blind?: KeelsonError): Promise<CommitResult | Diverted> {
    try {
      if (blind !== undefined) throw blind
      return await queue.submit(write.commit)
    } catch (thrown) {
      if (isAway(thrown) && (await this.#divert(write))) return { kind: 'diverted' }
      throw thrown
    }
  }

  async #divert({ run, state, drafts, commit }: Decided): Promise<boolean> {
    const { buffer, late } = this.#parts
    const { runKey, expected, events, summary } = commit
    const mayBeLate = (draft: Draft): boolean => late.has(draft.eventType) && mayRunTwice(draft, state)
    if (runKey === undefined || !state.intentLate || !isAlone(commit)) return false
    if (drafts.length === 0 || !drafts.every(mayBeLate)) return false
    const { tenantId, runId } = run
    const intent = { run: { tenantId, runId }, commit: { expected, events, summary } }
    await buffer.append(intentLine(intent))
    this.#ahead.set(runKey, [...(this.#ahead.get(runKey) ?? []), intent])
    return true
  }

  /** Writes the run's intents into its log, each exactly once: one that arrived after all is found there. */
  async reconcile(runKey: RunKey, queue: CommitQueue): Promise<Reconciled> {
    for (let intent = this.#ahead.get(runKey)?.[0]; intent !== undefined; intent = this.#ahead.get(runKey)?.[0]) {
      let fits: boolean
      try {
        fits = await this.#write(runKey, intent, queue)
      } catch (thrown) {
        if (isAway(thrown)) return { kind: 'down', problem: thrown }
        throw thrown
      }
      if (!fits) {
        // Later intents were decided on this one.
        for (const one of this.#ahead.get(runKey) ?? []) await this.#drop(one)
        await this.#settled(runKey, [])
        return { kind: 'dropped' }
      }
      await this.#settled(runKey, this.#ahead.get(runKey)?.slice(1) ?? [])
    }
    return { kind: 'clear' }
  }

  /** After a crash: intents that still fit enter their logs before the runs are adopted. */
  async recover(queue: CommitQueue): Promise<void> {
    const { store, buffer } = this.#parts
    for (const left of await buffer.leftBehind()) {
      for await (const line of left.lines()) {
        const intent = intentOf(line)
        if (intent === undefined) continue
        const row = await store.findRun(intent.run)
        const fits = row !== undefined && row.archivedAt === undefined && (await this.#write(row.runKey, intent, queue))
        if (!fits) await this.#drop(intent)
      }
      await left.remove()
    }
  }

  async #settled(runKey: RunKey, left: Intent[]): Promise<void> {
    if (left.length > 0) this.#ahead.set(runKey, left)
    else this.#ahead.delete(runKey)
    if (this.#ahead.size === 0) await this.#parts.buffer.clear()
  }

  async #write(runKey: RunKey, { commit }: Intent, queue: CommitQueue): Promise<boolean> {
    const { kind } = await queue.submit({ runKey, ...commit })
    return kind === 'committed' || (kind === 'conflict' && (await this.#hasLanded(runKey, commit)))
  }

  /** An abandoned write may have been made all the same: the chain shows it, because it covers every byte. */
  async #hasLanded(runKey: RunKey, { expected, events }: Intent['commit']): Promise<boolean> {
    const range = { afterSeq: expected.nextSeq - 1, limit: events.length }
    const stored = await this.#inTime(this.#parts.store.readEvents(runKey, range))
    return events.every((event, at) => Buffer.compare(event.chainHash, stored[at]?.chainHash ?? new Uint8Array()) === 0)
  }

  async #drop({ run, commit }: Intent): Promise<void> {
    const keys = commit.events.map(({ runSeq, eventType }) => `${eventType} ${runSeq}`).join(', ')
    const message = `run ${run.runId} went on without what was meant to be written: ${keys}`
    const dropped = problem('INTENT_DROPPED', message, { details: { runId: run.runId, expected: commit.expected } })
    await this.#parts.buffer.setAside(
      JSON.stringify({ ...dropped, records: commit.events.map(({ record }) => record) }),
    )
    this.#parts.tell(dropped)
  }

  #inTime<T>(answer: Promise<T>): Promise<T> {
    return withinBudget(this.#parts.timers, this.#parts.writeLatencyBudgetMs ?? LIMITS.writeLatencyBudgetMs, answer)
  }
}

const AWAY: ReadonlySet<string> = new Set(['STORE_WRITE_TIMEOUT', 'STORE_UNAVAILABLE', 'STORE_LOCKED', 'STORE_FULL'])

function isAway(thrown: unknown): thrown is KeelsonError {
  return thrown instanceof KeelsonError && AWAY.has(thrown.code)
}

/** Only events: inbox rows, grants, variables and values need the store that does not answer. */
function isAlone(commit: RunCommit): boolean {
  const { newEpoch, consumed = [], context = [], notify = [], blobs = [], releases, claims, waits, eventWaits } = commit
  const rows = consumed.length + context.length + notify.length + blobs.length
  const others = [newEpoch, releases, claims, waits, eventWaits]
  return rows === 0 && others.every((one) => one === undefined)
}

/** An irreversible step needs its claim in the store first (P-28). */
function mayRunTwice({ slot }: Draft, state: RunState): boolean {
  const unit = locate(state, slot)?.unit
  return unit !== undefined && stepAt(state.graph, unit.step).effect !== 'irreversible'
}
