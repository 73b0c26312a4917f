/** How a workflow's actions, tiers and compensations become a plan, and what is refused on the way. */
import { describe, expect, it } from 'vitest'
import { compilePlan, compilePlanDocument } from '../../../app/plans/compile.ts'
import { parseCapabilityMatrix, type CapabilityMatrix } from './capability-matrix.ts'
import { importWorkflow } from './import-workflow.ts'
import { planYaml } from '../write/plan-yaml.ts'
import { parseWorkflow } from './workflow-v1.ts'

type Fields = Readonly<Record<string, unknown>>

function imported(actions: readonly Fields[], matrices: readonly CapabilityMatrix[] = [], more: Fields = {}) {
  const head = {
    schemaVersion: 1,
    workflowId: 'billing',
    workspaceId: 'acme',
    name: 'Billing',
    version: 3,
    active: true,
  }
  const numbered = actions.map((action, index) => ({ order: index + 1, portFamily: 'FinanceAccounting', ...action }))
  const read = parseWorkflow(JSON.stringify({ ...head, executionTier: 'Auto', ...more, actions: numbered }))
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'))
  return importWorkflow(read.value, matrices)
}

function stepsOf(...given: Parameters<typeof imported>): readonly unknown[] {
  const document = imported(...given)
  if (!document.ok) throw new Error(document.problems.map(({ message }) => message).join('\n'))
  const compiled = compilePlanDocument(document.value)
  if (!compiled.ok) throw new Error(compiled.problems.map(({ message }) => message).join('\n'))
  return compiled.value.plan.steps
}

function refusals(...given: Parameters<typeof imported>): readonly string[] {
  const document = imported(...given)
  return document.ok ? [] : document.problems.map(({ code, pointer, message }) => `${code} ${pointer}: ${message}`)
}

function matrixOf(...capabilities: readonly Fields[]): CapabilityMatrix {
  const read = parseCapabilityMatrix(JSON.stringify({ portFamily: 'FinanceAccounting', capabilities }))
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'))
  return read.value
}

const WRITE = { actionId: 'write', operation: 'invoice:write' }
const REVERSED = matrixOf({
  capability: 'invoice:write',
  safety: { supportsCompensation: true, idempotent: false },
  compensationOperation: 'invoice:reverse',
  compensationInputSchema: {
    type: 'object',
    properties: { invoiceId: { type: 'string' }, reversalDateIso: { type: 'string' }, cents: { type: 'integer' } },
    required: ['invoiceId', 'line-no', 'cents', 'reason', 'idempotencyKey'],
  },
})

describe('the plan', () => {
  it('has the workflow’s id, version, name and workspace, and reads the same from its YAML', () => {
    const document = imported([WRITE], [], { description: 'Bills one order.' })
    if (!document.ok) throw new Error('not imported')
    const compiled = compilePlanDocument(document.value)
    expect(compiled.ok && compiled.value.plan.metadata).toMatchObject({
      planId: 'billing',
      planVersion: '3',
      name: 'Billing',
      description: 'Bills one order.',
      labels: { workspaceId: 'acme' },
    })
    const fromText = compilePlan(planYaml(document.value))
    expect(fromText.ok && fromText.value.sha256).toBe(compiled.ok && compiled.value.sha256)
  })

  it('runs the actions by order, one after another, each given the input and what the one before gave', () => {
    const send = { actionId: 'send-it', operation: 'mail:send', portFamily: 'CommsCollaboration' }
    const steps = stepsOf([send, WRITE])
    expect(steps).toMatchObject([
      {
        stepId: 'send-it',
        order: 1,
        run: 'mail.send',
        labels: { portFamily: 'CommsCollaboration', executionTier: 'Auto' },
      },
      { stepId: 'write', order: 2, run: 'invoice.write', with: { input: '${input}' } },
    ])
    expect(steps[1]).toMatchObject({ with: { previous: '${steps."send-it".output}' } })
    expect(steps[0]).not.toHaveProperty('dependsOn')
  })
})

