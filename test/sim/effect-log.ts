/**
 * The log of what steps really did, kept by the world and not by the product. Each beginning is judged on the spot:
 * was its start committed, had its outcome not been, did nobody begin it before (I8, P-13, P-28)?
 */
import type { Effect } from '../../src/core/run/effect.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import type { ActionCall, StepContext } from '../../src/ports/step-handlers.ts'
import { behaviourOf, resultOf, thrownOf, type Behaviour } from './behaviour.ts'
import type { RunModel } from './oracle-model.ts'
import type { Execution } from './oracle-walk.ts'
import type { RunTrack } from './run-track.ts'
import type { SimProcess } from './sim-process.ts'
import { sortedText } from './value-language.ts'
import type { World } from './world.ts'

export class EffectLog {
  readonly #world: World
  readonly all: Execution[] = []
  readonly #byAttempt = new Map<string, Execution[]>()
  readonly #begun = new Map<string, number>()
  readonly #repeats = new Map<string, number>()
  readonly #keys = new Map<string, string>()
  /** Beginnings after the outcome was committed, by a process that could not know it yet. */
  zombies = 0

  constructor(world: World) {
    this.#world = world
  }

  executions(runId: string, slot: string, attempt: number): readonly Execution[] {
    return this.#byAttempt.get(`${runId}|${slot}|${attempt}`) ?? []
  }

  expectRepeat(runKey: RunKey, effect: Effect): void {
    const id = `${this.#world.tracks.get(runKey)?.runId ?? ''}|${effect.id.slice(effect.id.indexOf(':') + 1)}`
    this.#repeats.set(id, (this.#repeats.get(id) ?? 0) + 1)
  }

  begin(process: SimProcess, { action, input, context }: ActionCall): Promise<unknown> {
    const name = 'run' in action ? action.run : 'work'
    const slot = slotOf(name, context)
    const {
      attempt,
      engineAttempt,
      execution: { id: runId },
    } = context
    const track = this.#world.trackOf(runId)
    const execution: Execution = { runId, slot, attempt, engineAttempt, ended: 'open' }
    this.all.push(execution)
    const key = `${runId}|${slot}|${attempt}`
    this.#byAttempt.set(key, [...(this.#byAttempt.get(key) ?? []), execution])
    if (track === undefined) this.#world.complain(`P-13 ${slot} began in a run that is not committed`)
    else this.#judge(process, track, execution, context, input)
    const { seed, behaviour } = this.#world.scenario
    const acts = behaviourOf(seed, behaviour, slot, attempt, engineAttempt)
    return this.#play(process, execution, acts, context, resultOf(seed, slot, input))
  }

