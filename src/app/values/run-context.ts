/**
 * Gathers what expressions of one slot may see, as of one seq of the log, and reads only what they name: a run may have
 * 100,000 outputs and an expression two of them. The sources are bound to the seq; nothing here knows the log.
 */
import type { Json } from '../../core/plan/plan.ts'
import type { ExpressionNeeds } from '../expressions/check.ts'
import type { ExpressionRoots, StepEnd } from '../expressions/expressions.ts'

export interface OutputSource {
  /** Output of a step, for a forEach step a list by index; null when it was skipped, failed or has not run. */
  output(stepId: string): Promise<unknown>
  /** How it ended, as of the same seq. */
  end(stepId: string): Promise<StepEnd>
}

export type ContextVariables = Readonly<Record<string, unknown>>

/** Where the roots of one slot come from. Sources that the expressions do not name are not called. */
export interface RootSources extends OutputSource {
  /** The run's input: `data.input` of its first event. */
  input(): Promise<unknown>
  /** The run's variables as of the slot's seq; see `contextVariables`. */
  context(): Promise<ContextVariables>
  /** Id of the only predecessor, if there is exactly one. */
  readonly previousStepId?: string
  /** For an item of a forEach step, or of the block that the run is. */
  readonly item?: { index(): Promise<unknown>; value(): Promise<unknown> }
  readonly run: NonNullable<ExpressionRoots['run']>
  readonly event?: NonNullable<ExpressionRoots['event']>
  /** For a compensation: the step that it undoes. */
  readonly step?: () => Promise<NonNullable<ExpressionRoots['step']>>
}

export interface ContextChange {
  readonly variable: string
  readonly value: Json
}

/**
 * The variables of a run: the plan's initial ones, overlaid by the stored ones (JSON text by variable, as
 * `RunStore.readContext` returns them), overlaid by the captures of the append in progress (P-07).
 */
export function contextVariables(
  initial: Readonly<Record<string, Json>>,
  stored: ReadonlyMap<string, string>,
  pending: readonly ContextChange[] = [],
): ContextVariables {
  const overlaid = new Map<string, unknown>(Object.entries(initial))
  for (const [variable, text] of stored) overlaid.set(variable, JSON.parse(text))
  for (const { variable, value } of pending) overlaid.set(variable, value)
  return Object.fromEntries(overlaid)
}

export async function loadRoots(needs: ExpressionNeeds, sources: RootSources): Promise<ExpressionRoots> {
  if (needs.roots.length === 0 && needs.steps.length === 0) return {}
  const wants = new Set(needs.roots)
  const previousStepId = wants.has('previous') ? sources.previousStepId : undefined
  const stepIds = [...new Set([...needs.steps, ...(previousStepId === undefined ? [] : [previousStepId])])]
  const [input, context, item, index, step, outputs, ends] = await Promise.all([
    wants.has('input') ? sources.input() : undefined,
    wants.has('context') ? sources.context() : undefined,
    wants.has('item') ? sources.item?.value() : undefined,
    wants.has('index') ? sources.item?.index() : undefined,
    wants.has('step') ? sources.step?.() : undefined,
    Promise.all(stepIds.map((stepId) => sources.output(stepId))),
    Promise.all(needs.ends.map(async (stepId) => [stepId, await sources.end(stepId)] as const)),
  ])
  const outputOf = new Map(stepIds.map((stepId, at) => [stepId, outputs[at] ?? null]))
  return {
    ...(wants.has('input') ? { input } : {}),
    ...(context === undefined ? {} : { context }),
    ...(wants.has('steps') ? { steps: stepsOf(needs.steps, outputOf, new Map(ends)) } : {}),
    ...(previousStepId === undefined ? {} : { previous: outputOf.get(previousStepId) }),
    ...(item === undefined ? {} : { item }),
    ...(typeof index === 'number' ? { index } : {}),
    ...(wants.has('run') ? { run: sources.run } : {}),
    ...(sources.event === undefined ? {} : { event: sources.event }),
    ...(step === undefined ? {} : { step }),
  }
}

function stepsOf(
  stepIds: readonly string[],
  outputOf: ReadonlyMap<string, unknown>,
  endOf: ReadonlyMap<string, StepEnd>,
): NonNullable<ExpressionRoots['steps']> {
  return Object.fromEntries(
    stepIds.map((stepId) => [stepId, { output: outputOf.get(stepId) ?? null, ...endOf.get(stepId) }]),
  )
}
