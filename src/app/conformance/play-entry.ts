/**
 * Plays one entry of a corpus on one engine: the run is started, handlers follow the script, moves are made as soon as
 * the log has what they wait for, and the logs are taken when everything has ended.
 */
import { holds, type PlayedRun } from '../../core/conformance/condition.ts'
import { canonicalRuns, projection, type CanonicalRun } from '../../core/conformance/canonical-log.ts'
import type { Condition, Move } from '../../core/conformance/entry.ts'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import { isTerminalRun, type RunStatus } from '../../core/run/state/transitions.ts'
import type { BenchRun, ConformanceBench, ConformanceEngine } from '../../ports/conformance.ts'
import type { Random } from '../../ports/random.ts'
import type { Timers } from '../../ports/timers.ts'
import { canonicalText } from '../log/canonical.ts'
import { sha256Hex } from '../log/sha256.ts'
import type { Entry } from './read-entry.ts'
import { scriptedHandlers } from './scripted-handlers.ts'
import { scriptedSecrets } from './scripted-secrets.ts'

export interface Play {
  readonly runs: readonly CanonicalRun[]
  /** The answer to each move: ok, or the code of the refusal. */
  readonly answers: readonly string[]
  /** Why the run was not started. */
  readonly refused?: string
  readonly status?: RunStatus
  readonly output?: unknown
  /** Hash of all that is compared. */
  readonly hash: string
}

export interface PlayOptions {
  readonly random: Random
  /** The machine's own timers, whatever clock the engine uses. */
  readonly timers: Timers
  /** How long a play may take on these timers. */
  readonly patienceMs: number
}

const LOOK_MS = 25

export async function playEntry(engine: ConformanceEngine, entry: Entry, options: PlayOptions): Promise<Play> {
  const player = new Player(entry, options)
  const bench = await engine.open({
    handlers: (timers) =>
      scriptedHandlers({ script: entry.script ?? {}, reached: (condition) => player.reached(condition) }, timers),
    agents: entry.agents ?? {},
    resources: entry.resources ?? {},
    secrets: scriptedSecrets(entry.secrets ?? {}),
    queues: queuesOf(entry),
    onChange: () => player.look(),
  })
  try {
    return await player.play(bench)
  } finally {
    await bench.close()
  }
}

function queuesOf({ plan, plans }: Entry): readonly string[] {
  const queues = [plan, ...plans].flatMap(({ plan: { steps } }) => steps.map(({ dispatch }) => dispatch?.taskQueue))
  return [...new Set(queues)].filter((queue) => queue !== undefined)
}

interface Gate {
  readonly condition: Condition
  readonly open: () => void
}

class Player {
  readonly #entry: Entry
  readonly #options: PlayOptions
  readonly #gates = new Set<Gate>()
  readonly #answers: string[] = []
  readonly #signalIds: string[] = []
  #bench: ConformanceBench | undefined
  #rootId: string | undefined
  #runs: readonly BenchRun[] = []
  #looking = false
  #again = false
  #settle: { readonly resolve: () => void; readonly reject: (thrown: unknown) => void } | undefined

  constructor(entry: Entry, options: PlayOptions) {
    this.#entry = entry
    this.#options = options
  }

  reached(condition: Condition): Promise<void> {
    return new Promise((open) => {
      this.#gates.add({ condition, open })
      this.look()
    })
  }

  async play(bench: ConformanceBench): Promise<Play> {
    this.#bench = bench
    const { plan, plans, input } = this.#entry
    try {
      this.#rootId = await bench.start(plan, plans, input)
    } catch (thrown) {
      if (!(thrown instanceof KeelsonError)) throw thrown
      return playOf([], [], { refused: thrown.code })
    }
    await this.#toTheEnd()
    const root = this.#runs.find(({ runId }) => runId === this.#rootId)
    const end = root?.records.findLast(({ eventType }) => eventType === 'RunCompleted')
    const output = end?.data?.['output']
    return playOf(canonicalRuns(this.#runs, this.#signalIds), this.#answers, {
      ...(root === undefined ? {} : { status: root.status }),
      ...(output === undefined ? {} : { output }),
    })
  }

