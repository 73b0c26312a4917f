/** The tests are tested: every fault of the catalogue, planted in a copy of the sources, must be noticed. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/terminal.ts'
import { extent, isFull } from '../setup/extent.ts'
import { MUTANTS } from './catalogue.ts'
import type { Mutant } from './mutant.ts'
import { control, HISTORIES, huntAll } from './run.ts'
import { misfits, plantedText } from './sandbox.ts'

/** By default every eighth is hunted, from each part of the catalogue; `npm run mutants` and KEELSON_TESTS=full hunt all. */
const EVERY = extent(8, 1)
/** That histories pass in the repository is shown by this very run of the tests; in a copy of it some are enough. */
const CONTROL_HISTORIES = extent(60, HISTORIES)

/**
 * Whose tests are run where nothing was planted. That they all pass in the repository is shown by this very run of the tests; that they pass
 * in a copy of it is asked of one in each folder.
 */
function controlled(mutants: readonly Mutant[]): readonly Mutant[] {
  const byFolder = new Map(mutants.map((mutant) => [dirname(mutant.catcher ?? ''), mutant]))
  return isFull ? mutants : [...byFolder.values()]
}

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

  it('each fits one place in the sources as they are, and the test that must notice it exists', () => {
    expect(misfits(MUTANTS)).toEqual([])
    const catchers = MUTANTS.flatMap(({ catcher }) => catcher ?? [])
    expect(catchers.filter((file) => !existsSync(join(ROOT, file)))).toEqual([])
  })

  it('are noticed one and all, and nothing is noticed where none was planted', { timeout: 1_800_000 }, async () => {
    const hunted = MUTANTS.filter((_, index) => index % EVERY === 0)
    expect(misfits(MUTANTS)).toEqual([])
    expect(await control(controlled(hunted), CONTROL_HISTORIES)).toBeUndefined()
    const verdicts = await huntAll(hunted)
    expect(verdicts.length).toBe(hunted.length)
    expect(verdicts.filter(({ caught }) => !caught).map(({ name }) => name)).toEqual([])
  })
})
