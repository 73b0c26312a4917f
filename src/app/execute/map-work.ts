/**
 * The input of one piece of work, mapped over what its slot sees: a step or a fallback as of the seq at which it was
 * begun, so that a repeat gets the same (P-17); a compensation as of now, with the step that it undoes.
 */
import type { Compensation, Fallback, JsonSchema, Mapping } from '../../core/plan/plan.ts'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { ExpressionRoots } from '../expressions/expressions.ts'
import { isConstant, mappingNeeds, mapValue } from '../expressions/map-input.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { unitOutput } from '../loaded/run-outputs.ts'
import { slotRoots, stepOverrides, type RootsAt } from '../loaded/slot-roots.ts'
import { validateJson } from '../schemas/json-schema.ts'
import { mappedAction, wholeMapping, type MappedAction } from './map-action.ts'
import type { Executable, Work } from './step-work.ts'

/** At hand where nothing has to be read for it, as for most steps; otherwise a promise of it. */
export function mapWork(
  store: RunStore,
  run: LoadedRun,
  work: Work,
  effect: Executable,
): MappedAction | Promise<MappedAction> {
  if (effect.kind === 'Compensate') return mapUndo(store, run, work, effect)
  const at = rootsOfWork(store, run, work, effect.attempt, work.unit.inputSeq)
  const given = work.unit.fallback ? (work.action as Fallback).with : work.step.with
  const result = mapped(at, given, work.action)
  const checked = (one: MappedAction): MappedAction => {
    if (!work.unit.fallback) checkInput(work.step.inputSchema, one)
    return one
  }
  return result instanceof Promise ? result.then(checked) : checked(result)
}

function checkInput(schema: JsonSchema | undefined, { input }: MappedAction): void {
  if (schema === undefined) return
  const valid = validateJson(schema, input, 'INPUT_INVALID')
  if (!valid.ok) throw refusedInput(valid.problems.map((one) => one.message))
}

async function mapUndo(store: RunStore, run: LoadedRun, work: Work, effect: Executable): Promise<MappedAction> {
  const at: RootsAt = {
    store,
    run,
    state: run.state,
    unit: work.unit,
    seq: run.state.seq,
    attempt: effect.attempt,
    ...(work.ownerRunId === undefined ? {} : { ownerRunId: work.ownerRunId }),
    step: () => stepAsDone(store, run, work),
  }
  const { action } = work
  const { with: given, inputSchema } = action as Compensation
  const result = mappedAction(action, await mapTo(at, given, action))
  checkInput(inputSchema, result)
  return result
}

/** What the attempt that is undone was given, mapped again as it was then, and what came of it. */
async function stepAsDone(store: RunStore, run: LoadedRun, work: Work): Promise<NonNullable<ExpressionRoots['step']>> {
  const { step, unit } = work
  // A result that was taken over has no start of its own: the place of its end in the log counts.
  const isTaken = unit.ownerRunId !== ''
  const attempt = isTaken && unit.ownerAttempt > 0 ? unit.ownerAttempt : unit.attempt
  const at = rootsOfWork(store, run, work, attempt, isTaken ? unit.outputSeq : unit.inputSeq)
  const action = unit.fallback && step.fallback !== undefined ? step.fallback : step
  const [{ input }, output] = await Promise.all([mapped(at, action.with, { run: '' }), unitOutput(store, run, unit)])
  return { input, output }
}

function rootsOfWork(store: RunStore, run: LoadedRun, work: Work, attempt: number, seq: number): RootsAt {
  return {
    store,
    run,
    state: run.state,
    unit: work.unit,
    seq,
    outputsUpTo: seq,
    attempt,
    ...(work.ownerRunId === undefined ? {} : { ownerRunId: work.ownerRunId }),
  }
}

function mapped(at: RootsAt, given: Mapping, action: Work['action']): MappedAction | Promise<MappedAction> {
  const mapping = wholeMapping(given, action)
  return at.state.overrides.size === 0 && isConstant(mapping)
    ? mappedAction(action, mapping)
    : mappedOver(at, given, action)
}

async function mappedOver(at: RootsAt, given: Mapping, action: Work['action']): Promise<MappedAction> {
  const value = await mapTo(at, given, action)
  return mappedAction(action, value, at.state.overrides.size === 0 ? {} : await stepOverrides(at))
}

async function mapTo(at: RootsAt, given: Mapping, action: Work['action']) {
  const mapping = wholeMapping(given, action)
  const needs = mappingNeeds(mapping)
  if (!needs.ok) throw refusedInput(needs.problems.map((one) => one.message))
  const value = mapValue(mapping, await slotRoots(at, needs.value))
  if (!value.ok) throw refusedInput(value.problems.map((one) => one.message))
  return value.value
}

function refusedInput(messages: readonly string[]): KeelsonError {
  return new KeelsonError([problem('INPUT_INVALID', messages.join('; '))])
}
