/** Durations are read and written exactly; everything else is refused, with what was probably meant. */
import { describe, expect, it } from 'vitest'
import { durationMs, durationText, meantDuration } from './duration.ts'

describe('a duration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
    ['0s', 0],
    ['007s', 7_000],
  ])('%s is %d ms', (text, ms) => expect(durationMs(text)).toBe(ms))

  it.each([
    '',
    '30',
    's',
    '-5s',
    '+5s',
    '1.5h',
    '7 days',
    '30 s',
    ' 30s',
    '30s ',
    '30S',
    '1h30m',
    '1e3s',
    '٣s',
    '1w',
    '5µs',
  ])("is not '%s'", (text) => expect(durationMs(text)).toBeUndefined())

  it('is written in the largest unit that keeps it whole', () => {
    expect([0, 1, 1_000, 1_500, 90_000, 3_600_000, 5_400_000, 86_400_000, 604_800_000].map(durationText)).toEqual([
      '0ms',
      '1ms',
      '1s',
      '1500ms',
      '90s',
      '1h',
      '90m',
      '1d',
      '7d',
    ])
  })

  it('is read back from what is written, for ten thousand lengths', () => {
    for (let ms = 0, step = 1; ms < 1e12; ms += step, step += 7_919) expect(durationMs(durationText(ms))).toBe(ms)
  })

  it.each([
    ['7 days', '7d'],
    ['1.5h', '90m'],
    ['1h30m', '90m'],
    ['1h 30min', '90m'],
    ['30 Seconds', '30s'],
    ['2 weeks', '14d'],
    ['30S', '30s'],
  ])('that was meant by %s is told: %s', (text, meant) => expect(meantDuration(text)).toBe(meant))

  it.each(['soon', '-5s', '', '3 moons', '30', '0.0001ms', '${input.x}'])("is not guessed from '%s'", (text) =>
    expect(meantDuration(text)).toBeUndefined(),
  )
})
