/**
 * The simulated world: one clock, one disk that outlives every process, processes that run the product unchanged, people,
 * and the judges. Everything that happens is drawn from the scenario's seed, so the same seed is the same history.
 */
import type { MemoryDisk } from '../../src/adapters/stores/memory/connect.ts'
import { compilePlanDocument, type CompiledPlan } from '../../src/app/plans/compile.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import type { PoolDefinition } from '../../src/ports/grants.ts'
import type { CommitResult, RunCommit, RunKey, RunStore } from '../../src/ports/run-store.ts'
import { EffectLog } from './effect-log.ts'
import type { FaultSource } from './faults.ts'
import { FeedWitness } from './feed-witness.ts'
import { GrantLedger } from './grant-ledger.ts'
import { Helping } from './helping.ts'
import { People } from './people.ts'
import type { PlanDoc } from './plan-maker.ts'
import type { Published } from './plan-publishing.ts'
import { RunTrack, type Outlook } from './run-track.ts'
import type { Scenario } from './scenario.ts'
import { SimProcess } from './sim-process.ts'
import { START, type VirtualTime } from './virtual-time.ts'

const VIOLATIONS_KEPT = 20
const RESTART_MS = 700

const known = new WeakMap<PlanDoc, CompiledPlan>()

/** A plan that dies at every call is run many times over. */
function compiled(doc: PlanDoc): CompiledPlan {
  const before = known.get(doc)
  if (before !== undefined) return before
  const made = compilePlanDocument(doc)
  if (!made.ok) throw new KeelsonError([made.problems[0] as KeelsonError['problems'][number]])
  known.set(doc, made.value)
  return made.value
}

export class World {
  readonly scenario: Scenario
  readonly faults: FaultSource
  readonly store: RunStore
  readonly time: VirtualTime
  readonly plans: readonly CompiledPlan[]
  readonly published: Published
  readonly tracks = new Map<RunKey, RunTrack>()
  readonly effects: EffectLog
  readonly people: People
  readonly processes: SimProcess[] = []
  readonly violations: string[] = []
  readonly grants: GrantLedger
  readonly helping: Helping
  readonly feed: FeedWitness | undefined
  /** The disk behind the store, where it is one that can be looked into. */
  readonly disk: MemoryDisk | undefined
  crashes = 0
  adoptions = 0
  staleDrivers = 0
  refusedCommits = 0
  /** Outcomes that came by inbox row from whoever lost the compare-and-set (P-12). */
  inboxRows = 0
  readonly #byRunId = new Map<string, RunTrack>()

  constructor(scenario: Scenario, faults: FaultSource, time: VirtualTime, store: RunStore, disk?: MemoryDisk) {
    this.scenario = scenario
    this.faults = faults
    this.time = time
    this.store = store
    this.disk = disk
    this.grants = new GrantLedger((what) => this.complain(what))
    this.helping = new Helping(this)
    this.feed = scenario.feed ? new FeedWitness(scenario.seed) : undefined
    this.plans = scenario.plans.map(compiled)
    const children = scenario.plans.slice(1)
    this.published = {
      children: this.plans.slice(1),
      newer: children.map((doc) => compiled({ ...doc, version: '8.0.0' })),
      foreign: children.map((doc) => compiled({ ...doc, version: '9.0.0' })),
    }
    this.effects = new EffectLog(this)
    this.people = new People(this)
  }

  get elapsed(): number {
    return this.time.now - START
  }

  after(ms: number, run: () => void): void {
    this.time.schedule(this.time.now + ms, run)
  }

  /** Something that must never be. */
  complain(what: string): void {
    if (this.violations.length < VIOLATIONS_KEPT) this.violations.push(`+${this.elapsed}ms ${what}`)
  }

  alive(): readonly SimProcess[] {
    return this.processes.filter((process) => !process.isDead)
  }

  trackOf(runId: string): RunTrack | undefined {
    return this.#byRunId.get(runId)
  }

  boot(skewMs: number): void {
    this.processes.push(new SimProcess(this, `p${this.processes.length}`, skewMs))
  }

  crash(process: SimProcess): void {
    if (process.isDead) return
    process.isDead = true
    this.crashes += 1
    this.after(RESTART_MS, () => this.boot(0))
  }

  async stopGracefully(index: number): Promise<void> {
    const process = this.alive()[index]
    if (process === undefined) return
    await Promise.race([
      process.engine.stop().catch(() => undefined),
      new Promise<void>((resolve) => this.after(2000, resolve)),
    ])
    process.isDead = true
    this.after(RESTART_MS, () => this.boot(0))
  }

  /** A process stopped driving a run: rightly so when somebody else took it over, never for another reason. */
  lost(process: SimProcess, runKey: RunKey, thrown: unknown): void {
    const isStale = thrown instanceof KeelsonError && thrown.code === 'RUN_EPOCH_STALE'
    if (isStale) this.staleDrivers += 1
    else
      this.complain(
        `${process.name} gave up run ${runKey}: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      )
  }

  committed(batch: readonly RunCommit[], results: readonly CommitResult[]): void {
    this.grants.end()
    batch.forEach((commit, index) => {
      const result = results[index]
      if (result?.kind === 'committed') this.#record(commit, result.runKey)
      else if (result?.kind === 'constraint')
        this.complain(`I3 the store refused a commit by its constraint ${result.detail}`)
      else if (result?.kind === 'ungranted') this.grants.refused(commit.runKey ?? -1, commit, result.refused)
      else this.refusedCommits += 1
    })
    if (this.disk !== undefined) this.grants.compare(this.disk)
  }

  /** How much there is of something, said by whoever runs the place. */
  async declare(definition: PoolDefinition): Promise<void> {
    this.grants.declare(definition, this.time.now)
    await this.store.putPool(definition)
  }

  /** Offers nobody came for are taken back by the sweep that is about to come. */
  sweeping(): void {
    for (const { offeredUntil } of this.disk?.grants.waits.values() ?? [])
      if (offeredUntil !== undefined && offeredUntil <= this.time.now) this.grants.lapsed += 1
  }

  #record(commit: RunCommit, runKey: RunKey): void {
    let track = this.tracks.get(runKey)
    if (commit.create !== undefined) {
      const plan = [...this.plans, ...this.published.newer].find((one) => one.sha256 === commit.create?.planSha256)
      if (plan === undefined || track !== undefined)
        return this.complain('I2 a run was created twice, or of an unknown plan')
      const { runId } = commit.create
      const witness = {
        executions: (slot: string, attempt: number) => this.effects.executions(runId, slot, attempt),
        sent: () => this.people.events,
      }
      track = new RunTrack(runKey, commit.create, plan, commit.expected.epoch, this.scenario.burn, witness, (what) =>
        this.complain(what),
      )
      this.tracks.set(runKey, track)
      this.#byRunId.set(runId, track)
    }
    if (commit.newEpoch !== undefined) this.adoptions += 1
    if (track === undefined) this.complain(`I2 a commit of run ${runKey}, which nobody created`)
    else {
      const events = track.take(commit)
      this.grants.take(runKey, commit, events, this.time.now)
      track.checkSummary(commit, this.#outlook(runKey))
    }
  }

  #outlook(runKey: RunKey): Outlook {
    const skewMs = Math.max(0, ...this.scenario.processes.map((one) => one.skewMs))
    const grantsBy = this.grants.wakeBy(runKey)
    return {
      now: this.time.now,
      latestNow: this.time.now + skewMs,
      waiting: this.grants.waiting(runKey),
      alone: this.scenario.helping === 0,
      ...(grantsBy === undefined ? {} : { grantsBy }),
    }
  }
}
