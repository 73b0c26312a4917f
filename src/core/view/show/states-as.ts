/**
 * How a run and its steps stand, in the words of the projects that plans are imported from. Inside, and in every log, only
 * our own words exist.
 */
import { isTerminalRun } from '../../run/state/transitions.ts'
import type { RunSnapshot } from '../fold/run-snapshot.ts'
import {
  actionStateOf,
  executionWord,
  runV1StatusOf,
  stepWord,
  type ActionState,
  type RunV1Status,
} from '../fold/vocabulary.ts'

export const STATE_WORDS = ['orchestr8', 'portarium'] as const
export type StateWords = (typeof STATE_WORDS)[number]

export type RunStates =
  | { readonly status: string; readonly steps: Readonly<Record<string, string>> }
  | { readonly status: RunV1Status; readonly actions: Readonly<Record<string, ActionState>> }

export function statesAs(words: StateWords, snapshot: RunSnapshot): RunStates {
  const { status, steps } = snapshot
  if (words === 'portarium') {
    const actions = steps.map((step) => [step.stepId, actionStateOf(step, status)] as const)
    return { status: runV1StatusOf(snapshot), actions: Object.fromEntries(actions) }
  }
  // There only what was in flight is cancelled: what never started was skipped.
  const isOver = isTerminalRun(status)
  const told = steps.map(
    (step) => [step.stepId, isOver && step.status === 'PENDING' ? 'skipped' : stepWord(step, status)] as const,
  )
  return { status: executionWord(snapshot), steps: Object.fromEntries(told) }
}
