/** A plan of many costly conditions, each within its budget: the process stays with its other work while they are evaluated. */
import { expect, it } from 'vitest'
import { openKeelson } from '../../src/main.ts'
import { cpuNowMs } from '../fixtures/cpu-time.ts'

it('hundreds of costly conditions of one decision leave the loop to others now and then', async () => {
  const costly = 'length(input.list[?@ > `1`][?@ > `2`][?@ > `3`]) > `9`'
  const steps = Array.from({ length: 120 }, (_, index) => ({ id: `s${index}`, run: 'f', dependsOn: [], if: costly }))
  await using keelson = await openKeelson({ directory: ':memory:', steps: { f: () => 1 } })
  let turns = 0
  let last = cpuNowMs()
  let longest = 0
  const beat = setInterval(() => {
    turns += 1
    longest = Math.max(longest, cpuNowMs() - last)
    last = cpuNowMs()
  })
  const began = cpuNowMs()
  const list = Array.from({ length: 60_000 }, (_, index) => index)
  const run = await keelson.start({ plan: 'p', version: '1.0.0', steps } as never, { list } as never)
  expect((await run.result()).status).toBe('COMPLETED')
  clearInterval(beat)
  expect(turns).toBeGreaterThan(5)
  expect(longest).toBeLessThan((cpuNowMs() - began) / 2)
})
