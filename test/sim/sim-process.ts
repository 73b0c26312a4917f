/**
 * One simulated process: its store handle, clock and timers, and the product itself, unchanged. A crash ends it without
 * a word: its calls are never answered, its timers never ring, its steps never return.
 */
import { EmbeddedEngine } from '../../src/adapters/engines/embedded/engine.ts'
import { RunAdvancer } from '../../src/app/advance/advance-run.ts'
import { Follower } from '../../src/app/feed/follow.ts'
import { createRunDriver } from '../../src/app/engines/run-driver.ts'
import type { Services } from '../../src/app/services.ts'
import { KeelsonError, problem } from '../../src/core/problems/problem.ts'
import type { Effect } from '../../src/core/run/effect.ts'
import type { RunDriver } from '../../src/ports/engine.ts'
import type { CommitResult, InboxInsert, RunCommit, RunKey, RunRef, RunStore } from '../../src/ports/run-store.ts'
import { faultyStore } from './faulty-store.ts'
import { SUBSCRIBER } from './feed-witness.ts'
import { portRandom, Rng } from './random.ts'
import type { Owner } from './virtual-time.ts'
import type { World } from './world.ts'

const NEVER = new Promise<never>(() => undefined)

function unavailable(): KeelsonError {
  return new KeelsonError([problem('STORE_UNAVAILABLE', 'simulated: the store did not answer')])
}

export class SimProcess implements Owner {
  readonly name: string
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly engine: EmbeddedEngine
  readonly driver: RunDriver
  readonly #world: World
  readonly #known = new Map<RunKey, number>()
  isDead = false
  stalledUntil = 0

  constructor(world: World, name: string, skewMs: number) {
    this.#world = world
    this.name = name
    const { time, scenario } = world
    const observer = {
      begin: () => world.grants.begin(),
      end: (batch: readonly RunCommit[], results: readonly CommitResult[]) => world.committed(batch, results),
    }
    // Its own chance, so that all else of a seed stays as it was.
    const commitsAtOnce = new Rng(`${scenario.seed} ${name} commits`).chance(0.5) ? 2 : 1
    const store = faultyStore(world.store, (method, work) => this.#pass(method, work), observer, commitsAtOnce)
    this.services = {
      store: this.#watching(store),
      clock: { now: () => time.now + skewMs },
      random: portRandom(new Rng(`${scenario.seed} ${name}`)),
      timers: {
        after: (ms, callback) =>
          this.isDead ? () => undefined : time.schedule(time.now + Math.max(0, ms), callback, this),
        defer: (callback) => {
          if (!this.isDead) time.schedule(time.now, callback, this)
        },
      },
      handlers: {
        missing: () => [],
        call: (call) => (this.isDead ? NEVER : world.effects.begin(this, call)),
        buildId: name,
      },
    }
    this.advancer = new RunAdvancer(this.services)
    this.driver = this.driverOver(this.advancer)
    this.engine = this.#startEngine()
    this.#follow()
  }

  driverOver(advancer: RunAdvancer): RunDriver {
    return createRunDriver(this.services, advancer, {
      onChild: (row, report) => {
        if (report !== undefined) this.engine.drive(row.runKey, report)
        else void this.engine.adopt(row.runKey).catch(() => undefined)
      },
      lease: () => this.engine.lease(),
      onManualTask: (row, slot, attempt) => this.#world.people.taskOpened(row.runKey, slot, attempt),
    })
  }

  /** Every process follows the feed for the same subscriber; whoever dies between read, delivery and settling leaves it to the others. */
  #follow(): void {
    const { feed } = this.#world
    if (feed === undefined) return
    const follower = new Follower({
      ...this.services,
      subscriber: SUBSCRIBER,
      deliver: { each: (item) => feed.deliver(item) },
      maxAttempts: Number.MAX_SAFE_INTEGER,
      backoff: { initialMs: 100, maxMs: 1000 },
      pageEvents: 8,
      pollMs: 800,
    })
    follower.start()
  }

