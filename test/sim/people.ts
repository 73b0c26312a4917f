/**
 * Everybody outside the engine: who starts runs, sends signals, completes tasks and resolves what has come to rest.
 * They act through a living process, wait a while for an answer, and try again with the same ids.
 */
import { forkRun } from '../../src/app/start/fork-run.ts'
import { completeTask, listTasks } from '../../src/app/steer/manual-tasks.ts'
import { sendEvent } from '../../src/app/steer/send-event.ts'
import { signalRun } from '../../src/app/signals/signal-run.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { startRun } from '../../src/app/start/start-run.ts'
import { KeelsonError } from '../../src/core/problems/problem.ts'
import type { RunKey, RunRow } from '../../src/ports/run-store.ts'
import type { SigningKeys } from '../../src/ports/signing-keys.ts'
import type { SentEvent } from './oracle-events.ts'
import { EVENT_NAME } from './outside.ts'
import { RUN_INPUT } from './plan-maker.ts'
import { publishAfter, publishBefore } from './plan-publishing.ts'
import { portRandom, Rng } from './random.ts'
import type { Act } from './scenario.ts'
import type { SimProcess } from './sim-process.ts'
import { START } from './virtual-time.ts'
import type { World } from './world.ts'

const KEY = { keyId: 'k1', secret: new Uint8Array(32).fill(7) }
const KEYS: SigningKeys = { current: async () => KEY, find: async (keyId) => (keyId === KEY.keyId ? KEY : undefined) }
const ENGINE = { engineType: 'embedded', maxInFlight: 10_000 } as const
const MAKER = { ...LOCAL_PRINCIPAL, actorId: 'maker' }
const PATIENCE_MS = 4000
const TRIES = 400

type Answer<T> = { readonly value: T } | { readonly refused: KeelsonError } | undefined

export class People {
  readonly #world: World
  readonly #rng: Rng
  readonly #uuid: () => string
  /** Errands not yet done. */
  busy = 0
  /** Runs that were acknowledged, in the order of the scenario. */
  readonly runs: (RunRow | undefined)[] = []
  /** Signals whose sending was acknowledged: each must be decided exactly once. */
  readonly signals: { readonly runKey: RunKey; readonly signalId: string }[] = []
  /** Cancellations that ask for undoing. */
  readonly undoing = new Set<string>()
  readonly events: SentEvent[] = []

  constructor(world: World) {
    this.#world = world
    this.#rng = new Rng(`people ${world.scenario.seed}`)
    this.#uuid = portRandom(new Rng(`ids ${world.scenario.seed}`)).uuid
  }

