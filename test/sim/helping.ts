/**
 * Several processes that advance one run under one epoch, as workers of an outside engine do (P-12): now and then another
 * process hands in an outcome beside the driver, and carries out what its turn gave it. An effect somebody has in hand is
 * not begun a second time, as an outside engine would see to (P-36).
 */
import { RunAdvancer } from '../../src/app/advance/advance-run.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import type { Effect } from '../../src/core/run/effect.ts'
import type { EffectOutcome, RunDriver } from '../../src/ports/engine.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import { Rng } from './random.ts'
import type { SimProcess } from './sim-process.ts'
import type { World } from './world.ts'

const AGAIN_MS = 200

/** Advances runs for which its process need hold no lease, with folds of its own. */
interface Helper {
  readonly process: SimProcess
  readonly driver: RunDriver
}

type Work = () => Promise<EffectOutcome | undefined>

export class Helping {
  readonly #world: World
  readonly #rng: Rng
  readonly #helpers = new Map<SimProcess, Helper>()
  readonly #inHand = new Map<string, Promise<EffectOutcome | undefined>>()
  handedIn = 0

  constructor(world: World) {
    this.#world = world
    this.#rng = new Rng(`helping ${world.scenario.seed}`)
  }

  /** As the run's engine has it done: the outcome goes to its own driver, and at times to another process as well. */
  async execute(process: SimProcess, runKey: RunKey, effect: Effect, work: Work): Promise<EffectOutcome | undefined> {
    const { helping } = this.#world.scenario
    if (helping === 0) return work()
    const report = await this.#take(runKey, effect, work)
    const others = this.#world.alive().filter((one) => one !== process)
    if (report !== undefined && others.length > 0 && this.#rng.chance(helping))
      void this.#handIn(this.#helperOn(this.#rng.pick(others)), runKey, report)
    return report
  }

  #helperOn(process: SimProcess): Helper {
    const known = this.#helpers.get(process)
    const helper = known ?? { process, driver: process.driverOver(new RunAdvancer(process.services)) }
    this.#helpers.set(process, helper)
    return helper
  }

  /** Nothing to report when somebody else has it in hand: they will. */
  #take(runKey: RunKey, effect: Effect, work: Work): Promise<EffectOutcome | undefined> {
    const id = `${runKey} ${effect.id}`
    const other = this.#inHand.get(id)
    if (other !== undefined) return other.then(() => undefined)
    const done = work()
    this.#inHand.set(id, done)
    // One that could not be carried out is still owed.
    done.catch(() => this.#inHand.delete(id))
    return done
  }

  async #handIn(helper: Helper, runKey: RunKey, report: EffectOutcome): Promise<void> {
    this.handedIn += 1
    const turn = await this.#untilDone(helper, () => helper.driver.advance(runKey, [report]))
    for (const effect of turn?.effects ?? []) void this.#carryOut(helper, runKey, effect)
  }

  async #carryOut(helper: Helper, runKey: RunKey, effect: Effect): Promise<void> {
    const { signal } = new AbortController()
    const work: Work = () => helper.driver.execute(runKey, effect, signal)
    const report = await this.#untilDone(helper, () => this.#take(runKey, effect, work))
    if (report !== undefined) await this.#handIn(helper, runKey, report)
  }

  /** A store that does not answer is asked again; a run that is somebody else's by now is left to them. */
  async #untilDone<T>({ process }: Helper, work: () => Promise<T>): Promise<T | undefined> {
    for (;;) {
      try {
        return await work()
      } catch (thrown) {
        if (!(thrown instanceof KeelsonError)) throw thrown
        if (thrown.problems.some((one) => !one.retryable)) return undefined
        await new Promise<void>((resolve) => process.services.timers.after(AGAIN_MS, resolve))
      }
    }
  }
}
