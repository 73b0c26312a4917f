/** How an imported run stands, in the words of the project that its plan comes from. */
import { expect, it } from 'vitest'
import { importPlan, openKeelson, type StateWords } from '../../src/main.ts'
import { failing, flow, gives } from '../fixtures/orchestr8.ts'
import { testFolder } from '../fixtures/folder.ts'
import { refusal } from '../fixtures/refusal.ts'
import { untilFound } from '../fixtures/until.ts'

it('of orchestr8: done, failed, skipped by a condition, and never begun [X-56]', async () => {
  const workflow = flow([
    { id: 'ok', agentId: 'good' },
    { id: 'maybe', agentId: 'good', if: 'variables.no' },
    { id: 'bad', agentId: 'bad', dependsOn: ['ok'] },
    { id: 'after', agentId: 'good', dependsOn: ['bad'] },
  ])
  await using keelson = await openKeelson({ directory: testFolder(), steps: { good: gives(1), bad: failing() } })
  const run = await keelson.start(importPlan(JSON.stringify(workflow)), {})
  await run.result()
  expect(await run.statesAs('orchestr8')).toEqual({
    status: 'failed',
    steps: { ok: 'completed', maybe: 'skipped', bad: 'failed', after: 'skipped' },
  })
})

it('of Portarium: an action that waits for a person, what is before it and what is after it [SSM-19, X-56, X-57, GRF-15]', async () => {
  const action = (order: number, more: object = {}): object => ({
    actionId: `a${order}`,
    order,
    portFamily: 'SecretsVaulting',
    operation: 'secret:read',
    ...more,
  })
  const workflow = {
    schemaVersion: 1,
    workflowId: 'rotate',
    workspaceId: 'ws-1',
    name: 'Rotate',
    version: 1,
    active: true,
    executionTier: 'Auto',
    actions: [action(1), action(2, { executionTierOverride: 'ManualOnly' }), action(3)],
  }
  await using keelson = await openKeelson({ directory: testFolder(), steps: { secret: { read: gives(1) } } })
  const run = await keelson.start(importPlan(JSON.stringify(workflow)), {})
  await untilFound(async () => (await run.tasks())[0])
  expect(await run.statesAs('portarium')).toEqual({
    status: 'Running',
    actions: { a1: 'Succeeded', a2: 'WaitingForManualCompletion', a3: 'Pending' },
  })
  await run.cancel('not today')
  await run.result()
  expect(await run.statesAs('portarium')).toEqual({
    status: 'Cancelled',
    actions: { a1: 'Succeeded', a2: 'Cancelled', a3: 'Cancelled' },
  })
  const { code } = await refusal(run.statesAs('dvt' as StateWords))
  expect(code).toBe('OPTION_INVALID')
})
