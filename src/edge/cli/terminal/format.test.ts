/** Times and texts as people read them. */
import { expect, it } from 'vitest'
import { countdown, duration, oneLine, plural, shortId, timeOfDay } from './format.ts'

it('writes a duration with one or two units, never a bare number', () => {
  const cases: readonly (readonly [ms: number, text: string])[] = [
    [-5, '0 ms'],
    [42.4, '42 ms'],
    [1900, '1.9 s'],
    [125_000, '2 min 5 s'],
    [3_600_000, '1 h'],
    [11_040_000, '3 h 4 min'],
    [183_600_000, '2 d 3 h'],
  ]
  for (const [ms, text] of cases) expect(duration(ms)).toBe(text)
})

it('counts down in whole seconds and never below zero', () => {
  expect([2999, 1, 0, -50].map(countdown)).toEqual(['3 s', '1 s', '0 s', '0 s'])
})

it('adds the date to a time of another day', () => {
  const noon = new Date(2030, 0, 31, 12, 0, 5).getTime()
  expect(timeOfDay(noon, noon + 1000)).toBe('12:00:05')
  expect(timeOfDay(noon, noon + 86_400_000)).toBe('2030-01-31 12:00:05')
})

it('makes one line of any text, without characters that move the cursor', () => {
  expect(oneLine('a\n\u001b[2Jb\tc', 80)).toBe('a [2Jb c')
  expect(oneLine('abcdef', 4)).toBe('abc…')
})

it('names counts and runs', () => {
  expect([plural(1, 'step'), plural(2, 'step')]).toEqual(['1 step', '2 steps'])
  expect(shortId('7f3a91c2-0000-4000-8000-000000000000')).toBe('7f3a91c2')
})
