/** How a cell looks: a step as its state; a fold as the state in it that asks most for attention, with how many are done and failed. */
import type { StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import { statusLook, stepLook, type Look, type Tone } from '../shown/states.ts'
import type { WaitKind } from '../shown/wait-kind.ts'

export interface CellLook extends Look {
  /** Of a fold: how many are done; empty for a step of a run. */
  readonly chip: string
}

/** What is nearer to the front is shown where both are in the fold. */
const URGENT: readonly Tone[] = ['bad', 'human', 'busy', 'held', 'idle', 'good', 'off']
const DONE: ReadonlySet<string> = new Set(['SUCCESS', 'SKIPPED', 'CANCELLED'])

const lookOf = (step: StepSnapshot | undefined, waits?: WaitKind): Look =>
  step === undefined ? statusLook('PENDING') : stepLook(step, waits)

/** `waits`: of the one step, where it is one. */
export function cellLook(steps: readonly (StepSnapshot | undefined)[], waits?: WaitKind): CellLook {
  if (steps.length === 1) return { ...lookOf(steps[0], waits), chip: '' }
  let shown: Look | undefined
  let [done, failed] = [0, 0]
  for (const step of steps) {
    const look = lookOf(step)
    if (look.tone === 'bad') failed += 1
    else if (isDone(step)) done += 1
    if (shown === undefined || URGENT.indexOf(look.tone) < URGENT.indexOf(shown.tone)) shown = look
  }
  const look = shown ?? lookOf(undefined)
  return {
    ...look,
    word: look.tone === 'idle' && done > 0 ? 'partly done' : look.word,
    chip: `${done} of ${steps.length}${failed === 0 ? '' : `, ${failed} failed`}`,
  }
}

function isDone(step: StepSnapshot | undefined): boolean {
  return step !== undefined && (DONE.has(step.status) || step.recovered === true || step.handled === true)
}

/** How a step of a plan is drawn, without a run. */
export interface DrawnAs {
  readonly look: Look
  /** Instead of what kind of step it is. */
  readonly detail?: string
}

/** A fold as that in it which asks most for attention, with how many there are of it. */
export function cellDrawnAs(steps: readonly (DrawnAs | undefined)[]): CellLook {
  const looks = steps.flatMap((step) => (step === undefined ? [] : [step.look]))
  const shown = URGENT.flatMap((tone) => looks.find((look) => look.tone === tone) ?? [])[0] ?? lookOf(undefined)
  if (steps.length === 1) return { ...shown, chip: steps[0]?.detail ?? '' }
  const like = looks.filter(({ word }) => word === shown.word).length
  return { ...shown, chip: like === steps.length ? '' : `${like} ${shown.word}` }
}
