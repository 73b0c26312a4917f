/**
 * What one run leaves for another of the same process is taken at once. The poll of these processes is hours away, and the clock of the
 * world does not move: whoever waited for it would not get on.
 */
import { expect, it } from 'vitest'
import type { RunKey } from '../../src/ports/run-store.ts'
import { countingStore, type CountingStore } from '../fixtures/counting-store.ts'
import { World, type ProcessOptions } from '../fixtures/virtual-world.ts'

const HOURS_MS = 10_000_000

const CHILD = `
plan: child
version: 1.0.0
policy: { retry: { maxAttempts: 1 } }
steps: [{ id: inner, run: inner }]`
const chainOf = (children: number): string => `
plan: parent
version: 1.0.0
policy: { concurrency: 100, retry: { maxAttempts: 1 } }
steps:
${Array.from({ length: children }, (_, n) => `  - { id: call-${n}, plan: { planId: child }, dependsOn: [${n === 0 ? '' : `call-${n - 1}`}] }`).join('\n')}`
const fanOf = (children: number): string => chainOf(children).replaceAll(/, dependsOn: \[[^\]]*\]/g, ', dependsOn: []')

interface Played {
  readonly world: World
  readonly parent: RunKey
  readonly counted: () => CountingStore
  readonly waitedMs: () => number
  readonly signal: (signalType: string) => Promise<string>
}

async function played(plan: string, options: ProcessOptions = {}): Promise<Played> {
  const world = new World()
  let counting: CountingStore | undefined
  const process = world.process('only', {
    pollMs: HOURS_MS,
    script: { inner: () => 'made' },
    wrapStore: (store) => (counting = countingStore(store)).store,
    ...options,
  })
  await process.publish(CHILD)
  const from = world.time.steady()
  const parent = await process.start(plan)
  await world.time.quiet()
  return {
    world,
    parent,
    counted: () => counting ?? countingStore(process.store),
    waitedMs: () => world.time.steady() - from,
    signal: (signalType) => process.signal(parent, signalType),
  }
}

it('a parent goes on as soon as its child has ended in the same process, one child after another [P-22, P-29]', async () => {
  const { world, parent, waitedMs } = await played(chainOf(5))
  expect(world.row(parent).status).toBe('COMPLETED')
  expect(world.disk.runs).toHaveLength(6)
  expect(waitedMs()).toBe(0)
})

it('a process that takes over runs of others does the same [P-22, P-30]', async () => {
  const { world, parent, waitedMs } = await played(chainOf(2), { adoptOthers: true })
  expect([world.row(parent).status, waitedMs()]).toEqual(['COMPLETED', 0])
})

it('a child that fails tells its parent as soon as one that completes [P-29]', async () => {
  const inner = (): never => {
    throw new Error('no')
  }
  const { world, parent, waitedMs } = await played(chainOf(1), { script: { inner } })
  expect([world.row(2).status, world.row(parent).status, waitedMs()]).toEqual(['FAILED', 'FAILED', 0])
})

it('a child that has nothing to do tells its parent in the moment of its start [P-29]', async () => {
  const plan = chainOf(1).replace('planId: child', 'planId: empty-handed')
  const world = new World()
  const process = world.process('only', { pollMs: HOURS_MS, script: { inner: 'hold' } })
  await process.publish(`
plan: empty-handed
version: 1.0.0
steps: [{ id: never, run: inner, if: "\`false\`" }]`)
  const parent = await process.start(plan)
  await world.advanceBy(0)
  expect(world.row(2).status).toBe('COMPLETED')
  expect(world.row(parent).status).toBe('COMPLETED')
})

it('a pause, a resume and a cancellation of a parent reach its child at once [P-22]', async () => {
  const { world, parent, signal, waitedMs } = await played(chainOf(1), { script: { inner: 'hold' } })
  const statuses = async (signalType: string): Promise<readonly string[]> => {
    await signal(signalType)
    await world.time.quiet()
    return [world.row(parent).status, world.row(2).status]
  }
  expect(await statuses('PAUSE')).toEqual(['PAUSED', 'PAUSED'])
  expect(await statuses('RESUME')).toEqual(['RUNNING', 'RUNNING'])
  await statuses('CANCEL')
  world.calls[0]?.resolve('late')
  await world.time.quiet()
  expect([world.row(parent).status, world.row(2).status]).toEqual(['CANCELLED', 'CANCELLED'])
  expect(waitedMs()).toBe(0)
})

it('children that end together cause one look for their parent, not one each', async () => {
  const looks = async (children: number): Promise<number> => {
    const { world, parent, counted } = await played(fanOf(children))
    expect(world.row(parent).status).toBe('COMPLETED')
    return counted().count('dueRuns')
  }
  expect([await looks(5), await looks(50)]).toEqual([2, 2])
})
