/**
 * The Temporal engine as a process sees it: it starts workflows, wakes them, hosts a worker where it is asked to, and keeps
 * watch over runs whose workflow is gone. It never decides and never reads a run's status from Temporal.
 */
import { newWorkflowId } from '../../../core/engine/workflow-id.ts'
import { engineRunRefText } from '../../../core/engine/run-ref-text.ts'
import { needKnown } from '../../../core/known-options.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isSettled, isTerminalRun } from '../../../core/run/state/transitions.ts'
import type {
  TurnResult,
  EngineCapabilities,
  EngineFactory,
  EngineHost,
  EngineParts,
  RunEnd,
} from '../../../ports/engine.ts'
import type { RunKey, RunRef, RunRow, RunStatus } from '../../../ports/run-store.ts'
import { TEMPORAL } from './client/capabilities.ts'
import { Caretaker } from './caretaker.ts'
import { TemporalConnection } from './client/connection.ts'
import { checkSettings, type CheckedSettings } from './client/settings.ts'
import { problemOf } from './client/problem-of.ts'
import { hasListeners, pingServer, substatusOf } from './client/sight.ts'
import { isForeignQueue, runQueue, workerQueues } from './client/task-queues.ts'
import { TEMPORAL_OPTIONS, type TemporalOptions } from './client/options.ts'
import { WorkerHost } from './worker/worker.ts'
import { RUN_WORKFLOW } from './sandbox/wire.ts'
import { workflowIdOf } from './client/workflow-id.ts'
import { openWorkflow } from './client/open-workflow.ts'
import { Workflows } from './client/workflow-client.ts'

export type { TemporalOptions }

const POLL_MS = 1_000
const ASK_MS = 100
const LISTEN_AGAIN_MS = 2_000
/** A server takes no longer name of a workflow unless it is configured to. */
const WORKFLOW_ID_BYTES = 1_000
/** A UUID. */
const PROVIDER_RUN_ID_CHARS = 36

/** The Temporal engine, for `openKeelson({ engine })`. */
export function temporal(options: TemporalOptions = {}): EngineFactory {
  needKnown('temporal', options, TEMPORAL_OPTIONS)
  const settings = checkSettings(options)
  const capabilities: EngineCapabilities = {
    ...TEMPORAL,
    runRef: (run) => unnamedRef(settings, run),
    taskQueue: (scope) => runQueue(settings, scope),
    isForeignQueue: (scope, queue) => isForeignQueue(settings, scope, queue),
    ...(options.worker === false ? { elsewhere: true } : {}),
  }
  return { capabilities, open: (parts) => new TemporalEngine(parts, settings, options) }
}

/** Until Temporal has given the execution an id. */
function unnamedRef({ namespace }: CheckedSettings, run: RunRef): string {
  const workflowId = newWorkflowId(run)
  const ref = { engineType: 'temporal', namespace, workflowType: RUN_WORKFLOW, workflowId } as const
  const text = engineRunRefText({ ...ref, providerRunId: '-' })
  const tooLong = text.length + PROVIDER_RUN_ID_CHARS > LIMITS.engineRunRefChars
  if (tooLong || Buffer.byteLength(workflowId) > WORKFLOW_ID_BYTES)
    fail('VALUE_TOO_LARGE', `the run's name in Temporal has too many bytes: give it a shorter id`)
  return text
}

type Ended = { readonly status: RunStatus; readonly end?: RunEnd }

export class TemporalEngine implements EngineHost {
  readonly #parts: EngineParts
  readonly #settings: CheckedSettings
  readonly #connection: TemporalConnection
  readonly #workflows: Workflows
  readonly #worker: WorkerHost | undefined
  readonly #caretaker: Caretaker
  readonly #waiters = new Map<RunKey, ((ended: Ended) => void)[]>()
  readonly #waking = new Set<RunKey>()
  readonly #calls = new Set<Promise<void>>()
  #serving: Promise<void> | undefined
  #pinging: Promise<void> | undefined
  #cancelAsk: (() => void) | undefined
  #cancelListen: (() => void) | undefined
  #isAsked = false
  #stopped = false