describe('a tier', () => {
  it('Assisted is a call like Auto, with its label', () => {
    expect(stepsOf([WRITE], [], { executionTier: 'Assisted' })).toMatchObject([
      { stepId: 'write', run: 'invoice.write', labels: { executionTier: 'Assisted' } },
    ])
  })

  it('HumanApprove is an approval by another person before the call, ManualOnly a task instead of it', () => {
    const byHand = { actionId: 'file', operation: 'paper:file', executionTierOverride: 'ManualOnly' }
    const steps = stepsOf([WRITE, byHand], [], { executionTier: 'HumanApprove' })
    expect(steps).toMatchObject([
      {
        stepId: 'write.approve',
        manual: { title: 'Approve invoice:write (FinanceAccounting)', rule: 'MakerChecker' },
        effect: 'none',
      },
      { stepId: 'write', run: 'invoice.write' },
      { stepId: 'file', manual: { title: 'Do paper:file (FinanceAccounting)' } },
    ])
  })

  it('does not take away an approval the matrix asks for', () => {
    const asks = matrixOf({ capability: 'invoice:write', safety: { requiresApproval: true } })
    expect(stepsOf([WRITE], [asks])).toMatchObject([{ stepId: 'write.approve' }, { stepId: 'write' }])
  })
})

describe('a compensation of the matrix', () => {
  it('undoes the step with what its schema requires; optional fields are left out', () => {
    expect(stepsOf([WRITE], [REVERSED])).toMatchObject([
      {
        effect: 'compensatable',
        compensate: {
          run: 'invoice.reverse',
          with: {
            invoiceId: "${join('', [steps.write.output.invoiceId || context.invoiceId || input.invoiceId])}",
            'line-no': '${steps.write.output."line-no" || context."line-no" || input."line-no"}',
            cents: '${sum([steps.write.output.cents || context.cents || input.cents])}',
            reason: 'Run ${run.id} failed after write.',
            idempotencyKey: '${run.id}:write:compensate',
          },
          inputSchema: REVERSED.capabilities[0]?.compensationInputSchema,
        },
      },
    ])
  })

  it('is not given to what a person did; what can be neither repeated nor undone is irreversible', () => {
    expect(stepsOf([{ ...WRITE, executionTierOverride: 'ManualOnly' }], [REVERSED])[0]).not.toHaveProperty('compensate')
    const once = matrixOf({ capability: 'invoice:write', safety: { idempotent: false } })
    expect(stepsOf([WRITE], [once])).toMatchObject([{ effect: 'irreversible' }])
  })
})

describe('refused is', () => {
  it('an operation that the matrix of its family does not have, does not support, or has twice', () => {
    const unsupported = matrixOf({ capability: 'invoice:write', supported: false, safety: {} })
    const at = 'WORKFLOW_INVALID /actions/0/operation: '
    expect(refusals([{ ...WRITE, operation: 'invoice:wirte' }], [REVERSED])).toEqual([expect.stringContaining(at)])
    expect(refusals([WRITE], [unsupported])).toEqual([expect.stringContaining(`${at}the adapter`)])
    expect(refusals([WRITE], [REVERSED, REVERSED])).toEqual([expect.stringContaining(`${at}several`)])
    expect(refusals([{ ...WRITE, portFamily: 'CrmSales' }], [REVERSED])).toEqual([])
  })

  it('what would become one function or one step with another', () => {
    const other = { actionId: 'other', operation: 'invoice:write', portFamily: 'CrmSales' }
    expect(refusals([WRITE, other])).toEqual([expect.stringContaining('/actions/1/operation: ')])
    expect(refusals([WRITE, { ...WRITE, actionId: 'again' }])).toEqual([])
    const taken = { actionId: 'write.approve', operation: 'mail:send' }
    expect(refusals([{ ...WRITE, executionTierOverride: 'HumanApprove' }, taken])).toEqual([
      expect.stringContaining('/actions/0/actionId: '),
    ])
  })

  it('a robot’s action whose safety a workflow cannot state, but not one done by hand', () => {
    const robot = { actionId: 'go', operation: 'robot:execute_action' }
    expect(refusals([robot])).toEqual([expect.stringContaining('/actions/0/operation: ')])
    expect(refusals([{ ...robot, executionTierOverride: 'ManualOnly' }])).toEqual([])
    expect(stepsOf([{ ...robot, operation: 'robot:look' }])).toMatchObject([{ run: 'robot:look' }])
  })
})
