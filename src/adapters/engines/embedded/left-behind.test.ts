/** Runs of a holder that is surely gone are taken before its lease ends; those of one that may live are not. */
import { expect, it } from 'vitest'
import { World, type ProcessOptions } from '../../../../test/fixtures/virtual-world.ts'

const LEASE_MS = 60_000
const PLAN = `steps: [{ id: a, run: f }, { id: b, run: g }]`
const WAITING = `steps: [{ id: a, wait: { for: 3s } }, { id: b, run: g, dependsOn: [a] }]`

/** A process that stops without a word, and an heir that is told what it may know of it. */
async function dying(plan: string, known: ProcessOptions): Promise<{ readonly world: World; readonly key: number }> {
  const world = new World()
  const first = world.process('first', { leaseMs: LEASE_MS, adoptOthers: true, script: { f: 'hold' } })
  const key = await first.start(plan)
  await world.time.quiet()
  first.kill()
  world.process('heir', { leaseMs: LEASE_MS, adoptOthers: true, ...known })
  return { world, key }
}

it.each([
  ['with work in flight', PLAN],
  ['that is due', WAITING],
])('a run %s of a dead process goes on within two seconds, whatever its lease says', async (_what, plan) => {
  const { world, key } = await dying(plan, { isOwnerGone: (owner) => owner.startsWith('first') })
  await world.advanceBy(5_000)
  expect(world.hasEnded(key)).toBe(true)
})

it('where nobody can say that it is dead its lease decides', async () => {
  const { world, key } = await dying(PLAN, { isOwnerGone: () => false })
  await world.advanceBy(LEASE_MS - 2_000)
  expect(world.hasEnded(key)).toBe(false)
  await world.advanceBy(4_000)
  expect(world.hasEnded(key)).toBe(true)
})
