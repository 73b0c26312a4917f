/** Work that is repeated: at bells, after a while without one, and never so that looking in vain is most of what is done. */
import { expect, it } from 'vitest'
import { VirtualTime } from '../../../test/fixtures/virtual-time.ts'
import { Repeated } from './repeated.ts'

interface Rung {
  readonly rounds: number
  /** Share of the time that the rounds took. */
  readonly share: number
}

/** A bell at every millisecond for so long; each round takes some time and finds what it finds. */
async function rungFor(ms: number, roundMs: number, found: boolean | undefined): Promise<Rung> {
  const time = new VirtualTime()
  const from = time.steady()
  let rounds = 0
  const repeated = new Repeated({
    clock: time,
    timers: time.timers(() => true),
    everyMs: 500,
    leastMs: 5,
    work: async () => {
      rounds += 1
      time.turnTo(time.steady() + roundMs)
      return found
    },
  })
  const bells = time.timers(() => true)
  const bell = (): void => {
    repeated.ring()
    bells.after(1, bell)
  }
  bell()
  while (time.steady() < from + ms) {
    time.fireNext()
    await time.quiet()
  }
  await repeated.close()
  return { rounds, share: (rounds * roundMs) / (time.steady() - from) }
}

it('a long look that finds nothing is made less often, and takes a tenth of the time however often the bell rings', async () => {
  const long = await rungFor(2_000, 15, false)
  expect(long.rounds).toBeGreaterThan(5)
  expect(long.share).toBeLessThanOrEqual(0.11)
  // Never less often than without any bell.
  expect((await rungFor(5_000, 400, false)).rounds).toBeGreaterThanOrEqual(5)
})

it('a round that brings something on is followed by the next one at once, and a short look costs nothing', async () => {
  expect((await rungFor(1_000, 15, true)).rounds).toBeGreaterThanOrEqual(48)
  expect((await rungFor(1_000, 15, undefined)).rounds).toBeGreaterThanOrEqual(45)
  expect((await rungFor(1_000, 0, false)).rounds).toBeGreaterThanOrEqual(150)
})
