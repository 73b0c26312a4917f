/** A run that is given up to be undone, with child runs: what children and their children finished is undone too, once. */
import { describe, expect, it } from 'vitest'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import { World, type Process } from '../fixtures/virtual-world.ts'

const plan = (id: string, steps: string): string =>
  `plan: ${id}\nversion: 1.0.0\npolicy: { retry: { maxAttempts: 1 } }\nsteps:\n${steps}`
const done = (name: string): string => `  - { id: ${name}, run: ${name}, compensate: { run: un${name} } }\n`
const call = (id: string, planId: string): string =>
  `  - { id: ${id}, plan: { planId: ${planId} }, effect: compensatable }\n`

const LEAF = plan('leaf', `${done('hold')}${done('book')}`)
const BRANCH = plan('branch', `${done('lay')}${call('inner', 'leaf')}  - { id: slow, run: slow }\n`)
const ROOT = plan('root', `${done('first')}${call('finished', 'leaf')}${call('open', 'branch')}${done('never')}`)

const NEWEST_FIRST = ['unbook', 'unhold', 'unlay', 'unbook', 'unhold', 'unfirst']

interface Family {
  readonly world: World
  readonly process: Process
  readonly root: RunKey
}

/** One child has finished, the other has a finished child of its own and is at work. */
async function family(): Promise<Family> {
  const world = new World()
  const process = world.process('only', { script: { slow: 'hold' }, leaseMs: 3000 })
  await process.publish(LEAF)
  await process.publish(BRANCH)
  const root = await process.start(ROOT)
  await world.runUntil(() => world.calls.some(({ name }) => name === 'slow'))
  return { world, process, root }
}

const undoings = ({ calls }: World): readonly string[] =>
  calls.flatMap(({ name }) => (name.startsWith('un') ? [name] : []))

const summary = (world: World, runKey: RunKey): unknown =>
  world.records(runKey).findLast(({ eventType }) => eventType === 'RunCancelled')?.payload?.['compensation']

async function expectVerified({ world, process }: Family): Promise<void> {
  for (const { row } of world.disk.runs) {
    const report = verifyDecisions(world.records(row.runKey), await process.advancer.plans.get('local', row.planSha256))
    expect([report.differences, report.notDerivable]).toEqual([[], []])
  }
}

describe('CANCEL with undo of a family', () => {
  it('undoes what children finished, whether they had ended or were at work, newest first [CMP-03]', async () => {
    const all = await family()
    const { world, process, root } = all
    await process.signal(root, 'CANCEL', { undo: true })
    await world.runUntil(() => world.hasEnded(root))
    expect(world.row(root).status).toBe('CANCELLED')
    expect(undoings(world)).toEqual(NEWEST_FIRST)
    expect(summary(world, root)).toMatchObject({
      done: 3,
      failed: 0,
      unfinished: 0,
      slots: ['open', 'finished', 'first'],
    })
    // None is left open: the two children, their child, and a run that undoes for each of them.
    expect(world.disk.runs.map(({ row }) => row.status).toSorted()).toEqual([
      'CANCELLED',
      'CANCELLED',
      ...Array.from({ length: 5 }, () => 'COMPLETED'),
    ])
    await expectVerified(all)
  })

  it('undoes nothing of them when nobody asks for it [X-76]', async () => {
    const all = await family()
    const { world, process, root } = all
    await process.signal(root, 'CANCEL')
    await world.runUntil(() => world.hasEnded(root))
    await world.advanceBy(60_000)
    expect([world.row(root).status, undoings(world), summary(world, root)]).toEqual(['CANCELLED', [], undefined])
    await expectVerified(all)
  })

  it('goes on where it was when the process dies at any call of a compensation, and repeats only that one [CMP-04]', async () => {
    for (let at = 1; at <= NEWEST_FIRST.length; at += 1) {
      const all = await family()
      const { world, process, root } = all
      await process.signal(root, 'CANCEL', { undo: true })
      await world.runUntil(() => undoings(world).length >= at)
      process.kill()
      const second = world.process('second', { adoptOthers: true, leaseMs: 3000 })
      await world.runUntil(() => world.hasEnded(root))
      const keys = new Set(
        world.calls.flatMap(({ name, context }) => (name.startsWith('un') ? [context.idempotencyKey] : [])),
      )
      expect([world.row(root).status, keys.size, undoings(world).length - keys.size <= 1]).toEqual([
        'CANCELLED',
        6,
        true,
      ])
      await expectVerified({ ...all, process: second })
    }
  })

  it('undoes a child that finishes within the grace as a finished one [CMP-11]', async () => {
    const all = await family()
    const { world, process, root } = all
    await process.signal(root, 'CANCEL', { undo: true })
    await world.advanceBy(100)
    world.calls.find(({ name }) => name === 'slow')?.resolve()
    await world.runUntil(() => world.hasEnded(root))
    expect([world.row(root).status, undoings(world)]).toEqual(['CANCELLED', NEWEST_FIRST])
    await expectVerified(all)
  })
})
