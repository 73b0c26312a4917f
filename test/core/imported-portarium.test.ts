/** Workflows of Portarium: the verdicts of its own parser, with our codes at line and column. */
import { describe, expect, it } from 'vitest'
import { importPlan, KeelsonError, openKeelson } from '../../src/main.ts'
import { testFolder } from '../fixtures/folder.ts'

type Fields = Readonly<Record<string, unknown>>

const READ = { actionId: 'act-1', order: 1, portFamily: 'SecretsVaulting', operation: 'secret:read' }

const workflow = (more: Fields = {}): string =>
  JSON.stringify(
    {
      schemaVersion: 1,
      workflowId: 'wf-1',
      workspaceId: 'ws-1',
      name: 'Invoice correction',
      version: 1,
      active: true,
      executionTier: 'Auto',
      actions: [READ],
      ...more,
    },
    null,
    1,
  )

function refusals(text: string, matrices: readonly string[] = []): readonly string[] {
  try {
    importPlan(text, { file: 'w.json', matrices })
    return []
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    return thrown.problems.map(({ code, at, message }) => `${code} ${at?.line}:${at?.column} ${message}`)
  }
}

const { operation: _operation, ...unnamed } = READ
const action = (change: Fields): Fields => ({ actions: [{ ...unnamed, ...change }] })

describe('a workflow is accepted as there', () => {
  it.each([
    ['with one action', {}],
    ['of tier Assisted', { executionTier: 'Assisted' }],
    ['with a capability instead of an operation', action({ capability: 'secret:read' })],
    ['of version 2, with a capability', { schemaVersion: 2, ...action({ capability: 'secret:rotate' }) }],
    ['with both, alike', action({ capability: 'secret:read', operation: 'secret:read' })],
    [
      'with an operation that its family does not list',
      action({ portFamily: 'ItsmItOps', operation: 'workflow:simulate' }),
    ],
    [
      'with a tier for an action that is as strict',
      { executionTier: 'HumanApprove', ...action({ operation: 'secret:read', executionTierOverride: 'HumanApprove' }) },
    ],
    ['with a description', { description: 'Corrects one invoice.' }],
    ['with a stricter tier for an action', action({ operation: 'secret:read', executionTierOverride: 'ManualOnly' })],
    ['with the references to its schemas', action({ operation: 'secret:read', inputSchemaRef: 'schemas/in.json' })],
  ])('%s [GRF-14]', (_what, more) => {
    expect(refusals(workflow(more))).toEqual([])
  })

  it('with three actions, which run in their order, each given what the one before gave [GRF-01, GRF-14]', async () => {
    const given: unknown[] = []
    const told = (name: string) => (input: unknown) => {
      given.push([name, input])
      return name
    }
    const actions = ['read', 'write', 'read'].map((verb, at) => ({
      ...READ,
      actionId: `a${at + 1}`,
      order: at + 1,
      operation: `secret:${verb}`,
    }))
    await using keelson = await openKeelson({
      directory: testFolder(),
      steps: { secret: { read: told('read'), write: told('write') } },
    })
    const run = await keelson.start(importPlan(workflow({ actions })), { id: 1 })
    expect((await run.result()).status).toBe('COMPLETED')
    expect(given).toEqual([
      ['read', { input: { id: 1 } }],
      ['write', { input: { id: 1 }, previous: 'read' }],
      ['read', { input: { id: 1 }, previous: 'write' }],
    ])
  })
})

