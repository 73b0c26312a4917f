/**
 * Many histories, one after another, added up. Between histories the real event loop gets its turn; inside them nothing
 * is real. A seed in the report gives back every one of them.
 */
import { createHash } from 'node:crypto'
import { FAULT_KINDS } from './faults.ts'
import { runHistory, type History, type HistoryOptions } from './history.ts'
import { hashText } from './random.ts'
import { makeScenario, type Scenario } from './scenario.ts'
import { shrink, type Shrunk } from './shrink.ts'

export interface Failing {
  readonly seed: number
  readonly violations: readonly string[]
  readonly shrunk?: Shrunk
}

export interface Report {
  readonly seed: number
  readonly histories: number
  readonly crashPoints: number
  readonly violations: number
  readonly events: number
  readonly executions: number
  readonly storePoints: number
  readonly adoptions: number
  readonly staleDrivers: number
  readonly zombies: number
  readonly virtualHours: number
  readonly reached: Readonly<Record<string, number>>
  readonly failing: readonly Failing[]
  /** Names that should have been reached and were not (E3). */
  readonly vacuous: readonly string[]
  /** Over the digests of all histories. */
  readonly digest: string
}

export interface ExploreOptions extends HistoryOptions {
  readonly histories: number
  readonly seed: number
  readonly maxSteps?: number
  readonly shrink?: boolean
  /** Stop after this many failing histories. */
  readonly failuresMax?: number
  /** Only histories of this kind; the others are not counted. */
  readonly only?: (scenario: Scenario) => boolean
  /** What must be met for the exploration not to be in vain; default: everything there is. */
  readonly expected?: readonly string[]
  /** The scenario as this exploration wants it, e.g. without what a store cannot do. */
  readonly adjust?: (scenario: Scenario) => Scenario
}

/** Seed of the n-th history of a run of the simulator. */
export function seedOf(seed: number, index: number): number {
  return index === 0 ? seed : hashText(`${seed}:${index}`)
}

/**
 * Lets everything deep in the product be seen without a stack: taking one costs more than the step that failed, and its
 * text is of one machine. Gives back how to undo it.
 */
export function withoutStacks(): () => void {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  return () => {
    Error.stackTraceLimit = before
  }
}

class Sums {
  histories = 0
  readonly numbers = {
    crashPoints: 0,
    events: 0,
    executions: 0,
    storePoints: 0,
    adoptions: 0,
    staleDrivers: 0,
    zombies: 0,
    virtualMs: 0,
  }
  readonly reached = new Map<string, number>()
  readonly failing: Failing[] = []
  readonly #digest = createHash('sha256')

  add(history: History): void {
    this.histories += 1
    this.#digest.update(history.digest)
    this.numbers.crashPoints += history.crashes
    this.numbers.events += history.events
    this.numbers.executions += history.executions
    this.numbers.storePoints += history.points
    this.numbers.adoptions += history.adoptions
    this.numbers.staleDrivers += history.staleDrivers
    this.numbers.zombies += history.zombies
    this.numbers.virtualMs += history.virtualMs
    for (const [name, count] of history.reached) this.reached.set(name, (this.reached.get(name) ?? 0) + count)
  }

  report(seed: number, expected: readonly string[]): Report {
    const { virtualMs, ...numbers } = this.numbers
    return {
      seed,
      histories: this.histories,
      ...numbers,
      violations: this.failing.length,
      virtualHours: Math.round(virtualMs / 360_000) / 10,
      reached: Object.fromEntries([...this.reached].sort(([a], [b]) => (a < b ? -1 : 1))),
      failing: this.failing,
      vacuous: expected.filter((name) => !this.reached.has(name)),
      digest: this.#digest.digest('hex'),
    }
  }
}

