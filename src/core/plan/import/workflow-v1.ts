/**
 * The shape of Portarium's workflows, version 1 and 2 (GRF-14): an ordered list of actions under one execution tier. Its own
 * spellings exist only here; an action's tier may only be stricter than its workflow's.
 */
import type { Problem } from '../../problems/problem.ts'
import { ok, type Result } from '../../result.ts'
import { EXECUTION_TIERS, type ExecutionTier } from '../../view/fold/vocabulary.ts'
import { objectOf, optional, required, type ObjectOf } from '../format/fields.ts'
import { kindOf, listOf, withRule, type Kind } from '../format/kind.ts'
import { id, integer, oneOf, text } from '../format/kinds.ts'
import { LIMITS } from '../../limits.ts'
import type { ReadOptions } from '../read/read-document.ts'
import { child, refuse, type Place, type Reading } from '../read/reading.ts'
import { readForeign, yesOrNo } from './read-foreign.ts'

/** Room for additions to an id: the approval of action `a` is step `a.approve`. */
const ACTION_ID_CHARS = 112

const actionId: Kind<string> = withRule(id, (value, place, reading) => {
  if (value !== 'RUN' && value.length <= ACTION_ID_CHARS) return true
  refuse(reading, reading.codes.invalid, place, `'actionId' has at most ${ACTION_ID_CHARS} characters and is not 'RUN'`)
  return false
})

/** Blank texts are none there. */
const told = text({ max: 256, pattern: /\S/, what: 'text that is not blank' })
const longer = text({ pattern: /\S/, what: 'text that is not blank' })

const OPERATION = /^[^:\s]+:[^:\s]+$/
const operation = text({ max: 256, pattern: OPERATION, what: 'text of the form <entity>:<verb> such as invoice:write' })
const tier = oneOf(...EXECUTION_TIERS)
const version = kindOf('1 or 2', { enum: [1, 2] }, (value): value is 1 | 2 => value === 1 || value === 2)

const action = objectOf(
  {
    actionId: required(actionId, 'Its id, unique in the workflow.', 'write'),
    order: required(integer(1, LIMITS.planSteps), 'Its rank: 1, 2, 3 … in the order of the list.', '1'),
    portFamily: required(id, 'The family of systems it is for.', 'FinanceAccounting'),
    capability: optional(operation, 'What is done there; from version 2 on required.', 'invoice:write'),
    operation: optional(operation, 'The same, as version 1 calls it.', 'invoice:write'),
    inputSchemaRef: optional(longer, 'Kept beside the step: nothing is read from there.', 'schemas/invoice.json'),
    outputSchemaRef: optional(longer, 'Kept beside the step: nothing is read from there.', 'schemas/invoice.json'),
    executionTierOverride: optional(tier, 'A stricter tier for this action.', 'ManualOnly'),
  },
  { what: 'an action' },
)

const workflow = objectOf(
  {
    schemaVersion: required(version, 'The version of this shape.', '1'),
    workflowId: required(id, 'Its id.', 'billing'),
    workspaceId: required(told, 'Whose it is.', 'acme'),
    name: required(told, 'A title for people.', 'Billing'),
    description: optional(longer, 'What it is for.', 'Bills one order.'),
    version: required(integer(1, Number.MAX_SAFE_INTEGER), 'Its version.', '1'),
    active: required(yesOrNo, 'Whether it may be run.', 'true'),
    executionTier: required(tier, 'How much a person takes part.', 'Auto'),
    actions: required(listOf(action, { min: 1, max: LIMITS.planSteps }), 'The actions of the workflow.', '[]'),
  },
  { what: 'a workflow' },
)

type Written = ObjectOf<(typeof workflow)['fields']>
type WrittenAction = Written['actions'][number]

/** One action, whichever shape it was written in. */
export interface WorkflowAction {
  readonly actionId: string
  readonly name?: string
  readonly order: number
  readonly portFamily: string
  readonly operation: string
  /** Whether Portarium looks its names up: a family always, an operation only where it is written as a capability. */
  readonly isKnownBy?: 'family' | 'capability'
  readonly executionTierOverride?: ExecutionTier
  readonly inputSchemaRef?: string
  readonly outputSchemaRef?: string
}

export interface WorkflowV1 extends Pick<Written, 'workflowId' | 'name' | 'description' | 'version' | 'executionTier'> {
  readonly labels: { readonly [name: string]: string }
  readonly actions: readonly WorkflowAction[]
}

/** A workflow that was read, and how to locate a place in its text. */
export interface ReadWorkflow {
  readonly workflow: WorkflowV1
  readonly positionOf: Reading['positionOf']
}

export function parseWorkflow(given: string, options: ReadOptions = {}): Result<ReadWorkflow, Problem> {
  const found = readForeign(given, options, 'WORKFLOW_INVALID', workflow, checkWorkflow)
  if (!found.ok) return found
  const { workspaceId, actions, ...rest } = found.value.value
  const named = actions.map(({ capability, operation: legacy, ...one }) => ({
    ...one,
    operation: capability ?? legacy ?? '',
    isKnownBy: capability === undefined ? ('family' as const) : ('capability' as const),
  }))
  return ok({ workflow: { ...rest, labels: { workspaceId }, actions: named }, positionOf: found.value.positionOf })
}

export function effectiveTier(
  { executionTier }: Pick<WorkflowV1, 'executionTier'>,
  { executionTierOverride }: WorkflowAction,
): ExecutionTier {
  return executionTierOverride ?? executionTier
}

function checkWorkflow(read: Written, reading: Reading): void {
  if (!read.active) {
    const message = `workflow '${read.workflowId}' is not active, so no plan is made of it`
    refuse(reading, reading.codes.invalid, child(undefined, 'active'), message)
  }
  const strictness = (of: ExecutionTier): number => EXECUTION_TIERS.indexOf(of)
  const ids = new Set<string>()
  read.actions.forEach((one, index) => {
    const { actionId: name, order, executionTierOverride: override } = one
    const at = child(child(undefined, 'actions'), index)
    if (override !== undefined && strictness(override) < strictness(read.executionTier)) {
      const message = `'${override}' is looser than the workflow's '${read.executionTier}'; an override may only be stricter`
      refuse(reading, reading.codes.invalid, child(at, 'executionTierOverride'), message)
    }
    if (ids.has(name))
      refuse(reading, reading.codes.invalid, child(at, 'actionId'), `two actions have the id '${name}'`)
    if (order !== index + 1) {
      const message = `'order' must be contiguous and in the order of the list: ${index + 1} belongs here, not ${order}`
      refuse(reading, reading.codes.invalid, child(at, 'order'), message)
    }
    checkOperation(one, read.schemaVersion, at, reading)
    ids.add(name)
  })
}

function checkOperation(written: WrittenAction, schemaVersion: 1 | 2, at: Place, reading: Reading): void {
  const { capability, operation: legacy } = written
  if (capability === undefined && (legacy === undefined || schemaVersion === 2)) {
    const missing =
      schemaVersion === 2 ? `'capability' is required from version 2 on` : `'capability' or 'operation' is needed`
    refuse(reading, reading.codes.missing, at, missing)
  }
  if (capability === undefined) return
  if (legacy !== undefined && legacy !== capability) {
    const message = `'operation' must match 'capability' where both are given`
    refuse(reading, reading.codes.invalid, child(at, 'operation'), message)
  }
}
