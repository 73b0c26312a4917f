/** The tests are tested: every fault of the catalogue, planted in a copy of the sources, must be noticed. */
import { describe, expect, it } from 'vitest'
import { MUTANTS } from './catalogue.ts'
import { control, huntAll } from './run.ts'
import { plantedText } from './sandbox.ts'

describe('the planted faults', () => {
  it('are many, and each has a name of its own', () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(24)
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length)
  })

  it('are refused when their text does not stand exactly once in the file', () => {
    const mutant = { name: 'a fault', file: 'x.ts', find: 'a', replace: 'b' }
    expect(plantedText('xay', mutant)).toBe('xby')
    expect(() => plantedText('xy', mutant)).toThrow('fits 0 places')
    expect(() => plantedText('axa', mutant)).toThrow('fits 2 places')
  })

  it('are noticed one and all, and nothing is noticed where none was planted', { timeout: 1_800_000 }, async () => {
    expect(await control(MUTANTS)).toBeUndefined()
    const verdicts = await huntAll(MUTANTS)
    expect(verdicts.length).toBe(MUTANTS.length)
    expect(verdicts.filter(({ caught }) => !caught).map(({ name }) => name)).toEqual([])
  })
})