  start(index: number, atMs: number, delayMs: number): void {
    const plan = this.#world.plans[0]
    if (plan === undefined) return
    const request = {
      plan,
      input: RUN_INPUT,
      principal: MAKER,
      engine: ENGINE,
      runRequestId: `run ${this.#world.scenario.seed} ${index}`,
      ...(delayMs === 0
        ? {}
        : { admission: { policy: 'DELAY' as const, notBefore: START + atMs + delayMs, autoApprove: true } }),
    }
    this.#errand(atMs, async () => {
      const answer = await this.#ask(async (process) => {
        await publishBefore(process, this.#world.published)
        const started = await startRun(process.services, process.advancer, {
          ...request,
          lease: process.engine.lease(),
        })
        if (started.kind === 'started') process.engine.drive(started.row.runKey, started.report)
        await publishAfter(process, this.#world.published)
        return started.row
      })
      if (answer !== undefined && 'value' in answer) this.runs[index] = answer.value
      else if (!this.#isTooLarge(answer))
        this.#world.complain(
          `a run could not be started: ${answer === undefined ? 'no answer' : answer.refused.message}`,
        )
    })
  }

  act(act: Act, index: number): void {
    switch (act.kind) {
      case 'stop':
        this.#errand(act.atMs, () => this.#world.stopGracefully(act.process))
        return
      case 'pool':
        this.#errand(act.atMs, () => this.#world.declare(act.definition))
        return
      case 'event':
        this.#errand(act.atMs, async () => {
          await this.send(act.id, act.key, act.fits)
          if (act.repeat) await this.send(act.id, act.key, act.fits)
        })
        return
      case 'scope':
        this.#errand(act.atMs, async () => {
          const row = this.runs[act.run]
          if (row === undefined) return
          const body = { pauseId: `p${index}`, scope: 'tenant', active: act.active }
          const insert = { inboxId: `scope:p${index}`, kind: 'scope', body: JSON.stringify(body) }
          await this.#ask((process) =>
            process.services.store.insertInbox({ tenantId: row.tenantId, runId: row.runId }, insert),
          )
        })
        return
      case 'signal':
        this.#errand(act.atMs, async () => {
          const row = this.runs[act.run]
          if (row === undefined) return
          const signalId = this.#uuid()
          await this.signal(row, act.signalType, act.payload, { signalId, allowed: act.allowed })
          if (act.repeat === 'same')
            await this.signal(row, act.signalType, act.payload, { signalId, allowed: act.allowed })
          if (act.repeat === 'other')
            await this.signal(
              row,
              act.signalType,
              { ...act.payload, reason: 'another one' },
              { signalId, allowed: act.allowed },
            )
        })
    }
  }

  /** What is sent again under its id is one event. */
  async send(id: string, key: string, fits: boolean): Promise<void> {
    const known = this.events.find((one) => one.id === id)
    const sent = known ?? { id, name: EVENT_NAME, key, data: { fits, n: id.length, list: [1, 2] }, acknowledged: false }
    if (known === undefined) this.events.push(sent)
    const { data } = sent
    const answer = await this.#ask((process) =>
      sendEvent(process, MAKER.tenantId, { id, name: EVENT_NAME, data, ...(key === '' ? {} : { key }) }),
    )
    if (answer !== undefined && 'value' in answer) sent.acknowledged = true
    else this.#world.complain(`an event was refused: ${answer?.refused.message ?? 'no answer'}`)
  }

  async signal(
    row: RunRow,
    signalType: string,
    payload: Readonly<Record<string, unknown>>,
    how: { signalId?: string; allowed?: boolean } = {},
  ): Promise<void> {
    const signalId = how.signalId ?? this.#uuid()
    if (payload['undo'] === true) this.undoing.add(signalId)
    const sender = {
      actorId: 'somebody',
      actorRole: signalType === 'ESCALATE_ALERT' ? 'System' : 'Admin',
      allowed: how.allowed ?? true,
    }
    const answer = await this.#ask(async (process) => {
      const sent = await signalRun(
        process.services,
        { tenantId: row.tenantId, runId: row.runId },
        { signalId, signalType, payload },
        sender,
      )
      process.engine.wake(row.runKey)
      return sent
    })
    if (answer !== undefined && 'value' in answer) this.signals.push({ runKey: row.runKey, signalId })
    else if (answer?.refused.code !== 'SIGNAL_DUPLICATE')
      this.#world.complain(`a signal was refused: ${answer?.refused.message ?? 'no answer'}`)
  }

  taskOpened(runKey: RunKey, slot: string, attempt: number): void {
    const rng = new Rng(`task ${this.#world.scenario.seed} ${runKey} ${slot} ${attempt}`)
    if (!rng.chance(this.#world.scenario.diligence)) return
    this.#errand(this.#world.elapsed + rng.int(0, 3000), () => this.complete(runKey, slot, rng))
  }

  /** Completes an open task; one that has closed meanwhile is nobody's fault. */
  async complete(runKey: RunKey, slot: string | undefined, rng: Rng = this.#rng): Promise<void> {
    const outcome = rng.weighted({ Succeeded: 6, Failed: 1, Cancelled: 1 })
    await this.#ask(async (process) => {
      const row = await process.services.store.getRun(runKey)
      if (row === undefined) return
      process.advancer.forget(runKey)
      const tasks = await listTasks(process.services.store, KEYS, await process.advancer.current(runKey))
      const task = tasks.find((one) => slot === undefined || one.slot === slot)
      if (task === undefined) return
      await this.#forge(process, row, task)
      const completion = {
        completionToken: task.token,
        outcome,
        actorUserId: 'somebody else',
        result: { by: 'a person' },
      }
      await completeTask(process.services, process.advancer, KEYS, row, completion)
      process.engine.wake(runKey)
    })
  }

  /** Who made the run, or nobody in particular, writes past the front door, in another spelling: such an inbox row must never complete what asks for a checker. */
  async #forge(process: SimProcess, row: RunRow, { slot, attempt }: { slot: string; attempt: number }): Promise<void> {
    const step = this.#world.tracks.get(row.runKey)?.plan.plan.steps.find(({ stepId }) => stepId === slot)
    if (step === undefined || !('manual' in step) || step.manual.rule === undefined) return
    const actorId = attempt % 2 === 1 ? ' ＭＡＫＥＲ' : 'local'
    const result = { kind: 'completed', output: null, artifactRefs: [], durationMs: 0, by: { actorId } }
    const body = JSON.stringify({ slot, attempt, engineAttempt: 1, result })
    const inboxId = `manual:forged:${slot}:${attempt}`
    await process.services.store.insertInbox(
      { tenantId: row.tenantId, runId: row.runId },
      { inboxId, kind: 'manual', body },
    )
  }

  /** Ended runs are nobody's: what is sent to them is decided when somebody looks. */
  async nudge(runKey: RunKey): Promise<void> {
    await this.#ask((process) => process.advancer.advance(runKey))
  }

  async fork(runKey: RunKey): Promise<void> {
    const track = this.#world.tracks.get(runKey)
    const from = track !== undefined && this.#rng.chance(0.5) ? this.#rng.pick(track.plan.plan.steps).stepId : undefined
    const signalId = this.#uuid()
    const answer = await this.#ask(async (process) => {
      const row = await process.services.store.getRun(runKey)
      if (row === undefined) return
      const request = {
        row,
        principal: MAKER,
        engine: ENGINE,
        lease: process.engine.lease(),
        signalId,
        repeatIrreversible: true,
        ...(from === undefined ? {} : { from }),
      }
      const started = await forkRun(process.services, process.advancer, request)
      if (started.kind === 'started') process.engine.drive(started.row.runKey, started.report)
    })
    if ((answer === undefined || 'refused' in answer) && !this.#isTooLarge(answer))
      this.#world.complain(`a run could not be forked: ${answer?.refused.message ?? 'no answer'}`)
  }

  /** A pool was made smaller than a step of the plan wants: no such run is admitted any more (RES-06). */
  #isTooLarge(answer: Answer<unknown>): boolean {
    return answer !== undefined && 'refused' in answer && answer.refused.code === 'RESOURCE_EXCEEDED'
  }

  #errand(atMs: number, work: () => Promise<void>): void {
    this.busy += 1
    this.#world.after(Math.max(0, atMs - this.#world.elapsed), () => {
      void work()
        .catch((thrown: unknown) => {
          this.#world.complain(
            `an errand threw ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`,
          )
        })
        .finally(() => {
          this.busy -= 1
        })
    })
  }

  /** Asks living processes until one answers. A refusal that a repeat cannot help is an answer too. */
  async #ask<T>(work: (process: SimProcess) => Promise<T>): Promise<Answer<T>> {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const alive = this.#world.alive()
      const process = alive.length === 0 ? undefined : this.#rng.pick(alive)
      try {
        const answer =
          process === undefined
            ? undefined
            : await Promise.race([work(process).then((value) => ({ value })), this.#pause(PATIENCE_MS)])
        if (answer !== undefined) return answer
      } catch (thrown) {
        if (!(thrown instanceof KeelsonError)) throw thrown
        if (thrown.problems.every((one) => !one.retryable)) return { refused: thrown }
      }
      await this.#pause(300)
    }
    return undefined
  }

  #pause(ms: number): Promise<undefined> {
    return new Promise((resolve) => this.#world.after(ms, () => resolve(undefined)))
  }
}
