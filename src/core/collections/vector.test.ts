/** The persistent vector against a plain map: every version keeps its content. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { vectorGet, vectorGrow, vectorOf, vectorSet, type Vector } from './vector.ts'
import { SEED as seed } from '../../../test/setup/seed.ts'

const length = fc.constantFrom(1, 31, 32, 33, 1023, 1024, 1025, 40_000)

describe('a vector', () => {
  it('reads what was last written at each position, and undefined elsewhere', () => {
    const writes = length.chain((size) =>
      fc.tuple(fc.constant(size), fc.array(fc.tuple(fc.nat(size - 1), fc.integer()), { maxLength: 200 })),
    )
    fc.assert(
      fc.property(writes, ([size, pairs]) => {
        const model = new Map(pairs)
        const vector = pairs.reduce<Vector<number>>(
          (all, [index, value]) => vectorSet(all, index, value),
          vectorOf(size),
        )
        for (const [index] of pairs)
          for (const near of [index - 1, index, index + 1]) {
            if (near >= 0 && near < size) expect(vectorGet(vector, near)).toBe(model.get(near))
          }
      }),
      { seed },
    )
  })

  it('leaves every earlier version as it was', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(2000), fc.integer()), { minLength: 1, maxLength: 60 }), (pairs) => {
        const versions: { vector: Vector<number>; model: Map<number, number> }[] = [
          { vector: vectorOf(2001), model: new Map() },
        ]
        for (const [index, value] of pairs) {
          const last = versions.at(-1) ?? { vector: vectorOf<number>(2001), model: new Map<number, number>() }
          versions.push({ vector: vectorSet(last.vector, index, value), model: new Map(last.model).set(index, value) })
        }
        for (const { vector, model } of versions)
          for (const [index] of pairs) expect(vectorGet(vector, index)).toBe(model.get(index))
      }),
      { seed },
    )
  })

  it('keeps everything where it is when it grows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(39), { maxLength: 40 }),
        fc.constantFrom(40, 1024, 1025, 33_000, 100_000),
        (indexes, grown) => {
          const small = indexes.reduce<Vector<number>>((all, index) => vectorSet(all, index, index), vectorOf(40))
          const big = vectorSet(vectorGrow(small, grown), grown - 1, -1)
          for (let index = 0; index < 39; index += 1)
            expect(vectorGet(big, index)).toBe(indexes.includes(index) ? index : undefined)
          expect(vectorGet(big, grown - 1)).toBe(-1)
          expect(big.length).toBe(grown)
        },
      ),
      { seed },
    )
  })
})
