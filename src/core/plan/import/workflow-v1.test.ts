/** A WorkflowV1 document is read whole or refused, with each problem at its place. */
import { describe, expect, it } from 'vitest'
import { EXECUTION_TIERS, type ExecutionTier } from '../../view/fold/vocabulary.ts'
import { effectiveTier, parseWorkflow } from './workflow-v1.ts'

const ACTION = { actionId: 'write', order: 1, portFamily: 'FinanceAccounting', operation: 'invoice:write' }
const WORKFLOW = {
  schemaVersion: 1,
  workflowId: 'billing',
  workspaceId: 'acme',
  name: 'Billing',
  description: 'Bills one order.',
  version: 1,
  active: true,
  executionTier: 'Auto',
  actions: [ACTION],
}

/** `pointer: message` of every problem; none when it was read. */
function refusals(change: Readonly<Record<string, unknown>>): readonly string[] {
  const read = parseWorkflow(JSON.stringify({ ...WORKFLOW, ...change }))
  return read.ok ? [] : read.problems.map(({ code, pointer, message }) => `${code} ${pointer}: ${message}`)
}

const withTiers = (executionTier: ExecutionTier, executionTierOverride: ExecutionTier) => ({
  executionTier,
  actions: [{ ...ACTION, executionTierOverride }],
})

describe('a workflow', () => {
  it('with every field is read as it was written, and without the optional ones too [GRF-14]', () => {
    const full = { ...WORKFLOW, actions: [{ ...ACTION, executionTierOverride: 'ManualOnly' }] }
    const read = parseWorkflow(JSON.stringify(full))
    const { workspaceId, actions, ...rest } = full
    const known = actions.map((action) => ({ ...action, isKnownBy: 'family' }))
    expect(read.ok && read.value.workflow).toEqual({ ...rest, actions: known, labels: { workspaceId } })
    expect(refusals({ description: undefined })).toEqual([])
  })

  it('that lacks a field is refused with its name, for each field [GRF-14]', () => {
    for (const name of Object.keys(WORKFLOW).filter((field) => field !== 'description'))
      expect(refusals({ [name]: undefined })).toEqual([`WORKFLOW_INVALID : a workflow needs '${name}'`])
    for (const name of Object.keys(ACTION).filter((field) => field !== 'operation'))
      expect(refusals({ actions: [{ ...ACTION, [name]: undefined }] })).toEqual([
        `WORKFLOW_INVALID /actions/0: an action needs '${name}'`,
      ])
  })

  it('with a value outside its bounds is refused there [GRF-14]', () => {
    for (const [field, value] of [
      ['schemaVersion', 3],
      ['schemaVersion', '1'],
      ['version', 0],
      ['version', 1.5],
      ['active', 'yes'],
      ['executionTier', 'auto'],
      ['actions', []],
      ['workflowId', 'a b'],
    ] as const)
      expect(refusals({ [field]: value }), field).toEqual([expect.stringContaining(`WORKFLOW_INVALID /${field}: `)])
    expect(refusals({ actions: [{ ...ACTION, actionId: 'RUN' }] })).toHaveLength(1)
    expect(refusals({ acton: [] })).toEqual([`WORKFLOW_INVALID /acton: 'acton' is not a field of a workflow`])
  })

  it('that is not active is refused', () => {
    expect(refusals({ active: false })).toEqual([expect.stringMatching(/^WORKFLOW_INVALID \/active: .*not active/)])
  })

  it('has each order from 1 once and each id once [GRF-01]', () => {
    const orders = (...given: readonly number[]) => ({
      actions: given.map((order, index) => ({ ...ACTION, actionId: `a${index}`, order })),
    })
    expect(refusals(orders(1, 2, 3))).toEqual([])
    expect(refusals(orders(2, 1))).toEqual([
      expect.stringContaining(`/actions/0/order: 'order' must be contiguous`),
      expect.stringContaining('/actions/1/order: '),
    ])
    expect(refusals(orders(1, 2, 4))).toEqual([expect.stringContaining('/actions/2/order: ')])
    expect(refusals(orders(1, 1))).toEqual([expect.stringContaining('/actions/1/order: ')])
    expect(refusals(orders(0))).toEqual([expect.stringContaining('/actions/0/order: ')])
    expect(refusals({ actions: [ACTION, { ...ACTION, order: 2 }] })).toEqual([
      expect.stringContaining('/actions/1/actionId: '),
    ])
  })

  it('names a capability, an operation, or both alike; from version 2 on a capability [GRF-14]', () => {
    const { operation: _, ...bare } = ACTION
    const action = (given: object, schemaVersion = 1) =>
      refusals({ schemaVersion, actions: [{ ...bare, ...given }] }).map((one) => one.replace('WORKFLOW_INVALID ', ''))
    expect(action({ capability: 'invoice:write' })).toEqual([])
    expect(action({ capability: 'invoice:write' }, 2)).toEqual([])
    expect(action({ capability: 'invoice:write', operation: 'invoice:write' }, 2)).toEqual([])
    expect(action({ operation: 'workflow:simulate' })).toEqual([])
    expect(action({ operation: 'invoice:write' }, 2)).toEqual([
      `/actions/0: 'capability' is required from version 2 on`,
    ])
    expect(action({})).toEqual([`/actions/0: 'capability' or 'operation' is needed`])
    expect(action({ operation: 'readKvV2Secret' })).toEqual([expect.stringContaining('/actions/0/operation: ')])
    expect(action({ capability: 'invoice:write', operation: 'invoice:read' })).toEqual([
      `/actions/0/operation: 'operation' must match 'capability' where both are given`,
    ])
  })

  it('is refused at the line and column of its file', () => {
    const text = '{\n  "schemaVersion": 1,\n  "version": 0\n}'
    const read = parseWorkflow(text, { file: 'w.json' })
    const found = read.ok ? undefined : read.problems.find(({ pointer }) => pointer === '/version')
    expect(found?.at).toEqual({ file: 'w.json', line: 3, column: 14, length: 1 })
    expect(parseWorkflow('{', { file: 'w.json' })).toMatchObject({ ok: false, problems: [{ code: 'PLAN_SYNTAX' }] })
  })
})

describe('the tier of an action', () => {
  it('may be as strict as the workflow or stricter; a looser one is refused at its place [GRF-14]', () => {
    EXECUTION_TIERS.forEach((workflow, strict) => {
      EXECUTION_TIERS.forEach((override, own) => {
        const told = refusals(withTiers(workflow, override))
        expect(told.length, `${override} in ${workflow}`).toBe(own < strict ? 1 : 0)
        if (own < strict) expect(told[0]).toContain('WORKFLOW_INVALID /actions/0/executionTierOverride: ')
      })
    })
  })

  it('is its own, else that of the workflow', () => {
    const read = parseWorkflow(JSON.stringify({ ...WORKFLOW, ...withTiers('Assisted', 'HumanApprove') }))
    const workflow = read.ok ? read.value.workflow : undefined
    const [action] = workflow?.actions ?? []
    if (workflow === undefined || action === undefined) throw new Error('the workflow is not readable')
    expect(effectiveTier(workflow, action)).toBe('HumanApprove')
    const { executionTierOverride: _, ...plain } = action
    expect(effectiveTier(workflow, plain)).toBe('Assisted')
  })
})
