import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { areAncestors } from './ancestors.ts'
import { SEED } from '../../../../test/setup/seed.ts'

/** The plain definition: is there a path back? */
function isAncestor(dependencies: readonly (readonly number[])[], of: number, ancestor: number): boolean {
  const seen = new Set<number>()
  const open = [...(dependencies[of] ?? [])]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === ancestor) return true
    if (seen.has(at)) continue
    seen.add(at)
    open.push(...(dependencies[at] ?? []))
  }
  return false
}

describe('ancestors', () => {
  it('are the same as by walking back from each step, on any graph without a cycle', () => {
    const seed = { seed: SEED }
    const graph = fc
      .integer({ min: 1, max: 90 })
      .chain((steps) =>
        fc.tuple(
          ...Array.from({ length: steps }, (_, step) =>
            fc.uniqueArray(fc.integer({ min: 0, max: Math.max(0, step - 1) }), { maxLength: step === 0 ? 0 : 3 }),
          ),
        ),
      )
    fc.assert(
      fc.property(graph, (dependencies) => {
        const indexes = dependencies.map((_, index) => index)
        const queries = indexes.flatMap((of) => indexes.map((ancestor) => ({ of, ancestor })))
        expect(areAncestors(dependencies, queries)).toEqual(
          queries.map(({ of, ancestor }) => isAncestor(dependencies, of, ancestor)),
        )
      }),
      { numRuns: 60, ...seed },
    )
  })

  it('of steps on a cycle are not asked for twice: the cycle is the problem', () => {
    expect(areAncestors([[1], [0], []], [{ of: 0, ancestor: 2 }])).toEqual([true])
  })

  it('are found in a chain of 100,000 where each step reads a far one', () => {
    const dependencies = Array.from({ length: 100_000 }, (_, step) => (step === 0 ? [] : [step - 1]))
    const queries = Array.from({ length: 2_000 }, (_, i) => ({ of: 99_999 - i, ancestor: i }))
    expect(areAncestors(dependencies, queries).every(Boolean)).toBe(true)
  })
})
