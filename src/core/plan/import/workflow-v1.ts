/**
 * The shape of the foreign document WorkflowV1 (GRF-14): an ordered list of actions under one execution tier. Its own spellings
 * exist here and nowhere further in; an action's tier may only be stricter than its workflow's.
 */
import type { Problem } from '../../problems/problem.ts'
import type { Result } from '../../result.ts'
import { EXECUTION_TIERS, type ExecutionTier } from '../../view/vocabulary.ts'
import { objectOf, optional, required, type ObjectOf } from '../fields.ts'
import { kindOf, listOf, withRule, type Kind } from '../kind.ts'
import { anyText, id, integer, oneOf, text } from '../kinds.ts'
import { LIMITS } from '../../limits.ts'
import type { ReadOptions } from '../read-document.ts'
import { child, refuse, type Reading } from '../reading.ts'
import { readForeign, yesOrNo } from './read-foreign.ts'

/** Room for what is added to an id: the approval of action `a` is step `a.approve`. */
const ACTION_ID_CHARS = 112

const actionId: Kind<string> = withRule(id, (value, place, reading) => {
  if (value !== 'RUN' && value.length <= ACTION_ID_CHARS) return true
  refuse(reading, reading.codes.invalid, place, `'actionId' has at most ${ACTION_ID_CHARS} characters and is not 'RUN'`)
  return false
})

const OPERATION = /^[A-Za-z0-9_.$:/-]{1,256}$/
const tier = oneOf(...EXECUTION_TIERS)
const one = kindOf('1', { const: 1 }, (value): value is 1 => value === 1)

const action = objectOf(
  {
    actionId: required(actionId, 'Its id, unique in the workflow.', 'write'),
    order: required(integer(1, LIMITS.planSteps), 'Its rank: 1, 2, 3 … without holes.', '1'),
    portFamily: required(id, 'The family of systems it is for.', 'FinanceAccounting'),
    operation: required(
      text({ pattern: OPERATION, what: 'text: an operation such as invoice:write' }),
      'What is done there.',
      'invoice:write',
    ),
    executionTierOverride: optional(tier, 'A stricter tier for this action.', 'ManualOnly'),
  },
  { what: 'an action' },
)

const workflow = objectOf(
  {
    schemaVersion: required(one, 'The version of this shape.', '1'),
    workflowId: required(id, 'Its id.', 'billing'),
    workspaceId: required(text({ max: 256 }), 'Whose it is.', 'acme'),
    name: required(text({ max: 256 }), 'A title for people.', 'Billing'),
    description: optional(anyText, 'What it is for.', 'Bills one order.'),
    version: required(integer(1, Number.MAX_SAFE_INTEGER), 'Its version.', '1'),
    active: required(yesOrNo, 'Whether it may be run.', 'true'),
    executionTier: required(tier, 'How much a person takes part.', 'Auto'),
    actions: required(listOf(action, { min: 1, max: LIMITS.planSteps }), 'What is done.', '[]'),
  },
  { what: 'a workflow' },
)

export type WorkflowV1 = ObjectOf<(typeof workflow)['fields']>
export type WorkflowAction = WorkflowV1['actions'][number]

/** A workflow that was read, and how to point at a place of its text. */
export interface ReadWorkflow {
  readonly workflow: WorkflowV1
  readonly positionOf: Reading['positionOf']
}

export function parseWorkflow(given: string, options: ReadOptions = {}): Result<ReadWorkflow, Problem> {
  const found = readForeign(given, options, 'WORKFLOW_INVALID', workflow, checkWorkflow)
  return found.ok ? { ok: true, value: { workflow: found.value.value, positionOf: found.value.positionOf } } : found
}

export function effectiveTier({ executionTier }: WorkflowV1, { executionTierOverride }: WorkflowAction): ExecutionTier {
  return executionTierOverride ?? executionTier
}

function checkWorkflow(read: WorkflowV1, reading: Reading): void {
  if (!read.active) {
    const message = `workflow '${read.workflowId}' is not active, so no plan is made of it`
    refuse(reading, reading.codes.invalid, child(undefined, 'active'), message)
  }
  const strictness = (of: ExecutionTier): number => EXECUTION_TIERS.indexOf(of)
  const ids = new Set<string>()
  const orders = new Set<number>()
  read.actions.forEach(({ actionId: name, order, executionTierOverride: override }, index) => {
    const at = child(child(undefined, 'actions'), index)
    if (override !== undefined && strictness(override) < strictness(read.executionTier)) {
      const message = `'${override}' is looser than the workflow's '${read.executionTier}'; an override may only be stricter`
      refuse(reading, reading.codes.invalid, child(at, 'executionTierOverride'), message)
    }
    if (ids.has(name))
      refuse(reading, reading.codes.invalid, child(at, 'actionId'), `two actions have the id '${name}'`)
    if (orders.has(order) || order > read.actions.length) {
      const message = `'order' must be each of 1 to ${read.actions.length} once; ${order} is ${orders.has(order) ? 'there twice' : 'beyond them'}`
      refuse(reading, reading.codes.invalid, child(at, 'order'), message)
    }
    ids.add(name)
    orders.add(order)
  })
}
