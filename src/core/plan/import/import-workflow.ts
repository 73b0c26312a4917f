/**
 * Converts a foreign workflow to a plan document: its actions in sequence by `order`, its tiers as manual steps, its
 * matrices' compensations as `compensate`. What would be lost or weakened is refused, never silently left out.
 */
import type { Problem } from '../../problems/problem.ts'
import { ok, refusedFor, type Result } from '../../result.ts'
import { completionModeOf } from '../../view/fold/vocabulary.ts'
import { sortProblems } from '../compile/parse-plan.ts'
import { child, refuse, suggest, type Place, type Reading } from '../read/reading.ts'
import { robotProblem } from '../compile/robot-action.ts'
import { capabilityOf, type Capability, type CapabilityMatrix } from './capability-matrix.ts'
import { compensationInput, outputOf } from './compensation-input.ts'
import type { Document } from './imported.ts'
import { capabilitiesOf, PORT_FAMILIES } from './port-families.ts'
import { effectiveTier, type ReadWorkflow, type WorkflowAction, type WorkflowV1 } from './workflow-v1.ts'

interface Importing extends Pick<Reading, 'problems' | 'positionOf'> {
  readonly workflow: WorkflowV1
  readonly matrices: readonly CapabilityMatrix[]
  /** The operation of each function: two must not become one. */
  readonly functions: Map<string, string>
}

export function importWorkflow(read: ReadWorkflow, matrices: readonly CapabilityMatrix[] = []): Result<Document> {
  const { workflow, positionOf } = read
  const problems: Problem[] = []
  const importing: Importing = { problems, positionOf, workflow, matrices, functions: new Map() }
  const ordered = workflow.actions
    .map((action, index) => ({ action, place: child(child(undefined, 'actions'), index) }))
    .sort((a, b) => a.action.order - b.action.order)
  const steps = ordered.flatMap(({ action, place }, rank) =>
    stepsOf(importing, action, place, ordered[rank - 1]?.action.actionId),
  )
  if (problems.length > 0) return refusedFor(sortProblems(problems))
  const { workflowId, labels, name, description = '', version } = workflow
  return ok({
    plan: workflowId,
    version: String(version),
    metadata: { name, ...(description === '' ? {} : { description }), labels },
    policy: { retry: { maxAttempts: 1 } },
    steps,
  })
}

function stepsOf(
  importing: Importing,
  action: WorkflowAction,
  place: Place,
  before: string | undefined,
): readonly Document[] {
  const { workflow } = importing
  const { actionId, portFamily, operation } = action
  const tier = effectiveTier(workflow, action)
  checkNames(importing, action, place)
  const capability = findCapability(importing, action, place)
  const labels = { portFamily, executionTier: tier }
  const { name, inputSchemaRef, outputSchemaRef } = action
  const named: Document = {
    ...(name === undefined ? {} : { name }),
    ...(inputSchemaRef === undefined ? {} : { 'x-inputSchemaRef': inputSchemaRef }),
    ...(outputSchemaRef === undefined ? {} : { 'x-outputSchemaRef': outputSchemaRef }),
  }
  if (completionModeOf(workflow.executionTier, action.executionTierOverride) === 'manual')
    return [{ id: actionId, ...named, labels, manual: { title: `Do ${operation} (${portFamily})` } }]
  const robot = robotProblem(operation, { executionTier: tier })
  if (robot !== undefined) {
    const hint = 'a workflow cannot say so; write this step in a plan by hand'
    refuse(importing, 'WORKFLOW_INVALID', child(place, 'operation'), robot, { hint })
  }
  const step = {
    id: actionId,
    ...named,
    labels,
    run: functionOf(importing, portFamily, operation, place),
    with: { input: '${input}', ...(before === undefined ? {} : { previous: `\${${outputOf(before)}}` }) },
    ...undoing(importing, action, capability, place),
  }
  const asks = tier === 'HumanApprove' || capability?.safety.requiresApproval === true
  return asks ? [approval(importing, action, place), step] : [step]
}

