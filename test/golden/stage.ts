/** Where a story is played: the real app on a virtual clock with seeded ids, and the people who take part in it. */
import { forkRun } from '../../src/app/start/fork-run.ts'
import { completeTask, listTasks } from '../../src/app/steer/manual-tasks.ts'
import type { TaskCompletion } from '../../src/app/inbox/task-completion.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { pauseScope, resumeScope } from '../../src/app/inbox/scope-pauses.ts'
import { sendEvent, type EventRequest } from '../../src/app/steer/send-event.ts'
import { signalRun } from '../../src/app/signals/signal-run.ts'
import type { StartRequest } from '../../src/app/start/start-request.ts'
import type { InputBody } from '../../src/core/run/input.ts'
import type { PoolDefinition } from '../../src/ports/grants.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import type { SigningKeys } from '../../src/ports/signing-keys.ts'
import { World, type Call, type Process, type ProcessOptions, type Script } from '../fixtures/virtual-world.ts'

const KEY = { keyId: 'k1', secret: new Uint8Array(32).fill(7) }
const KEYS: SigningKeys = { current: async () => KEY, find: async (keyId) => (keyId === KEY.keyId ? KEY : undefined) }
const ENGINE = { engineType: 'embedded', maxInFlight: 10_000 } as const

export interface Story {
  readonly name: string
  readonly plan: string
  /** Published beside it, for plan steps. */
  readonly others?: readonly string[]
  readonly pools?: readonly PoolDefinition[]
  readonly script?: Script
  readonly input?: unknown
  readonly request?: Partial<StartRequest>
  readonly process?: ProcessOptions
  /** Without it the run is left alone until it ends. */
  readonly act?: (stage: Stage) => Promise<void>
}

/** Mutable on purpose: a story happens from its beginning to its end. */
export class Stage {
  readonly world: World
  process: Process
  readonly #story: Story
  key: RunKey = 1

  constructor(story: Story) {
    this.#story = story
    this.world = new World({ seed: `golden ${story.name}` })
    this.process = this.#boot('first')
  }

  #boot(name: string): Process {
    const { script = {}, process = {} } = this.#story
    return this.world.process(name, { script, ...process })
  }

  async play(): Promise<World> {
    const { plan, others = [], pools = [], input = {}, request = {}, act } = this.#story
    for (const pool of pools) await this.process.store.putPool(pool)
    for (const other of others) await this.process.publish(other)
    this.key = await this.process.start(plan, { input, ...request })
    await (act ?? ((stage: Stage) => stage.end()))(this)
    await this.world.time.quiet()
    return this.world
  }

  /** The open calls of a function that stays open until somebody ends it. */
  calls(name: string): readonly Call[] {
    return this.world.calls.filter((call) => call.name === name)
  }

  async called(name: string, times = 1): Promise<void> {
    await this.world.runUntil(() => this.calls(name).length >= times)
  }

  async wait(ms: number): Promise<void> {
    await this.world.advanceBy(ms)
  }

  async end(): Promise<void> {
    await this.world.runUntil(() => this.world.hasEnded(this.key))
    await this.world.time.quiet()
  }

  /** Another run of the same plan; both are waited for. */
  async andAnother(): Promise<void> {
    const { plan, input = {} } = this.#story
    const other = await this.process.start(plan, { input })
    await this.world.runUntil(() => this.world.hasEnded(other) && this.world.hasEnded(this.key))
  }

  async signal(signalType: string, payload: Readonly<Record<string, unknown>> = {}, allowed = true): Promise<string> {
    return this.process.signal(this.key, signalType, payload, { allowed })
  }

  async send(event: EventRequest): Promise<void> {
    await sendEvent(this.process, 'local', event)
    await this.world.time.quiet()
  }

  async escalate(level: string, note: string): Promise<void> {
    const { tenantId, runId } = this.world.row(this.key)
    const signalId = this.process.services.random.uuid()
    const request = { signalId, signalType: 'ESCALATE_ALERT', payload: { level, note } }
    const sender = { actorId: 'watch', actorRole: 'System', allowed: true }
    await signalRun(this.process.services, { tenantId, runId }, request, sender)
    await this.take()
  }

  /** A turn of the run: by the engine that drives it, or with an input that nobody sends through the inbox yet. */
  async take(...inputs: readonly InputBody[]): Promise<void> {
    if (inputs.length > 0 || this.world.hasEnded(this.key)) await this.process.advancer.advance(this.key, { inputs })
    else this.process.engine.wake(this.key)
    await this.world.time.quiet()
  }

  async complete(completion: Partial<TaskCompletion>): Promise<void> {
    const { services, advancer } = this.process
    const [task] = await listTasks(services.store, KEYS, await advancer.current(this.key))
    const row = this.world.row(this.key)
    const whole = { actorUserId: 'olga', outcome: 'Succeeded', completionToken: task?.token ?? '', ...completion }
    await completeTask(services, advancer, KEYS, row, whole as TaskCompletion)
    await this.take()
  }

  async pauseScope(scope: 'fleet' | 'tenant' | `plan:${string}`, forMs: number): Promise<void> {
    const { services } = this.process
    const pause = await pauseScope(services, { setBy: 'ana', tenantId: 'local', scope, reason: 'maintenance' })
    this.process.engine.wake(this.key)
    await this.wait(forMs)
    await resumeScope(services, 'local', pause)
    await this.take()
  }

  /** The process dies; another takes its runs over. */
  async crash(script: Script = this.#story.script ?? {}): Promise<void> {
    this.process.kill()
    this.process = this.world.process('second', { ...this.#story.process, script, adoptOthers: true })
    await this.wait(15_000)
  }

  async fork(options: { readonly from?: string } = {}): Promise<void> {
    const { services, advancer, engine } = this.process
    const row = this.world.row(this.key)
    const answer = await forkRun(services, advancer, { row, principal: LOCAL_PRINCIPAL, engine: ENGINE, ...options })
    if (answer.kind === 'started') engine.drive(answer.row.runKey, answer.report)
    await this.world.runUntil(() => this.world.hasEnded(answer.row.runKey))
  }

  /** Takes the data away as a store does, and records it. */
  async erase(): Promise<void> {
    const { store } = this.process
    const upTo = this.world.records(this.key).at(-1)?.runSeq ?? 0
    const payload = { erasedUpTo: upTo, reason: 'asked for by its subject', actorId: 'dana' }
    await this.take({ kind: 'erase', payload, notes: 'ticket 4711' })
    await store.eraseData(this.key, upTo)
  }
}
