/** A breaker before a provider that may not answer. */
import { expect, it } from 'vitest'
import { CircuitBreaker } from './circuit-breaker.ts'

function scene() {
  const clock = { at: 0, now: () => clock.at }
  const asked: number[] = []
  const breaker = new CircuitBreaker(clock, { failures: 2, restMs: 100 })
  const ask = (fails: boolean) =>
    breaker.try(async () => {
      asked.push(clock.at)
      if (fails) throw new Error('away')
      return 'here'
    })
  return { clock, asked, ask }
}

it('a provider that fails twice in a row is left in peace, then asked by one alone', async () => {
  const { clock, asked, ask } = scene()
  expect((await ask(true)).kind).toBe('failed')
  expect((await ask(true)).kind).toBe('failed')
  clock.at = 99
  expect((await ask(false)).kind).toBe('resting')
  clock.at = 100
  const both = await Promise.all([ask(true), ask(false)])
  expect(both.map(({ kind }) => kind)).toEqual(['failed', 'resting'])
  clock.at = 200
  expect(await ask(false)).toEqual({ kind: 'answered', value: 'here' })
  expect(await ask(false)).toEqual({ kind: 'answered', value: 'here' })
  expect(asked).toEqual([0, 0, 100, 200, 200])
})

it('an answer between two failures keeps the way open', async () => {
  const { ask } = scene()
  for (const fails of [true, false, true, false]) expect((await ask(fails)).kind).toBe(fails ? 'failed' : 'answered')
})