  /** What this process was told of each log: it cannot know of a commit whose answer is still on its way. */
  #watching(store: RunStore): RunStore {
    const told = (runKey: RunKey, seq: number): void =>
      void this.#known.set(runKey, Math.max(seq, this.knownSeq(runKey)))
    return {
      ...store,
      sweepGrants: () => {
        this.#world.sweeping()
        return store.sweepGrants()
      },
      dueRuns: (now, owner, limit) =>
        store.dueRuns(now, owner, limit).then((rows) => rows.filter((row) => this.#world.tracks.has(row.runKey))),
      commit: async (batch) => {
        const results = await store.commit(batch)
        results.forEach(
          (result, index) =>
            result.kind === 'committed' && told(result.runKey, batch[index]?.events.at(-1)?.runSeq ?? 0),
        )
        return results
      },
      insertInbox: async (run, row) => {
        const answer = await store.insertInbox(run, row)
        if (row.inboxId.startsWith('outcome:') && !row.inboxId.endsWith(':repeat')) this.#world.inboxRows += 1
        return answer
      },
      getRun: async (runKey) => {
        const row = await store.getRun(runKey)
        told(runKey, (row?.nextSeq ?? 1) - 1)
        return row
      },
    }
  }

  knownSeq(runKey: RunKey): number {
    return this.#known.get(runKey) ?? 0
  }

  #startEngine(): EmbeddedEngine {
    const { scenario } = this.#world
    const { store, clock, timers } = this.services
    const { driver } = this
    return new EmbeddedEngine({
      store,
      driver: {
        ...driver,
        execute: (runKey, effect, signal) =>
          this.#world.helping.execute(this, runKey, effect, () => this.#execute(runKey, effect, signal)),
      },
      clock,
      timers,
      owner: this.name,
      leaseMs: scenario.leaseMs,
      pollMs: scenario.pollMs,
      adoptOthers: true,
      onLost: (runKey, thrown) => this.#world.lost(this, runKey, thrown),
    })
  }

  /** An effect may leave twice: its repeat comes later, and reports through the inbox as an executor that lost would (P-12). */
  #execute(runKey: RunKey, effect: Effect, signal: AbortSignal): ReturnType<RunDriver['execute']> {
    const { driver } = this
    const fault = this.#world.faults.take('effect')
    if (
      fault !== undefined &&
      (effect.kind === 'ExecuteStep' || effect.kind === 'Compensate' || effect.kind === 'StartChild')
    ) {
      this.#world.effects.expectRepeat(runKey, effect)
      this.#world.time.schedule(this.#world.time.now + fault.ms, () => void this.#repeat(driver, runKey, effect), this)
    }
    return driver.execute(runKey, effect, signal)
  }

  async #repeat(driver: RunDriver, runKey: RunKey, effect: Effect): Promise<void> {
    try {
      const report = await driver.execute(runKey, effect, new AbortController().signal)
      const row = this.#world.tracks.get(runKey)?.create
      if (report === undefined || row === undefined) return
      const body = JSON.stringify(report)
      await this.#deliver(
        { tenantId: row.tenantId, runId: row.runId },
        { inboxId: `outcome:${effect.id}:repeat`, kind: 'outcome', body },
      )
      this.engine.wake(runKey)
    } catch (thrown) {
      if (!(thrown instanceof KeelsonError)) this.#world.complain(`a repeated effect threw ${String(thrown)}`)
    }
  }

  /** Whoever holds a result reports it or dies: a store that does not answer now is asked again. */
  async #deliver(run: RunRef, row: InboxInsert): Promise<void> {
    for (;;) {
      try {
        await this.services.store.insertInbox(run, row)
        return
      } catch (thrown) {
        if (!(thrown instanceof KeelsonError)) throw thrown
        await new Promise<void>((resolve) => this.services.timers.after(200, resolve))
      }
    }
  }

  /** Every store call is a point where something may go wrong. */
  #pass<T>(_method: keyof RunStore, work: () => Promise<T>): Promise<T> {
    const { time, faults } = this.#world
    if (this.isDead) return NEVER
    if (this.stalledUntil > time.now) return this.#later(this.stalledUntil - time.now, work)
    const fault = faults.take('store')
    switch (fault?.kind) {
      case undefined:
      case 'duplicate':
        return work()
      case 'fail':
        return Promise.reject(unavailable())
      case 'lost-answer':
        return work().then(() => Promise.reject(unavailable()))
      case 'delay':
        return this.#later(fault.ms, work)
      case 'crash-before':
        this.#world.crash(this)
        return NEVER
      case 'crash-after':
        return work().then(() => {
          this.#world.crash(this)
          return NEVER
        })
      case 'stall':
        return work().then((answer) => {
          this.stalledUntil = time.now + fault.ms
          return new Promise<T>((resolve) => time.schedule(this.stalledUntil, () => resolve(answer), this))
        })
    }
  }

  /** The request is on its way: it reaches the disk even if its sender is dead by then. */
  #later<T>(ms: number, work: () => Promise<T>): Promise<T> {
    const { time } = this.#world
    return new Promise<T>((resolve, reject) => {
      time.schedule(time.now + Math.ceil(ms / 2), () => {
        const answer = (deliver: () => void): void => {
          time.schedule(time.now + Math.floor(ms / 2), deliver, this)
        }
        work().then(
          (value) => answer(() => resolve(value)),
          (thrown: unknown) => answer(() => reject(thrown as Error)),
        )
      })
    })
  }
}
