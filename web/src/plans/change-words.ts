/** How a change is told: its mark, by shape and colour, and its words. */
import { PLACE_OF, type FieldChange, type PlanDiff } from '../../../src/core/plan/write/diff-plans.ts'
import { look, type Look } from '../shown/states.ts'

export const CHANGE_LOOKS = {
  added: look('added', 'plus', 'good'),
  removed: look('removed', 'minus', 'bad'),
  changed: look('changed', 'wave', 'held'),
  same: look('unchanged', 'ring', 'idle'),
} as const satisfies Record<string, Look>

export type Change = keyof typeof CHANGE_LOOKS

/** By step; what is not in it is unchanged. */
export function changesByStep({ added, removed, changed }: PlanDiff): ReadonlyMap<string, Change> {
  return new Map([
    ...added.map((stepId) => [stepId, 'added'] as const),
    ...removed.map((stepId) => [stepId, 'removed'] as const),
    ...changed.map(({ stepId }) => [stepId, 'changed'] as const),
  ])
}

export interface ToldChange {
  readonly path: string
  /** Undefined: it was not there. */
  readonly from: string | undefined
  /** Undefined: it is gone. */
  readonly to: string | undefined
}

const SHORT_CHARS = 60

function text(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  const short = JSON.stringify(value)
  return short.length <= SHORT_CHARS ? short : JSON.stringify(value, null, 2)
}

/** Two versions differ in their name anyway. */
export function outsideSteps({ plan }: PlanDiff): readonly FieldChange[] {
  return plan.filter(({ path }) => path !== 'metadata.planVersion')
}

export function toldChange({ path, from, to }: FieldChange): ToldChange {
  const isPlace = path === 'order' || path.startsWith(PLACE_OF)
  if (!isPlace) return { path, from: text(from), to: text(to) }
  const inner = path === 'order' ? '' : ` of ${path.slice(PLACE_OF.length)}`
  return { path: `place${inner}`, from: `${String(from)} of those in both`, to: String(to) }
}
