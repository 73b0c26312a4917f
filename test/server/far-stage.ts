/**
 * The functions of the engine's cases, done by workers in Python over real HTTP, of which one is killed every now and then. A call that a
 * killed worker had begun is begun again; it counts once, by its attempt.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { ROOT } from '../../scripts/terminal.ts'
import { startChild } from '../fixtures/child.ts'
import { until } from '../fixtures/until.ts'
import type { Rng } from '../sim/random.ts'
import type { EngineStage } from '../suites/engine/engine-stage.ts'

interface Note {
  readonly kind: 'call' | 'held' | 'stop'
  readonly executionId: string
  readonly step: string
  readonly slot: string
  readonly itemIndex: number | null
  readonly attempt: number
  readonly idempotencyKey: string
  readonly input: unknown
}

/** Steps that call a function go to the queue of the workers. */
export function farPlan(yaml: string): string {
  return stringify(farSteps(parse(yaml) as { readonly steps: readonly object[] }))
}

interface Steps {
  readonly steps?: readonly object[]
}

function farSteps<T extends Steps>(plan: T): T {
  return plan.steps === undefined ? plan : { ...plan, steps: plan.steps.map((step) => farStep(step)) }
}

function farStep(step: object): object {
  const block = (step as { readonly forEach?: Steps | string }).forEach
  const inner = typeof block === 'object' ? { ...step, forEach: farSteps(block) } : step
  return 'run' in step ? { ...inner, dispatch: { queue: 'far' } } : inner
}

export class FarStage implements EngineStage {
  readonly functions = {}
  kills = 0
  /** While it is, nobody is killed. */
  isCalm = false
  readonly #folder: string
  readonly #workers: ReturnType<typeof startChild>[]
  readonly #start: () => ReturnType<typeof startChild>

  constructor(url: string, worker: string, folder: string, workers: number) {
    this.#folder = folder
    const [script, example] = [join(ROOT, 'test/fixtures/far_stage.py'), join(ROOT, 'examples/python-worker')]
    this.#start = () => startChild('python3', [script, example, url, worker, folder])
    this.#workers = Array.from({ length: workers }, this.#start)
  }

  /** One of them; another takes its place. */
  kill(random: Rng): void {
    if (this.isCalm) return
    const victim = random.int(0, this.#workers.length - 1)
    this.#workers[victim]?.kill('SIGKILL')
    this.#workers[victim] = this.#start()
    this.kills += 1
  }

  close(): void {
    for (const worker of this.#workers) worker.kill('SIGKILL')
  }

  calls(runId: string): readonly string[] {
    return this.#once('call', runId).map(nameOf)
  }

  inputs(runId: string): readonly unknown[] {
    return this.#once('call', runId).map(({ input }) => input)
  }

  stops(runId: string): number {
    return this.#once('stop', runId).length
  }

  stack(): string {
    throw new Error('the functions are elsewhere')
  }

  async atWork(runId: string, stepId: string): Promise<void> {
    await until(() => this.#once('held', runId).some(({ step }) => step === stepId))
  }

  release(runId: string, stepId?: string): void {
    for (const { step, attempt } of this.#once('held', runId))
      if (step === (stepId ?? step)) writeFileSync(join(this.#folder, `${runId}.${step}.${attempt}`), '')
  }

  releaseAll(): void {
    for (const { executionId } of this.#notes()) this.release(executionId)
  }

  /** However often an attempt was begun, it was begun under one key. */
  keysPerAttempt(): ReadonlySet<number> {
    const keys = Map.groupBy(this.#notes(), (note) => `${note.executionId} ${note.slot} ${note.attempt}`)
    return new Set([...keys.values()].map((notes) => new Set(notes.map((note) => note.idempotencyKey)).size))
  }

  #once(kind: Note['kind'], runId: string): readonly Note[] {
    const notes = this.#notes().filter((note) => note.kind === kind && note.executionId === runId)
    return [...Map.groupBy(notes, ({ slot, attempt }) => `${slot}#${attempt}`).values()].flatMap(([first]) =>
      first === undefined ? [] : [first],
    )
  }

  /** A worker may have been killed in the middle of a line, and the next wrote behind it. */
  #notes(): readonly Note[] {
    const text = readFileSync(join(this.#folder, 'notes'), { encoding: 'utf8', flag: 'a+' })
    return text.split('\n').flatMap((line) => {
      const whole = line.lastIndexOf('{"kind"')
      return whole < 0 || !line.endsWith('}') ? [] : [JSON.parse(line.slice(whole)) as Note]
    })
  }
}

function nameOf({ step, itemIndex, attempt }: Note): string {
  return `${step}${itemIndex === null ? '' : `[${itemIndex}]`}#${attempt}`
}
