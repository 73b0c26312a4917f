/** The core's calendar against the platform's: the core may not use Date, its test may. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isoFromMs, msFromIso } from './time.ts'
import { SEED as seed } from '../../test/setup/seed.ts'

const instants = fc.integer({ min: Date.parse('0001-01-01T00:00:00Z'), max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) })

describe('instants', () => {
  it('are written as the platform writes them', () => {
    fc.assert(
      fc.property(instants, (ms) => void expect(isoFromMs(ms)).toBe(new Date(ms).toISOString())),
      { seed },
    )
  })

  it('are read back to the same millisecond', () => {
    fc.assert(
      fc.property(instants, (ms) => void expect(msFromIso(isoFromMs(ms))).toBe(ms)),
      { seed },
    )
  })

  it('keep every millisecond of a second', () => {
    for (let ms = 0; ms < 1000; ms += 1) expect(msFromIso(isoFromMs(ms))).toBe(ms)
  })

  it.each([
    '1970-01-01T00:00:00.000Z',
    '2000-02-29T23:59:59.999Z',
    '1900-03-01T00:00:00.000Z',
    '2100-02-28T12:00:00.000Z',
  ])('%s is the same both ways', (text) => {
    expect(msFromIso(text)).toBe(Date.parse(text))
    expect(isoFromMs(Date.parse(text))).toBe(text)
  })

  it.each([
    ['2030-01-01T02:30:00+02:30', '2030-01-01T00:00:00.000Z'],
    ['2029-12-31T19:00:00-05:00', '2030-01-01T00:00:00.000Z'],
    ['2030-01-01t00:00:00.5z', '2030-01-01T00:00:00.500Z'],
    ['2030-01-01T00:00:00.123456789Z', '2030-01-01T00:00:00.123Z'],
  ])('%s is the instant %s', (text, utc) => {
    expect(isoFromMs(msFromIso(text) ?? -1)).toBe(utc)
  })

  it.each([
    '2030-01-01',
    '2030-01-01T00:00:00',
    '2030-02-29T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2030-04-31T00:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-00-01T00:00:00Z',
    '2030-01-00T00:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:60:00Z',
    '2030-01-01T00:00:61Z',
    '2030-01-01T00:00:00+0200',
    ' 2030-01-01T00:00:00Z',
    'tomorrow',
  ])('%s is no instant', (text) => {
    expect(msFromIso(text)).toBeUndefined()
  })
})
