/**
 * One step, item or fallback as a person inspects it: what it was given, mapped again from the log as it was at its
 * start (P-17), what it gave back, and the title of its task. Secrets are not part of an input: they are named in it.
 */
import type { Json } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import { isFanParent, locate, stepAt } from '../../core/run/state/units.ts'
import type { RunLook } from './look-once.ts'
import { mappingNeeds, mapValue } from '../expressions/map-input.ts'
import { openTaskTexts } from '../loaded/manual-fields.ts'
import { stepOutput, unitOutput, type ValuedRun } from '../loaded/run-outputs.ts'
import { slotRoots, stepOverrides } from '../loaded/slot-roots.ts'

export interface StepDetail {
  /** Absent before its start, and for a fan-out: each of its items has its own. */
  readonly input?: Json
  /** Why the input cannot be shown, such as after an erasure. */
  readonly inputProblem?: string
  /** Of a step that has succeeded. */
  readonly output?: unknown
  /** The title of its manual task. */
  readonly title?: string
}

export async function stepDetail(store: RunLook, run: ValuedRun, slot: string): Promise<StepDetail> {
  const found = locate(run.state, slot)
  if (found === undefined) return fail('STEP_UNKNOWN', `the run has no '${slot}'`)
  const { unit } = found
  const { graph } = run.state
  const step = stepAt(graph, unit.step)
  const isFan = isFanParent(graph, unit)
  const hasOutput = unit.status === 'SUCCESS'
  const output = isFan ? () => stepOutput(store, run, run.state, step.stepId) : () => unitOutput(store, run, unit)
  const manual = 'manual' in step ? step.manual : undefined
  const texts =
    manual === undefined || isFan || unit.attempt === 0
      ? undefined
      : await openTaskTexts({ store, run, state: run.state, unit }, manual)
  return {
    ...(unit.attempt === 0 || isFan || manual !== undefined ? {} : await inputOf(store, run, found)),
    ...(hasOutput ? { output: await output() } : {}),
    ...(texts?.ok === true ? { title: texts.value.title } : {}),
  }
}

type Found = NonNullable<ReturnType<typeof locate>>

async function inputOf(
  store: RunLook,
  run: ValuedRun,
  { unit }: Found,
): Promise<Pick<StepDetail, 'input' | 'inputProblem'>> {
  const step = stepAt(run.state.graph, unit.step)
  const given = unit.fallback && step.fallback !== undefined ? step.fallback : step
  const isTaken = unit.ownerRunId !== ''
  const seq = isTaken ? unit.outputSeq : unit.inputSeq
  const at = { store, run, state: run.state, unit, seq, outputsUpTo: seq, attempt: unit.attempt }
  const needs = mappingNeeds(given.with)
  if (!needs.ok) return { inputProblem: needs.problems[0]?.message ?? '' }
  const mapped = mapValue(given.with, await slotRoots(at, needs.value))
  if (!mapped.ok) return { inputProblem: mapped.problems[0]?.message ?? '' }
  const overrides = run.state.overrides.size === 0 ? {} : await stepOverrides(at)
  return { input: { ...(mapped.value as { readonly [name: string]: Json }), ...(overrides as Record<string, Json>) } }
}
