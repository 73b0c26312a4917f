/**
 * The fields of an `http` or `command` action may hold `${…}` like `with` does: they are mapped together with it, over the
 * same roots at the same seq, so that a repeat sends the same request under the same idempotency key (P-17).
 */
import type { Action, Compensation, Fallback, Json, Mapping } from '../../core/plan/plan.ts'

type AnyAction = Action | Compensation | Fallback

export interface MappedAction {
  readonly input: unknown
  readonly action: AnyAction
  /** What the step's own idempotency key is made of: all that reaches the outside. */
  readonly keyedBy: unknown
}

/** One mapping for the input and the action's own fields; actions without such fields have none. */
export function wholeMapping(input: Mapping, action: AnyAction): Mapping {
  const fields = fieldsOf(action)
  return fields === undefined ? { with: input } : { with: input, fields }
}

/** Puts what `mapValue` gave for `wholeMapping` back in place; recorded overrides are laid over the input. */
export function mappedAction(
  action: AnyAction,
  mapped: Json,
  overrides: Readonly<Record<string, unknown>> = {},
): MappedAction {
  const { with: given, fields } = mapped as { readonly with: Mapping; readonly fields?: Json }
  const input = Object.keys(overrides).length === 0 ? given : { ...given, ...overrides }
  if (fields === undefined) return { input, action, keyedBy: input }
  const kind = 'http' in action ? 'http' : 'command'
  // `mapValue` keeps the shape; only texts that were one whole `${…}` may have become other values.
  return { input, action: { ...action, [kind]: fields } as AnyAction, keyedBy: { with: input, [kind]: fields } }
}

function fieldsOf(action: AnyAction): Json | undefined {
  if ('http' in action) return { ...action.http }
  return 'command' in action ? { ...action.command } : undefined
}
