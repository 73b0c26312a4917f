/**
 * The shape of a workflow in a vertical pack of Portarium: steps in sequence, each with the type of its action. It is read as
 * a workflow of version 1 whose actions belong to the pack's namespace; who triggers it is kept as a label.
 */
import type { Problem } from '../../problems/problem.ts'
import { ok, type Result } from '../../result.ts'
import { LIMITS } from '../../limits.ts'
import { EXECUTION_TIERS } from '../../view/fold/vocabulary.ts'
import { objectOf, optional, required } from '../format/fields.ts'
import { kindOf, listOf } from '../format/kind.ts'
import { anyText, id, oneOf, text } from '../format/kinds.ts'
import type { ReadOptions } from '../read/read-document.ts'
import { child, refuse, type Reading } from '../read/reading.ts'
import { readForeign } from './read-foreign.ts'
import type { ReadWorkflow } from './workflow-v1.ts'

const actionType = text({
  max: 256,
  pattern: /^[^:\s]+:[^:\s]+$/,
  what: 'text of the form <entity>:<verb> such as plan:generate',
})

const step = objectOf(
  {
    stepId: required(id, 'Its id.', 'step-plan'),
    name: optional(text({ max: 256 }), 'A title for people.', 'Generate the plan'),
    actionType: required(actionType, 'What is done.', 'plan:generate'),
  },
  { what: 'a step' },
)

const pack = objectOf(
  {
    schemaVersion: required(
      kindOf('1', { const: 1 }, (value): value is 1 => value === 1),
      'Of this shape.',
      '1',
    ),
    definitionId: required(id, 'Its id.', 'wfdef-change'),
    packId: required(text({ max: 256 }), 'The pack it belongs to.', 'scm.change-management'),
    namespace: required(id, 'Of its actions.', 'scm'),
    name: optional(text({ max: 256 }), 'A title for people.', 'Change request'),
    description: optional(anyText, 'What it is for.', 'Changes the software.'),
    triggerType: optional(anyText, 'What starts it.', 'ticket.updated'),
    executionTier: required(oneOf(...EXECUTION_TIERS), 'How much a person takes part.', 'HumanApprove'),
    steps: required(listOf(step, { min: 1, max: LIMITS.planSteps }), 'What it does.', '[]'),
  },
  { what: 'a workflow of a pack' },
)

export function parsePack(given: string, options: ReadOptions = {}): Result<ReadWorkflow, Problem> {
  const found = readForeign(given, options, 'WORKFLOW_INVALID', pack, (read, reading) => {
    const ids = new Set<string>()
    read.steps.forEach(({ stepId }, index) => {
      const at = child(child(child(undefined, 'steps'), index), 'stepId')
      if (ids.has(stepId)) refuse(reading, reading.codes.invalid, at, `two steps have the id '${stepId}'`)
      ids.add(stepId)
    })
  })
  if (!found.ok) return found
  const {
    definitionId,
    packId,
    namespace,
    triggerType,
    name = definitionId,
    steps,
    executionTier,
    description,
  } = found.value.value
  const actions = steps.map(({ stepId, actionType: operation, ...rest }, index) => ({
    ...rest,
    actionId: stepId,
    operation,
    order: index + 1,
    portFamily: namespace,
  }))
  const labels = { packId, namespace, ...(triggerType === undefined ? {} : { triggerType }) }
  const workflow = { workflowId: definitionId, name, version: 1, executionTier, labels, actions }
  const whole = description === undefined ? workflow : { ...workflow, description }
  return ok({ workflow: whole, positionOf: inPack(found.value.positionOf), isPack: true })
}

/** Problems are told with the names of a workflow. */
function inPack(positionOf: Reading['positionOf']): Reading['positionOf'] {
  return (pointer, part) =>
    positionOf(
      pointer
        .replace(/^\/actions/, '/steps')
        .replace(/\/operation$/, '/actionType')
        .replace(/\/actionId$/, '/stepId'),
      part,
    )
}
