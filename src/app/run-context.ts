/**
 * Gathers what expressions of one slot may see, as of one seq of the log, and reads no more than they name: a run may
 * have 100,000 outputs and an expression two of them. The sources answer for the seq; nothing here knows the log.
 */
import type { Json } from '../core/plan/plan.ts'
import type { ExpressionNeeds } from './expression-check.ts'
import type { ExpressionRoots } from './expressions.ts'

export interface OutputSource {
  /** Output of a step, a list by index for a forEach step; null when it was skipped, failed or has not run. */
  output(stepId: string): Promise<unknown>
}

export type ContextVariables = Readonly<Record<string, unknown>>

/** Where the roots of one slot come from. What a need does not name is not called. */
export interface RootSources extends OutputSource {
  /** The run's input: `data.input` of its first event. */
  input(): Promise<unknown>
  /** The run's variables as of the slot's seq; see `contextVariables`. */
  context(): Promise<ContextVariables>
  /** Id of the only predecessor, if there is exactly one. */
  readonly previousStepId?: string
  /** Of an item of a forEach step. */
  readonly item?: { readonly index: number; value(): Promise<unknown> }
  readonly run: NonNullable<ExpressionRoots['run']>
}

export interface ContextChange {
  readonly variable: string
  readonly value: Json
}

/**
 * The variables of a run: the plan's initial ones, overlaid by the stored ones (JSON text by variable, as
 * `RunStore.readContext` gives them), overlaid by the captures of the append in the making (P-07).
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
  if (needs.roots.length === 0 && needs.steps.length === 0)
    return sources.item === undefined ? {} : { index: sources.item.index }
  const wants = new Set(needs.roots)
  const previousStepId = wants.has('previous') ? sources.previousStepId : undefined
  const stepIds = [...new Set([...needs.steps, ...(previousStepId === undefined ? [] : [previousStepId])])]
  const [input, context, item, outputs] = await Promise.all([
    wants.has('input') ? sources.input() : undefined,
    wants.has('context') ? sources.context() : undefined,
    wants.has('item') ? sources.item?.value() : undefined,
    Promise.all(stepIds.map((stepId) => sources.output(stepId))),
  ])
  const outputOf = new Map(stepIds.map((stepId, index) => [stepId, outputs[index] ?? null]))
  return {
    ...(wants.has('input') ? { input } : {}),
    ...(context === undefined ? {} : { context }),
    ...(wants.has('steps') ? { steps: stepsOf(needs.steps, outputOf) } : {}),
    ...(previousStepId === undefined ? {} : { previous: outputOf.get(previousStepId) }),
    ...(item === undefined ? {} : { item }),
    ...(sources.item === undefined ? {} : { index: sources.item.index }),
    ...(wants.has('run') ? { run: sources.run } : {}),
  }
}

function stepsOf(
  stepIds: readonly string[],
  outputOf: ReadonlyMap<string, unknown>,
): NonNullable<ExpressionRoots['steps']> {
  return Object.fromEntries(stepIds.map((stepId) => [stepId, { output: outputOf.get(stepId) ?? null }]))
}
