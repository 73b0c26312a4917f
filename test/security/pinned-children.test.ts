/** Attacks on what a run was admitted with: whoever publishes a child plan while a run is under way, waits or is forked. */
import { describe, expect, it } from 'vitest'
import { forkRun } from '../../src/app/start/fork-run.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import type { ChildPlan } from '../../src/core/plan/compile/child-plans.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import { World, type Process, type ProcessOptions } from '../fixtures/virtual-world.ts'

const child = (who: string, version = '1.0.0'): string => `
plan: child
version: ${version}
policy: { retry: { maxAttempts: 1 } }
steps: [{ id: inner, run: ${who} }]`
const MIDDLE = `
plan: middle
version: 1.0.0
steps: [{ id: wait, wait: { forMs: 5000 } }, { id: call, plan: { planId: child } }]`
const PARENT = `
plan: parent
version: 1.0.0
policy: { retry: { maxAttempts: 2 } }
steps: [{ id: wait, wait: { forMs: 10000 } }, { id: call, plan: { planId: child } }]`

interface Told {
  readonly world: World
  readonly process: Process
}

async function told(options: ProcessOptions = {}): Promise<Told> {
  const world = new World()
  return { world, process: world.process('only', options) }
}

function pinned(world: World, run: RunKey, eventType = 'RunStarted'): readonly ChildPlan[] | undefined {
  const record = world.records(run).find((one) => one.eventType === eventType)
  return record?.payload?.['children'] as readonly ChildPlan[] | undefined
}

async function verified({ world, process }: Told): Promise<void> {
  for (const { row } of world.disk.runs) {
    const plan = await process.advancer.plans.get('local', row.planSha256)
    const report = verifyDecisions(world.records(row.runKey), plan)
    expect([report.differences, report.notDerivable]).toEqual([[], []])
  }
}

describe('a run whose child plan is published anew', () => {
  it('while it waits goes on with the one that was there at its start, and so does whoever takes it over', async () => {
    const here = await told()
    const { world, process } = here
    const { sha256 } = await process.publish(child('old'))
    const run = await process.start(PARENT)
    await process.publish(child('new', '2.0.0'))
    await process.publish(child('newest'))
    expect(pinned(world, run)).toEqual([{ planId: 'child', sha256 }])
    process.kill()
    const second = world.process('second', { adoptOthers: true })
    await world.runUntil(() => world.hasEnded(run))
    expect(world.called()).toEqual(['inner#1/1'])
    expect(world.row(2).planSha256).toBe(sha256)
    await verified({ world, process: second })
  })

  it('between two attempts tries the same one again', async () => {
    const { world, process } = await told({ script: { old: () => Promise.reject(new Error('down')) } })
    const { sha256 } = await process.publish(child('old'))
    const run = await process.start(PARENT)
    await world.runUntil(() => world.disk.runs.length === 2)
    await process.publish(child('new', '2.0.0'))
    await world.runUntil(() => world.hasEnded(run))
    expect(world.disk.runs.slice(1).map(({ row }) => row.planSha256)).toEqual([sha256, sha256])
    expect(world.row(run).status).toBe('FAILED')
  })

  it('at the second level keeps that too: a child is pinned to what its parent was', async () => {
    const here = await told()
    const { world, process } = here
    const { sha256 } = await process.publish(child('old'))
    const middle = await process.publish(MIDDLE)
    const run = await process.start(PARENT.replace('planId: child', 'planId: middle, planVersion: 1.0.0'))
    expect(pinned(world, run)).toEqual([
      { planId: 'child', sha256 },
      { planId: 'middle', planVersion: '1.0.0', sha256: middle.sha256 },
    ])
    await process.publish(child('new', '2.0.0'))
    await world.runUntil(() => world.hasEnded(run))
    expect(pinned(world, 2)).toEqual([{ planId: 'child', sha256 }])
    expect(pinned(world, 3)).toBeUndefined()
    expect(world.row(3).planSha256).toBe(sha256)
    await verified(here)
  })

  it('while it waits for its approval or its hour starts with what was admitted', async () => {
    const here = await told()
    const { world, process } = here
    const { sha256 } = await process.publish(child('old'))
    const notBefore = world.time.now() + 60_000
    const run = await process.start(PARENT, { admission: { policy: 'DELAY', notBefore, autoApprove: true } })
    expect(pinned(world, run, 'RunQueued')).toEqual([{ planId: 'child', sha256 }])
    await process.publish(child('new', '2.0.0'))
    await world.runUntil(() => world.hasEnded(run))
    expect(pinned(world, run)).toEqual([{ planId: 'child', sha256 }])
    expect(world.row(2).planSha256).toBe(sha256)
    await verified(here)
  })

  it('and is forked keeps it; a fork that asks for new child plans takes the new one', async () => {
    const here = await told({ script: { old: () => Promise.reject(new Error('down')) } })
    const { world, process } = here
    const { sha256 } = await process.publish(child('old'))
    const run = await process.start(PARENT)
    await world.runUntil(() => world.hasEnded(run))
    const newer = await process.publish(child('new', '2.0.0'))
    const fork = async (newChildren: boolean): Promise<RunKey> => {
      const engine = { engineType: 'embedded', maxInFlight: 10 } as const
      const lease = process.engine.lease()
      const request = { row: world.row(run), principal: LOCAL_PRINCIPAL, engine, lease, newChildren }
      const answer = await forkRun(process.services, process.advancer, request)
      if (answer.kind === 'started') process.engine.drive(answer.row.runKey, answer.report)
      await world.runUntil(() => world.hasEnded(answer.row.runKey))
      return answer.row.runKey
    }
    expect(pinned(world, await fork(false))).toEqual([{ planId: 'child', sha256 }])
    const next = await fork(true)
    expect(pinned(world, next)).toEqual([{ planId: 'child', sha256: newer.sha256 }])
    expect(world.row(next).status).toBe('COMPLETED')
    await verified(here)
  })
})

describe('a plan that runs itself', () => {
  it('need not be published for that, and goes on as itself though another is published under its id', async () => {
    const { world, process } = await told()
    const plan = `
plan: down
version: 1.0.0
inputs: { type: object, properties: { n: { type: integer, default: 2 } } }
steps: [{ id: wait, wait: { forMs: 100 } }, { id: call, if: 'input.n > \`0\`', plan: { planId: down }, with: { n: 0 } }]`
    const run = await process.start(plan)
    await process.publish(plan.replace('1.0.0', '2.0.0'))
    await world.runUntil(() => world.hasEnded(run))
    expect(world.row(run).status).toBe('COMPLETED')
    expect(world.disk.runs.map(({ row }) => row.planVersion)).toEqual(['1.0.0', '1.0.0'])
  })
})