/** The action itself stays automatic (MAN-14): a separate step before it waits for a person. */
function approval({ workflow, problems, positionOf }: Importing, action: WorkflowAction, place: Place): Document {
  const { actionId, operation, portFamily } = action
  const id = `${actionId}.approve`
  if (workflow.actions.some((other) => other.actionId === id)) {
    const message = `the approval of '${actionId}' would have the id of the action '${id}'`
    refuse({ problems, positionOf }, 'WORKFLOW_INVALID', child(place, 'actionId'), message)
  }
  const title = `Approve ${operation} (${portFamily})`
  return { id, effect: 'none', manual: { title, rule: 'MakerChecker' } }
}

/** There the names of families and capabilities are looked up; a matrix tells of those that are not on the list. */
function checkNames(importing: Importing, action: WorkflowAction, place: Place): void {
  const { portFamily, operation, isKnownBy } = action
  if (isKnownBy === undefined || importing.matrices.some((matrix) => matrix.portFamily === portFamily)) return
  const isFamily = PORT_FAMILIES.includes(portFamily)
  if (isFamily && (isKnownBy === 'family' || capabilitiesOf(portFamily).includes(operation))) return
  const [field, asked, known] = isFamily
    ? ['capability', operation, capabilitiesOf(portFamily)]
    : ['portFamily', portFamily, PORT_FAMILIES]
  const message = isFamily
    ? `${portFamily} has no capability '${operation}'`
    : `there is no port family '${portFamily}'`
  const near = suggest(importing, asked, known)
  const hint = 'bring its capability matrix (--matrix), if there is one'
  refuse(importing, 'WORKFLOW_INVALID', child(place, field), message, near.hint === undefined ? { hint } : near)
}

/** A matrix of the family, where given, lists all that can be done there. */
function findCapability(importing: Importing, action: WorkflowAction, place: Place): Capability | undefined {
  const { portFamily, operation } = action
  const ofFamily = importing.matrices.filter((matrix) => matrix.portFamily === portFamily)
  if (ofFamily.length === 0) return undefined
  const found = ofFamily.flatMap((matrix) => capabilityOf(matrix, operation) ?? [])
  const [first, second] = found
  const at = child(place, 'operation')
  if (first === undefined) {
    const known = ofFamily.flatMap(({ capabilities }) => capabilities.map(({ capability }) => capability))
    const message = `the capability matrix of ${portFamily} has no '${operation}'`
    refuse(importing, 'WORKFLOW_INVALID', at, message, suggest(importing, operation, known))
  } else if (second !== undefined) {
    refuse(importing, 'WORKFLOW_INVALID', at, `several capability matrices of ${portFamily} have '${operation}'`)
  } else if (first.supported === false) {
    refuse(importing, 'WORKFLOW_INVALID', at, `the adapter of ${portFamily} does not support '${operation}'`)
  }
  return first
}

function undoing(
  importing: Importing,
  { actionId, portFamily }: WorkflowAction,
  capability: Capability | undefined,
  place: Place,
): Document {
  const { compensationOperation: undo, compensationInputSchema: schema, safety } = capability ?? {}
  if (undo === undefined || schema === undefined) return safety?.idempotent === false ? { effect: 'irreversible' } : {}
  const run = functionOf(importing, portFamily, undo, place)
  return { compensate: { run, with: compensationInput(actionId, schema), inputSchema: schema } }
}

/**
 * `invoice:write` is called as `invoice.write`; robots keep their names, because the plan format has rules for them.
 */
function functionOf({ functions, ...importing }: Importing, family: string, operation: string, place: Place): string {
  const name = operation.startsWith('robot:') ? operation : operation.replaceAll(':', '.')
  const meant = `'${operation}' of ${family}`
  const other = functions.get(name) ?? meant
  if (other !== meant) {
    const message = `${meant} and ${other} would both be the function '${name}'`
    refuse(importing, 'WORKFLOW_INVALID', child(place, 'operation'), message)
  }
  functions.set(name, other)
  return name
}
