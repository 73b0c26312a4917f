/** How long an attempt may take when nobody says so: it depends on whose document the step was written in. */
import { expect, it } from 'vitest'
import { stepSending } from '../../src/adapters/engines/temporal/sandbox/activity-options.ts'
import { importPlan } from '../../src/main.ts'
import { flow } from '../fixtures/orchestr8.ts'
import { World } from '../fixtures/virtual-world.ts'

const OURS = 'steps: [{ id: a, run: f, retry: { maxAttempts: 1 } }]'

const agentFlow = (step: object = {}, more: object = {}): string =>
  JSON.stringify(flow([{ id: 'a', agentId: 'f', ...step }], { ...more }))

const actionFlow = (action: object = {}): string =>
  JSON.stringify({
    schemaVersion: 1,
    workflowId: 'w',
    workspaceId: 'acme',
    name: 'W',
    version: 1,
    active: true,
    executionTier: 'Auto',
    actions: [{ actionId: 'a', order: 1, portFamily: 'ItsmItOps', operation: 'agent:run', ...action }],
  })

/** The one step takes so long; how the run ended, and after which time. */
async function ended(foreign: string | undefined, tookMs: number): Promise<readonly unknown[]> {
  const world = new World()
  const work = async (_call: unknown, { after }: { readonly after: (ms: number) => Promise<void> }): Promise<void> =>
    after(tookMs)
  const process = world.process('p', { script: { f: work, 'agent.run': work } })
  const plan = foreign === undefined ? {} : { plan: importPlan(foreign) }
  const run = await process.start(OURS, plan)
  const began = world.time.now()
  await world.runUntil(() => world.log(run, 'StepCompleted', 'StepFailed').length > 0, 3_600_000)
  const end = world.records(run).find(({ eventType }) => /^Step(?:Completed|Failed)$/.test(eventType))
  const error = end?.payload?.['error'] as { readonly code: string } | undefined
  return [error?.code ?? 'SUCCESS', world.time.now() - began]
}

it('a step of a plan has 300 s, an action of a workflow too, an agent of orchestr8 30 s [X-64]', async () => {
  expect(await ended(undefined, 299_999)).toEqual(['SUCCESS', 299_999])
  expect(await ended(undefined, 400_000)).toEqual(['TIMEOUT', 300_000])
  expect(await ended(actionFlow(), 299_999)).toEqual(['SUCCESS', 299_999])
  expect(await ended(actionFlow(), 400_000)).toEqual(['TIMEOUT', 300_000])
  expect(await ended(agentFlow(), 29_999)).toEqual(['SUCCESS', 29_999])
  expect(await ended(agentFlow(), 60_000)).toEqual(['TIMEOUT', 30_000])
})

it('what the step or its workflow says comes before the 30 s of an agent [X-64]', async () => {
  expect(await ended(agentFlow({ timeout: 120_000 }), 60_000)).toEqual(['SUCCESS', 60_000])
  expect(await ended(agentFlow({ timeout: 120_000 }), 130_000)).toEqual(['TIMEOUT', 120_000])
  expect(await ended(agentFlow({}, { resilience: { timeout: 120_000 } }), 60_000)).toEqual(['SUCCESS', 60_000])
})

it('a platform gives an attempt up later than its own time, whichever it has [X-64]', () => {
  for (const timeoutMs of [30_000, 120_000, 300_000, 3_600_000]) {
    const { startToCloseTimeout, scheduleToCloseTimeout = 0 } = stepSending({ timeoutMs })
    expect(startToCloseTimeout).toBe(Math.max(30 * 60_000, timeoutMs + 5 * 60_000))
    expect(scheduleToCloseTimeout).toBeGreaterThan(startToCloseTimeout)
  }
})
