/** The verdict of the soak: flat is met, growth is not, and one bad minute is neither. */
import { expect, it } from 'vitest'
import { verdictOf, type Minute } from './verdict.ts'

const FLAT: Minute = {
  minute: 1,
  runs: 3_600,
  p50: 1,
  p99: 6,
  p999: 20,
  liveMb: 30,
  residentMb: 180,
  walMb: 16,
  storeMb: 100,
}

const hour = (of: (minute: number) => Partial<Minute>): readonly Minute[] =>
  Array.from({ length: 60 }, (_, at) => ({ ...FLAT, minute: at + 1, ...of(at + 1) }))
const missed = (minutes: readonly Minute[]): readonly string[] =>
  verdictOf(minutes).flatMap(({ name, ok }) => (ok ? [] : [name]))

it('a soak that stays as it began is met in every gate, though its store grows', () => {
  expect(verdictOf(hour((minute) => ({ storeMb: 100 * minute })))).toHaveLength(5)
  expect(missed(hour((minute) => ({ storeMb: 100 * minute })))).toEqual([])
})

it('one bad minute at the end is the machine', () => {
  expect(missed(hour((minute) => (minute === 60 ? { p99: 400, liveMb: 90 } : {})))).toEqual([])
})

it.each([
  [
    'a heap that grows by half a megabyte a minute',
    (at: number) => ({ liveMb: 30 + at / 2 }),
    'live after a collection, MB',
  ],
  ['a process that grows', (at: number) => ({ residentMb: 180 + 2 * at }), 'resident, MB'],
  ['steps that get slower', (at: number) => ({ p50: 1 + at / 20 }), 'lone step, p50, ms'],
  ['a worse tail', (at: number) => ({ p99: 6 + at / 3 }), 'lone step, p99, ms'],
  ['a log that is never emptied', (at: number) => ({ walMb: 16 + 3 * at }), 'write-ahead log, MB'],
])('%s misses its gate alone', (_what, of, gate) => {
  expect(missed(hour(of))).toEqual([gate])
})

it('a soak of a few minutes has no verdict', () => {
  expect(verdictOf(hour(() => ({})).slice(0, 4))).toEqual([])
})