describe('a workflow is refused as there', () => {
  const two = (first: number, second: number): Fields => ({
    actions: [
      { ...READ, order: first },
      { ...READ, actionId: 'act-2', order: second },
    ],
  })
  it.each([
    ['of version 3', { schemaVersion: 3 }, /^WORKFLOW_INVALID 2:19 'schemaVersion' must be 1 or 2/],
    ['of a version that is a text', { schemaVersion: '1' }, /^WORKFLOW_INVALID 2:19 /],
    ['without actions', { actions: [] }, /^WORKFLOW_INVALID 9:13 /],
    ['with actions that are no list', { actions: {} }, /^WORKFLOW_INVALID 9:13 /],
    ['in another order than its list', two(2, 1), /^WORKFLOW_INVALID 12:13 .*contiguous/],
    ['with a gap in its order', two(1, 3), /^WORKFLOW_INVALID 18:13 .*contiguous/],
    ['with the order 0', action({ operation: 'secret:read', order: 0 }), /^WORKFLOW_INVALID 12:13 'order'/],
    ['with half an order', action({ operation: 'secret:read', order: 1.5 }), /^WORKFLOW_INVALID 12:13 'order'/],
    ['of its own version 0', { version: 0 }, /^WORKFLOW_INVALID 6:13 'version'/],
    ['of an unknown tier', { executionTier: 'Robot' }, /^WORKFLOW_INVALID 8:19 'executionTier'/],
    ['with an empty name', { name: '' }, /^WORKFLOW_INVALID 5:10 'name'/],
    ['with a blank name', { name: '  ' }, /^WORKFLOW_INVALID 5:10 'name' must be text that is not blank/],
    ['with a blank workspace', { workspaceId: ' ' }, /^WORKFLOW_INVALID 4:17 'workspaceId'/],
    ['with an empty description', { description: '' }, /^WORKFLOW_INVALID \d+:\d+ 'description'/],
    ['with half a version', { version: 1.5 }, /^WORKFLOW_INVALID 6:13 'version'/],
    ['without saying whether it is active', { active: undefined }, /^WORKFLOW_INVALID \d+:\d+ .*'active'/],
    ['with a text for active', { active: 'true' }, /^WORKFLOW_INVALID 7:12 'active'/],
    ['that is not active', { active: false }, /^WORKFLOW_INVALID 7:12 .*is not active/],
    [
      'with an action without an id',
      action({ operation: 'secret:read', actionId: '' }),
      /^WORKFLOW_INVALID 11:16 'actionId'/,
    ],
    [
      'with an order that is a text',
      action({ operation: 'secret:read', order: '1' }),
      /^WORKFLOW_INVALID 12:13 'order'/,
    ],
    [
      'with an empty reference',
      action({ operation: 'secret:read', inputSchemaRef: '' }),
      /^WORKFLOW_INVALID 15:22 'inputSchemaRef'/,
    ],
    ['with three parts in its operation', action({ operation: 'a:b:c' }), /^WORKFLOW_INVALID 14:17 .*<entity>:<verb>/],
    [
      'with a blank in its operation',
      action({ operation: 'secret: read' }),
      /^WORKFLOW_INVALID 14:17 .*<entity>:<verb>/,
    ],
    [
      'with an unknown tier for an action',
      action({ operation: 'secret:read', executionTierOverride: 'Robot' }),
      /^WORKFLOW_INVALID 15:29 /,
    ],
    [
      'with two actions of one id, which a plan cannot tell apart',
      { actions: [READ, { ...READ, order: 2 }] },
      /^WORKFLOW_INVALID 17:16 two actions have the id 'act-1'/,
    ],
    [
      'with a capability and another operation',
      action({ capability: 'secret:read', operation: 'secret:write' }),
      /^WORKFLOW_INVALID 15:17 'operation' must match 'capability'/,
    ],
    ['of version 2 without a capability', { schemaVersion: 2 }, /'capability' is required from version 2 on/],
    ['with neither', action({}), /'capability' or 'operation' is needed/],
    ['with an operation without a verb', action({ operation: 'read' }), /^WORKFLOW_INVALID 14:17 .*<entity>:<verb>/],
    [
      'with a looser tier for an action',
      { executionTier: 'HumanApprove', ...action({ operation: 'secret:read', executionTierOverride: 'Auto' }) },
      /^WORKFLOW_INVALID 15:29 'Auto' is looser/,
    ],
    [
      'with a family that there is not',
      action({ operation: 'secret:read', portFamily: 'SecretsVault' }),
      /^WORKFLOW_INVALID 13:18 there is no port family 'SecretsVault'/,
    ],
    [
      'with a capability that its family does not have',
      action({ capability: 'invoice:write' }),
      /^WORKFLOW_INVALID 14:18 SecretsVaulting has no capability 'invoice:write'/,
    ],
  ])('%s [GRF-14]', (_what, more, problem) => {
    expect(refusals(workflow(more))[0]).toMatch(problem)
  })

  it('unless a capability matrix knows the family or the capability [CMP-07]', () => {
    const matrix = (portFamily: string): string =>
      JSON.stringify({ portFamily, capabilities: [{ capability: 'tide:read', safety: {} }] })
    const newFamily = workflow(action({ capability: 'tide:read', portFamily: 'Harbours' }))
    expect(refusals(newFamily)).toHaveLength(1)
    expect(refusals(newFamily, [matrix('Harbours')])).toEqual([])
    const newCapability = workflow(action({ capability: 'tide:read' }))
    expect(refusals(newCapability, [matrix('SecretsVaulting')])).toEqual([])
    expect(refusals(newCapability, [matrix('Harbours')])).toHaveLength(1)
  })
})