  constructor(parts: EngineParts, settings: CheckedSettings, { worker = true, pollMs = POLL_MS }: TemporalOptions) {
    this.#parts = parts
    this.#settings = settings
    this.#connection = new TemporalConnection(settings)
    this.#workflows = new Workflows(this.#connection, settings)
    const { queues: named = [], tenants = [] } = typeof worker === 'object' ? worker : {}
    const scopes = [parts.scope, ...tenants.map((tenantId) => ({ ...parts.scope, tenantId }))]
    const onReport = (runKey: RunKey, report: TurnResult): void => this.#noteReport(runKey, report)
    const queues = workerQueues(settings, scopes, named)
    const workerParts = { ...parts, onReport, settings, connection: this.#connection, queues }
    this.#worker = worker === false ? undefined : new WorkerHost(workerParts)
    this.#caretaker = new Caretaker({ ...parts, workflows: this.#workflows, pollMs, goesRound: worker !== false })
    if (this.#worker !== undefined) parts.timers.defer(() => this.#underWay(this.#serveUnasked()))
  }

  lease(): undefined {
    return undefined
  }

  /** Connects; with a worker of its own, has it listen before the first run is admitted. */
  async connect(): Promise<void> {
    this.#isAsked = true
    await this.#serveOnce()
  }

  /** A process with a worker listens from its opening on; a failure to listen is reported once, and tried again. */
  async #serveUnasked(isFirst = true): Promise<void> {
    if (this.#stopped) return
    try {
      await this.#serveOnce()
    } catch (error) {
      if (this.#stopped) return
      // The caller gets it in the answer.
      if (isFirst && !this.#isAsked) this.#parts.tell(problemOf(error))
      const again = (): void => this.#underWay(this.#serveUnasked(false))
      this.#cancelListen = this.#parts.timers.after(LISTEN_AGAIN_MS, again)
    }
  }

  async #serveOnce(): Promise<void> {
    await this.#workflows.connect()
    if (this.#stopped) return
    this.#serving ??= this.#serve().catch((error: unknown) => {
      this.#serving = undefined
      throw error
    })
    await this.#serving
  }

  async #serve(): Promise<void> {
    await this.#listen()
    if (!this.#stopped) this.#caretaker.start()
  }

  async #listen(): Promise<void> {
    await this.#worker?.start((error) => this.#listenAgain(error))
  }

  /** A process whose worker broke would look alive and do nothing: it listens again until it is stopped. */
  #listenAgain(error: unknown): void {
    this.#parts.tell(problemOf(error))
    if (this.#stopped) return
    this.#parts.timers.after(LISTEN_AGAIN_MS, () => void this.#tryToListen())
  }

  async #tryToListen(): Promise<void> {
    try {
      if (!this.#stopped) await this.#listen()
    } catch (error) {
      this.#listenAgain(error)
    }
  }

  drive(runKey: RunKey, _report: TurnResult): void {
    this.#underWay(this.want(runKey))
  }

  /** What fails now is repeated by the caretaker: an admitted run is due until its workflow runs. */
  async want(runKey: RunKey): Promise<void> {
    try {
      const row = await this.#parts.store.getRun(runKey)
      if (row === undefined || isTerminalRun(row.status) || row.engineType !== 'temporal') return
      await openWorkflow(this.#workflows, row)
    } catch (error) {
      this.#parts.tell(problemOf(error))
    }
  }

  async adopt(runKey: RunKey): Promise<boolean> {
    await this.connect()
    const row = await this.#parts.store.getRun(runKey)
    if (row?.engineType !== 'temporal') return false
    await this.#caretaker.look(row)
    return true
  }

  /** The log is written by other processes; only the store knows. */
  drives(): boolean {
    return false
  }

  ended(runKey: RunKey): Promise<Ended> {
    return new Promise((resolve) => {
      this.#waiters.set(runKey, [...(this.#waiters.get(runKey) ?? []), resolve])
      this.#cancelAsk ??= this.#parts.timers.after(ASK_MS, () => void this.#askForEnds())
    })
  }

  /** One wake-up on its way per run is enough: the next turn takes whatever is in the inbox by then. */
  wake(runKey: RunKey): void {
    if (this.#waking.has(runKey)) return
    this.#waking.add(runKey)
    this.#underWay(this.#wake(runKey).finally(() => this.#waking.delete(runKey)))
  }

  async #wake(runKey: RunKey): Promise<void> {
    try {
      const row = await this.#parts.store.getRun(runKey)
      if (row?.engineType !== 'temporal') return
      if (!(await this.#workflows.wake(workflowIdOf(row)))) await this.#caretaker.look(row)
    } catch (error) {
      this.#parts.tell(problemOf(error))
    }
  }

  /** Temporal's own cancel (TMP-07). The signal before it says why; a workflow that is gone is left to the caretaker. */
  cancelRun(runKey: RunKey): void {
    this.#underWay(this.#cancel(runKey))
  }

  async #cancel(runKey: RunKey): Promise<void> {
    try {
      const row = await this.#parts.store.getRun(runKey)
      if (row?.engineType !== 'temporal') return
      if (!(await this.#workflows.cancel(workflowIdOf(row)))) await this.#caretaker.look(row)
    } catch (error) {
      this.#parts.tell(problemOf(error))
    }
  }

  /** Whoever asks meanwhile gets the same answer: a server that does not answer is asked once at a time. */
  ping(): Promise<void> {
    this.#pinging ??= pingServer(this.#connection).finally(() => (this.#pinging = undefined))
    return this.#pinging
  }

  async queueWithoutWorker(): Promise<string | undefined> {
    const { namespace } = this.#settings
    const queue = runQueue(this.#settings, this.#parts.scope)
    return (await hasListeners(this.#connection, { namespace, queue }, this.#parts.clock.now())) ? undefined : queue
  }

  substatus(row: RunRow): ReturnType<typeof substatusOf> {
    return substatusOf(this.#connection, workflowIdOf(row))
  }

  /** Its workflow learns at its next wake-up that the run is another engine's, and ends. */
  async letGo(runKey: RunKey): Promise<void> {
    try {
      const row = await this.#parts.store.getRun(runKey)
      if (row !== undefined) await this.#workflows.wake(workflowIdOf(row))
    } catch (error) {
      this.#parts.tell(problemOf(error))
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancelAsk?.()
    this.#cancelListen?.()
    await this.#caretaker.stop()
    await Promise.all(this.#calls)
    await this.#serving?.catch(() => undefined)
    await this.#worker?.stop()
    await this.#connection.close()
  }

  /** The connection is not closed under a call: the SDK would try it again on the closed one, and end the process. */
  #underWay(call: Promise<void>): void {
    this.#calls.add(call)
    void call.finally(() => this.#calls.delete(call))
  }

  #noteReport(runKey: RunKey, report: TurnResult): void {
    this.#parts.onReport(runKey, report)
    if (report.terminal)
      this.#tell(runKey, { status: report.status, ...(report.end === undefined ? {} : { end: report.end }) })
  }

  #tell(runKey: RunKey, ended: Ended): void {
    for (const resolve of this.#waiters.get(runKey) ?? []) resolve(ended)
    this.#waiters.delete(runKey)
  }

  async #askForEnds(): Promise<void> {
    for (const runKey of this.#waiters.keys()) {
      // Asked again below: a store that does not answer now does so later.
      const row = await this.#parts.store.getRun(runKey).catch(() => undefined)
      if (row !== undefined && isSettled(row)) this.#tell(runKey, { status: row.status })
    }
    const isAsked = this.#waiters.size > 0 && !this.#stopped
    this.#cancelAsk = isAsked ? this.#parts.timers.after(ASK_MS, () => void this.#askForEnds()) : undefined
  }
}