export async function explore(options: ExploreOptions): Promise<Report> {
  const sums = new Sums()
  const restore = withoutStacks()
  try {
    for (let index = 0, met = 0; met < options.histories; index += 1) {
      const seed = seedOf(options.seed, index)
      const made = makeScenario(seed, { maxSteps: options.maxSteps ?? 40 })
      if (options.only?.(made) === false) continue
      met += 1
      const scenario = options.adjust?.(made) ?? made
      const history = await guarded(scenario, options)
      if ('threw' in history) sums.failing.push({ seed, violations: [history.threw] })
      else {
        sums.add(history)
        if (history.violations.length > 0) sums.failing.push(await failing(scenario, history, options))
      }
      if (sums.failing.length >= (options.failuresMax ?? 5)) break
      await new Promise((resolve) => setImmediate(resolve))
    }
  } finally {
    restore()
  }
  return sums.report(options.seed, options.expected ?? EXPECTED)
}

async function guarded(scenario: Scenario, options: HistoryOptions): Promise<History | { threw: string }> {
  try {
    return await runHistory(scenario, options)
  } catch (thrown) {
    return { threw: `threw ${thrown instanceof Error ? thrown.message : String(thrown)}` }
  }
}

async function failing(scenario: Scenario, history: History, options: ExploreOptions): Promise<Failing> {
  const [first] = history.violations
  const { seed } = scenario
  if (options.shrink !== true || first === undefined) return { seed, violations: history.violations }
  return { seed, violations: history.violations, shrunk: await shrink(scenario, history.fired, first, options) }
}

/** Written by the product today in a run on the embedded engine; the others belong to reports of capabilities, hand-off, upgrades and erasure. */
const EVENTS = [
  'RunQueued',
  'RunApproved',
  'RunStarted',
  'StepStarted',
  'StepCompleted',
  'StepFailed',
  'StepSkipped',
  'SignalAccepted',
  'SignalRejected',
  'RunPaused',
  'RunResumed',
  'RunCompleted',
  'RunFailed',
  'RunCancelled',
  'ManualTaskOpened',
  'FanOutExpanded',
  'CompensationStarted',
  'CompensationCompleted',
  'CompensationFailed',
  'AlertRaised',
  'AlertEscalated',
  'RunForked',
  'LateOutcomeRecorded',
]
const INPUTS = ['admit', 'start', 'outcome', 'signal', 'timer', 'child', 'adopt', 'scope', 'fork', 'grant', 'event']
const SIGNALS = [
  'PAUSE',
  'RESUME',
  'CANCEL',
  'EMERGENCY_STOP',
  'RETRY_STEP',
  'SKIP_STEP',
  'UPDATE_PARAMS',
  'INJECT_OVERRIDE',
  'UPDATE_TARGET',
  'ESCALATE_ALERT',
]
const ERRORS = [
  'timeout',
  'rate_limit',
  '5xx',
  'transport',
  'unknown',
  'validation',
  'auth_deny',
  'policy_deny',
  'conflict',
  'permanent',
  'cancelled',
]

/** What competing runs come by. */
export const EXPECTED_OF_GRANTS: readonly string[] = [
  'input grant',
  'grants refused',
  'grants offers that ran out',
  'grants waits passed over',
  'grants starving',
]

/** What the model of values computed. */
const VALUES = ['condition true', 'condition false', 'list', 'list problem', 'wait', 'capture', 'input', 'output']

export const EXPECTED: readonly string[] = [
  ...FAULT_KINDS.map((kind) => `fault ${kind}`),
  ...EVENTS.map((type) => `event ${type}`),
  ...INPUTS.map((kind) => `input ${kind}`),
  ...SIGNALS.map((type) => `accepted ${type}`),
  ...ERRORS.map((name) => `error ${name}`),
  ...VALUES.map((name) => `value ${name}`),
  'accepted CANCEL with undo',
  'undone by CANCEL',
  'wait for an event',
  'received event',
  'world adoptions',
  'world staleDrivers',
  'world refusedCommits',
  ...EXPECTED_OF_GRANTS,
  'feed deliveries',
  'feed repeats',
  'inbox rows outcomes',
  'helping hands',
]
