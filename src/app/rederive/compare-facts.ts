/**
 * Compares recorded facts with facts derived again, and says what differs. Numbers and booleans are shown; texts are
 * not, since they may be personal.
 */
import { itemsOf, type Plan } from '../../core/plan/plan.ts'
import type { SlotFacts } from '../../core/run/input.ts'
import type { Question } from '../advance/evaluate-needs.ts'
import { canonicalText } from '../log/canonical.ts'
import { sha256Hex } from '../log/sha256.ts'

const FIELDS = ['condition', 'items', 'waitForMs', 'waitUntil', 'eventKey', 'match', 'output', 'outputRef'] as const
type Field = (typeof FIELDS)[number]

/** Refused by the grants, not by a value: the facts were not recorded. */
const NOT_BY_VALUES = 'RESOURCE_EXCEEDED'

export function sameFacts(derived: SlotFacts, recorded: SlotFacts): boolean {
  const told = recorded.problem?.code
  if (told === NOT_BY_VALUES) return true
  // After an output that could not be made, work is undone first: only the end carries its code.
  const sameProblem = told === '' ? derived.problem !== undefined : derived.problem?.code === told
  return sameProblem && (told !== undefined || FIELDS.every((field) => isSame(derived, recorded, field)))
}

function isSame(derived: SlotFacts, recorded: SlotFacts, field: Field): boolean {
  return canonicalText(derived[field] ?? null) === canonicalText(recorded[field] ?? null)
}

/** The differing field, as one of the two sides has it. */
export function shownFacts(facts: SlotFacts, other: SlotFacts): string {
  if (facts.problem?.code !== other.problem?.code)
    return facts.problem === undefined ? 'a value' : `the problem ${facts.problem.code}`
  const field = FIELDS.find((one) => !isSame(facts, other, one))
  return field === undefined ? 'the same' : `${field} ${shownValue(facts[field])}`
}

const TEXT_CHARS = 200

/** JSON in which only the length of every text is shown; long values by their hash. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value, (name, inner: unknown) =>
    typeof inner === 'string' && !NAMED.has(name) ? `(${inner.length} characters)` : inner,
  )
  return text.length <= TEXT_CHARS ? text : `${text.slice(0, TEXT_CHARS)}… (sha256 ${sha256Hex(canonicalText(value))})`
}

/** Never personal: hashes, and context paths that the plan names. */
const NAMED: ReadonlySet<string> = new Set(['sha256', 'path', 'mode'])

/** The source of the fact: the expression itself. */
export function sourceOf(need: Question, plan: Plan, derived: SlotFacts, recorded: SlotFacts): string {
  if (need.kind === 'output') return `output ${JSON.stringify(plan.output ?? null).slice(0, TEXT_CHARS)}`
  if (need.kind === 'match') return `match of '${need.slot}'`
  const step = plan.steps.find(({ stepId }) => stepId === need.stepId)
  const differs = (field: Field): boolean => !isSame(derived, recorded, field)
  const conditions = [
    step?.if === undefined ? [] : `if ${step.if}`,
    step?.unless === undefined ? [] : `unless ${step.unless}`,
  ]
  if (need.items && (differs('items') || !need.condition))
    return `forEach ${itemsOf(step?.forEach ?? '')} of '${need.stepId}'`
  if (need.condition && differs('condition')) return `${conditions.flat().join(' and ')} of '${need.stepId}'`
  return need.wait ? `wait of '${need.stepId}'` : `'${need.stepId}'`
}
