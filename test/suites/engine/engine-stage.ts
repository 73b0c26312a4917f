/**
 * The functions that plans of the engine cases call, and a hand on them: which were called, which are at work, and when a held
 * one may go on. Runs are told apart by their ids, so that cases may share a stage.
 */
import type { StepContext } from '../../../src/ports/step-handlers.ts'

type Context = Pick<StepContext, 'runId' | 'stepId' | 'itemIndex' | 'attempt' | 'signal'>

export interface EngineStage {
  readonly functions: Readonly<Record<string, (input: never, context: StepContext) => unknown>>
  /** Calls of a run so far, as `step#attempt` or `step[item]#attempt`, in the order in which they came. */
  calls(runId: string): readonly string[]
  /** What the calls of a run were given, in the same order. */
  inputs(runId: string): readonly unknown[]
  /** Resolves once that step of the run is held. */
  atWork(runId: string, stepId: string): Promise<void>
  /** Lets held steps of the run go on: one, or all of them. */
  release(runId: string, stepId?: string): void
  releaseAll(): void
  /** How often a held step was asked to stop. */
  stops(runId: string): number
  /** Where `echo` was called from last. */
  stack(runId: string): string
}

interface Held {
  readonly runId: string
  readonly stepId: string
  readonly resolve: (value: string) => void
}

export function engineStage(): EngineStage {
  const log: { readonly runId: string; readonly call: string; readonly input: unknown; readonly stack: string }[] = []
  const held = new Set<Held>()
  const stops: string[] = []
  let lookers: (() => void)[] = []
  const note = (input: unknown, { runId, stepId, itemIndex, attempt }: Context): void => {
    const item = itemIndex === undefined ? '' : `[${itemIndex}]`
    log.push({ runId, call: `${stepId}${item}#${attempt}`, input, stack: new Error('here').stack ?? '' })
  }
  const hold = (context: Context, obeys: boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const { runId, stepId, signal } = context
      const one = { runId, stepId, resolve }
      held.add(one)
      signal.addEventListener('abort', () => {
        stops.push(runId)
        if (!obeys) return
        held.delete(one)
        reject(signal.reason as Error)
      })
      for (const look of lookers) look()
    })
  const of = (runId: string) => log.filter((one) => one.runId === runId)
  const release = (fits: (one: Held) => boolean): void => {
    for (const one of held) {
      if (!fits(one)) continue
      held.delete(one)
      one.resolve('released')
    }
  }
  return {
    functions: functionsOf(note, hold),
    calls: (runId) => of(runId).map(({ call }) => call),
    inputs: (runId) => of(runId).map(({ input }) => input),
    stack: (runId) => of(runId).at(-1)?.stack ?? '',
    stops: (runId) => stops.filter((one) => one === runId).length,
    release: (runId, stepId) => release((one) => one.runId === runId && (stepId ?? one.stepId) === one.stepId),
    releaseAll: () => release(() => true),
    atWork: (runId, stepId) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (![...held].some((one) => one.runId === runId && one.stepId === stepId)) return
          lookers = lookers.filter((one) => one !== look)
          resolve()
        }
        lookers.push(look)
        look()
      }),
  }
}

function functionsOf(
  note: (input: unknown, context: Context) => void,
  hold: (context: Context, obeys: boolean) => Promise<string>,
): EngineStage['functions'] {
  return {
    echo: (input: unknown, context) => {
      note(input, context)
      return input
    },
    /** Fails as often as it is told to, then gives the number of its attempt. */
    flaky: (input: { readonly failures: number }, context) => {
      note(input, context)
      if (context.attempt <= input.failures) throw new Error(`attempt ${context.attempt} is too early`)
      return context.attempt
    },
    /** Fails for good. */
    refuse: (input: unknown, context) => {
      note(input, context)
      throw Object.assign(new Error('never'), { name: 'ValidationError' })
    },
    /** Waits until it is released; stops when it is asked to. */
    held: (input: unknown, context) => {
      note(input, context)
      return hold(context, true)
    },
    /** Waits until it is released, whatever it is asked. */
    stubborn: (input: unknown, context) => {
      note(input, context)
      return hold(context, false)
    },
    large: (input: { readonly chars: number }, context) => {
      note(input, context)
      return 'x'.repeat(input.chars)
    },
    /** Tells how long its secret is, never the secret. */
    secretive: (input: unknown, context) => {
      note(input, context)
      return { chars: context.secrets['token']?.length, told: `it is ${context.secrets['token'] ?? ''}` }
    },
    keep: async (input: { readonly text: string }, context) => {
      note(input, context)
      await context.artifacts.put(input.text, { kind: 'log-bundle' })
      return 'kept'
    },
  }
}