  #judge(process: SimProcess, track: RunTrack, execution: Execution, context: StepContext, input: unknown): void {
    const { slot, attempt, engineAttempt } = execution
    const { model } = track.oracle
    const say = (what: string): void =>
      this.#world.complain(`${track.runId.slice(0, 8)} ${slot}@${attempt}.${engineAttempt} on ${process.name}: ${what}`)
    const id = `${track.runId}|${slot}:${attempt}:${engineAttempt}`
    const begun = (this.#begun.get(id) ?? 0) + 1
    this.#begun.set(id, begun)
    const irreversible = !slot.startsWith('COMP:') && model.slots.get(slot)?.step.effect === 'irreversible'
    if (irreversible && this.executions(track.runId, slot, attempt).length > 1)
      say('P-28 an irreversible attempt began twice')
    if (begun > 1 + (this.#repeats.get(id) ?? 0)) say('P-03 the same effect began twice')
    const undoing = slot.startsWith('COMP:')
    const { epoch, isOpen, endSeq } = undoing
      ? plannedCompensation(model, slot.slice('COMP:'.length), attempt)
      : attemptOf(model, slot, attempt)
    if (epoch === undefined) return say('P-13 it began before its start was committed')
    const rightful = epoch + engineAttempt - 1 === track.epoch
    // A repeat that asked the log before the outcome and got a slow answer cannot know better.
    const couldNotKnow =
      endSeq > process.knownSeq(track.runKey) || (this.#repeats.has(id) && this.#world.scenario.rates.delay > 0)
    if (!isOpen && rightful && !couldNotKnow) say('I8 it began after its outcome was committed')
    if (!isOpen) this.zombies += 1
    if (undoing) return
    this.#checkKey(track, slot, context, input, say)
    checkInput(track, execution, input, say)
  }

  /** The key for the outside world stays the same over attempts and crashes while the input does (X-66, P-17). */
  #checkKey(track: RunTrack, slot: string, context: StepContext, input: unknown, say: (what: string) => void): void {
    const changed = [...track.oracle.model.signals.values()].some(
      ({ type, applied }) =>
        applied && ['RETRY_STEP', 'UPDATE_PARAMS', 'INJECT_OVERRIDE', 'UPDATE_TARGET'].includes(type),
    )
    if (changed) return
    const id = `${track.runId}|${slot}`
    const told = `${context.idempotencyKey} ${JSON.stringify(input)}`
    const before = this.#keys.get(id)
    if (before !== undefined && before !== told) say(`X-66 another key or input than before: ${before} → ${told}`)
    this.#keys.set(id, told)
  }

  #play(
    process: SimProcess,
    execution: Execution,
    behaviour: Behaviour,
    context: StepContext,
    result: object,
  ): Promise<unknown> {
    const { time } = this.#world
    const { slot, attempt, engineAttempt } = execution
    return new Promise((resolve, reject) => {
      const end = (): void => {
        if (execution.ended !== 'open') return
        if (behaviour.kind === 'fail') {
          execution.ended = 'failed'
          execution.errorClass = behaviour.errorClass
          reject(thrownOf(behaviour.errorClass) as Error)
          return
        }
        execution.ended = 'completed'
        execution.value = { at: time.now, by: `${slot}#${attempt}.${engineAttempt}`, ...result }
        resolve(execution.value)
      }
      if (behaviour.kind !== 'hang')
        time.schedule(time.now + (behaviour.kind === 'stubborn' ? 90_000 : behaviour.ms), end, process)
      if (behaviour.kind === 'stubborn') return
      const abort = (): void => {
        if (execution.ended !== 'open') return
        execution.ended = 'aborted'
        reject(context.signal.reason as Error)
      }
      if (context.signal.aborted) abort()
      else context.signal.addEventListener('abort', abort, { once: true })
    })
  }
}

/** What the step was given is what its mapping gives over the values of the log, computed here a second time. */
function checkInput(track: RunTrack, { slot, attempt }: Execution, input: unknown, say: (what: string) => void): void {
  const found = track.oracle.model.slots.get(slot)
  if (found === undefined) return
  const expected = sortedText(track.oracle.values.given(found, attempt))
  const given = sortedText(input)
  if (given !== expected) say(`P-17 was given ${given}, not ${expected}`)
}

interface Begun {
  /** Epoch of its start; undefined when it was never started. */
  readonly epoch: number | undefined
  readonly isOpen: boolean
  readonly endSeq: number
}

function attemptOf(model: RunModel, slot: string, attempt: number): Begun {
  const found = model.slots.get(slot)?.attempts[attempt - 1]
  return { epoch: found?.epoch, isOpen: found?.state === 'RUNNING', endSeq: found?.endSeq ?? 0 }
}

function plannedCompensation({ undo, compensationEpochs }: RunModel, slot: string, attempt: number): Begun {
  const isOpen = undo?.slot === slot && undo.attempt === attempt && undo.state === 'RUNNING'
  return { epoch: compensationEpochs.get(`${slot}#${attempt}`), isOpen, endSeq: 0 }
}

/** The slot behind a call: undoing names it in its key, the others by step and item. */
function slotOf(name: string, context: StepContext): string {
  if (name === 'undo') {
    const { idempotencyKey } = context
    return `COMP:${idempotencyKey.slice(idempotencyKey.indexOf(':') + 1, idempotencyKey.lastIndexOf(':'))}`
  }
  const base = context.itemIndex === undefined ? context.stepId : `${context.stepId}[${context.itemIndex}]`
  return name === 'other' ? `FALLBACK:${base}` : base
}
