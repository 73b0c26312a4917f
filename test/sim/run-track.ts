/**
 * What the world keeps of one run beside the store: every record that reached the disk, the epoch and number the next
 * append must expect, the oracle, and a view grown page by page. It is compared with the store at the end.
 */
import { createHash } from 'node:crypto'
import type { CompiledPlan } from '../../src/app/plans/compile.ts'
import type { NewRun, RunCommit, RunKey, SealedEvent } from '../../src/ports/run-store.ts'
import { couldStart, mayWait, wakeBy } from './oracle-rest.ts'
import { isEnd, logEvent, type LogEvent } from './oracle-tables.ts'
import type { Witness } from './oracle-walk.ts'
import { RunOracle } from './oracle.ts'

/** What the world knows at a commit that the log does not say. */
export interface Outlook {
  /** The store's clock, and the furthest ahead any process's may be. */
  readonly now: number
  readonly latestNow: number
  /** Its slots that are queued for grants. */
  readonly waiting: readonly { readonly slot: string; readonly attempt: number }[]
  /** Nobody advances the run beside its driver: a helper learns of the queue by inbox rows and by being refused. */
  readonly alone: boolean
  /** A quota or breaker it waits for opens then. */
  readonly grantsBy?: number
}

/** Whoever asks too early by another clock asks again after this long. */
const ASK_AGAIN_MS = 50

export class RunTrack {
  readonly runKey: RunKey
  readonly create: NewRun
  readonly plan: CompiledPlan
  readonly oracle: RunOracle
  readonly witness: Witness
  readonly events: LogEvent[] = []
  readonly sealed: SealedEvent[] = []
  readonly burn: number
  readonly #complain: (what: string) => void
  epoch: number
  nextSeq = 1

  constructor(
    runKey: RunKey,
    create: NewRun,
    plan: CompiledPlan,
    epoch: number,
    burn: number,
    witness: Witness,
    complain: (what: string) => void,
  ) {
    this.runKey = runKey
    this.create = create
    this.plan = plan
    this.epoch = epoch
    this.burn = burn
    this.witness = witness
    this.#complain = (what) => complain(`${create.runId.slice(0, 8)} ${what}`)
    this.oracle = new RunOracle(plan.plan, witness, this.#complain)
  }

  get runId(): string {
    return this.create.runId
  }

  /** An append that the store accepted. Gives back its records. */
  take(commit: RunCommit): readonly LogEvent[] {
    const { expected, events, newEpoch } = commit
    if (expected.epoch !== this.epoch)
      this.#complain(`I9 the store took epoch ${expected.epoch} while the run is at ${this.epoch}`)
    if (expected.nextSeq !== this.nextSeq)
      this.#complain(`I2 the store took number ${expected.nextSeq} where ${this.nextSeq} was next`)
    if (newEpoch !== undefined && newEpoch <= this.epoch)
      this.#complain(`I9 the epoch goes from ${this.epoch} to ${newEpoch}`)
    if (newEpoch !== undefined && isEnd(this.oracle.model.phase))
      this.#complain(`I9 a run that has ended is taken over under epoch ${newEpoch}`)
    this.epoch = newEpoch ?? expected.epoch
    this.nextSeq = expected.nextSeq + events.length + (events.length > 0 ? this.burn : 0)
    for (const sealed of events) {
      this.#checkChain(sealed)
      const event = withLarge(logEvent(sealed.record, sealed.data), commit)
      this.sealed.push(sealed)
      this.events.push(event)
      this.oracle.take(event, { epoch: this.epoch, firstSeq: expected.nextSeq })
    }
    return this.events.slice(this.events.length - events.length)
  }

  /** P-33 once more: SHA-256 over the hash before and the record's bytes. */
  #checkChain(sealed: SealedEvent): void {
    const before = this.sealed.at(-1)?.chainHash ?? new Uint8Array(32)
    const expected = createHash('sha256').update(before).update(sealed.record).digest()
    if (Buffer.compare(expected, sealed.chainHash) !== 0)
      this.#complain(`I1 #${sealed.runSeq} is not chained to the event before`)
  }

  checkSummary({ summary }: RunCommit, outlook: Outlook): void {
    const { model } = this.oracle
    if (summary.status !== model.phase) this.#complain(`I10 the row says ${summary.status}, the log ${model.phase}`)
    const lastAt = this.events.at(-1)?.at ?? 0
    const { nextWakeAt } = summary
    const { waiting, latestNow } = outlook
    const earliest = wakeBy(model, waiting.length > 0 ? Math.max(lastAt, latestNow) : undefined)
    // What is due already may be woken for now: a decision that was cut asks for that.
    const due = earliest === undefined ? undefined : Math.max(earliest, lastAt)
    this.#checkGrants(nextWakeAt, outlook)
    if (due !== undefined && (nextWakeAt === undefined || nextWakeAt > due)) {
      this.#complain(
        `P-25 after #${this.oracle.lastSeq} the run must be woken by ${due}, the row says ${nextWakeAt ?? 'never'}`,
      )
    }
    const owed = model.inFlight().length > 0 || model.undo?.state === 'RUNNING'
    if (owed !== (summary.owed === true))
      this.#complain(`I12 after #${this.oracle.lastSeq} work is ${owed ? '' : 'not '}owed and the row says otherwise`)
  }

  /** What is ready starts, or waits in a queue, or the run is woken for it; nothing is left lying (P-19, I12). */
  #checkGrants(nextWakeAt: number | undefined, { now, latestNow, waiting, grantsBy, alone }: Outlook): void {
    const { model } = this.oracle
    const after = `after #${this.oracle.lastSeq}`
    if (!model.mayStartMore()) {
      if (waiting.length > 0 && alone) this.#complain(`P-19 ${after} it waits for grants though nothing more may start`)
      return
    }
    const free = model.limit - model.inFlight().length
    if (alone && waiting.length > free)
      this.#complain(`P-19 ${after} it waits for ${waiting.length} slots and has ${free} free`)
    const vain = alone ? waiting.find(({ slot, attempt }) => !mayWait(model, slot, attempt)) : undefined
    if (vain !== undefined) this.#complain(`P-19 ${after} ${vain.slot} waits for a grant though it could not start`)
    const wakes = nextWakeAt !== undefined && nextWakeAt <= Math.max(latestNow, this.events.at(-1)?.at ?? 0)
    if (!wakes && waiting.length === 0 && couldStart(model))
      this.#complain(`I12 ${after} something could start, and nobody will`)
    const by = grantsBy === undefined ? undefined : Math.max(grantsBy, latestNow + ASK_AGAIN_MS)
    if (alone && by !== undefined && (nextWakeAt === undefined || nextWakeAt > by))
      this.#complain(`P-19 ${after} a pool opens ${by - now} ms from now, and the row says ${nextWakeAt ?? 'never'}`)
  }
}

/** A result that its event only names by hash, where the append brought it along, stands in it for the model of values. */
function withLarge(event: LogEvent, { blobs = [] }: RunCommit): LogEvent {
  const ref = event.payload['resultRef'] as { readonly sha256: string } | undefined
  const text = blobs.find(({ sha256 }) => sha256 === ref?.sha256)?.text
  return text === undefined ? event : { ...event, data: { ...event.data, result: JSON.parse(text) as unknown } }
}