  async #toTheEnd(): Promise<void> {
    const { timers, patienceMs } = this.#options
    let cancelLook: () => void = () => undefined
    let cancelPatience: () => void = () => undefined
    try {
      await new Promise<void>((resolve, reject) => {
        this.#settle = { resolve, reject }
        const lookAgain = (): void => {
          this.look()
          cancelLook = timers.after(LOOK_MS, lookAgain)
        }
        lookAgain()
        cancelPatience = timers.after(patienceMs, () => reject(this.#stuck()))
      })
    } finally {
      cancelLook()
      cancelPatience()
    }
  }

  /** Reads the logs and does what is due. Requests during a look cause one more look after it. */
  look(): void {
    this.#again = true
    if (this.#looking || this.#bench === undefined || this.#rootId === undefined) return
    this.#looking = true
    const release = this.#bench.hold?.()
    this.#lookWhileAsked(this.#bench)
      .catch((thrown: unknown) => this.#settle?.reject(thrown))
      .finally(() => {
        this.#looking = false
        release?.()
      })
  }

  async #lookWhileAsked(bench: ConformanceBench): Promise<void> {
    while (this.#again) {
      this.#again = false
      this.#runs = await bench.runs()
      for (const gate of this.#gates) {
        if (!this.#holds(gate.condition)) continue
        this.#gates.delete(gate)
        gate.open()
      }
      const move = this.#entry.moves?.[this.#answers.length]
      if (move !== undefined && this.#holds(move.when)) {
        this.#answers.push(await this.#make(bench, move))
        this.#again = true
      } else if (this.#isOver()) this.#settle?.resolve()
    }
  }

  #holds(condition: Condition): boolean {
    return holds(
      condition,
      this.#runs.map((run) => this.#played(run)),
    )
  }

  #played({ runId, plan, records }: BenchRun): PlayedRun {
    return { planId: plan.metadata.planId, isRoot: runId === this.#rootId, records }
  }

  async #make(bench: ConformanceBench, move: Move): Promise<string> {
    const runId = this.#runIdOf(move)
    try {
      if (move.send !== undefined) await this.#send(bench, runId, move.send, move)
      if (move.event !== undefined)
        await bench.sendEvent({ ...move.event, id: move.event.id ?? `event${this.#answers.length + 1}` })
      if (move.complete !== undefined) {
        const { step, outcome, as = 'local', notes, evidence, result } = move.complete
        await bench.complete(runId, {
          slot: step,
          outcome,
          actorUserId: as,
          ...(notes === undefined ? {} : { notes }),
          ...(evidence === undefined ? {} : { evidenceRefs: evidence }),
          ...(result === undefined ? {} : { result }),
        })
      }
      if (move.fork !== undefined) await bench.fork(runId, move.fork)
      return 'ok'
    } catch (thrown) {
      if (thrown instanceof KeelsonError) return thrown.code
      throw thrown
    }
  }

  async #send(bench: ConformanceBench, runId: string, signalType: string, move: Move): Promise<void> {
    const signalId = this.#options.random.uuid()
    await bench.signal(runId, { signalId, signalType, payload: move.payload ?? {}, allowed: move.denied !== true })
    this.#signalIds.push(signalId)
  }

  #runIdOf({ plan }: Move): string {
    const run = plan === undefined ? undefined : this.#runs.findLast((one) => one.plan.metadata.planId === plan)
    return run?.runId ?? this.#rootId ?? ''
  }

  #isOver(): boolean {
    if (this.#answers.length < (this.#entry.moves?.length ?? 0)) return false
    if (this.#runs.length === 0 || !this.#runs.every(({ status }) => isTerminalRun(status))) return false
    const answered = new Set(
      this.#runs.flatMap(({ records }) =>
        records.flatMap(({ eventType, payload }) => (eventType.startsWith('Signal') ? [payload?.['signalId']] : [])),
      ),
    )
    const isAnswered = this.#signalIds.every((signalId) => answered.has(signalId))
    return isAnswered && (this.#entry.until ?? []).every((condition) => this.#holds(condition))
  }

  #stuck(): KeelsonError {
    const move = this.#entry.moves?.[this.#answers.length]
    const runs = this.#runs.map(({ plan, status }) => `${plan.metadata.planId} is ${status}`).join(', ')
    const waits = [
      ...(move === undefined ? [] : [`move ${this.#answers.length + 1} waits for ${canonicalText(move.when)}`]),
      ...[...this.#gates].map(({ condition }) => `a handler waits for ${canonicalText(condition)}`),
    ]
    return new KeelsonError([
      problem('ENTRY_STUCK', `'${this.#entry.name}' did not end: ${[runs, ...waits].join('; ')}`),
    ])
  }
}

function playOf(
  runs: readonly CanonicalRun[],
  answers: readonly string[],
  rest: Pick<Play, 'refused' | 'status' | 'output'>,
): Play {
  const { refused } = rest
  const hash = sha256Hex(
    canonicalText({ runs: projection(runs), answers, ...(refused === undefined ? {} : { refused }) }),
  )
  return { runs, answers, hash, ...rest }
}
