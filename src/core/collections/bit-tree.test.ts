/** The persistent set of small integers against a plain Set. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bitAdd, bitGrow, bitHas, bitMembers, bitNext, bitRange, bitRemove, bitTree, type BitTree } from './bit-tree.ts'
import { SEED as seed } from '../../../test/setup/seed.ts'

const ascending = (set: ReadonlySet<number>): number[] => [...set].sort((a, b) => a - b)
const from = (members: Iterable<number>, capacity: number): BitTree => [...members].reduce(bitAdd, bitTree(capacity))

const capacities = fc.constantFrom(1, 31, 32, 33, 64, 1024, 1025, 40_000)
const moves = capacities.chain((capacity) => {
  const move = fc.record({ add: fc.boolean(), index: fc.nat(capacity - 1) })
  return fc.record({ capacity: fc.constant(capacity), moves: fc.array(move, { maxLength: 150 }) })
})

describe('a bit tree', () => {
  it('holds exactly what was added and not removed, in ascending order', () => {
    fc.assert(
      fc.property(moves, ({ capacity, moves: all }) => {
        const model = new Set<number>()
        let tree = bitTree(capacity)
        for (const { add, index } of all) {
          tree = add ? bitAdd(tree, index) : bitRemove(tree, index)
          if (add) model.add(index)
          else model.delete(index)
          expect(bitHas(tree, index)).toBe(add)
        }
        expect([...bitMembers(tree)]).toEqual(ascending(model))
        expect(tree.size).toBe(model.size)
      }),
      { seed },
    )
  })

  it('finds the smallest member not below a number', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(2000)), fc.nat(2100), (members, start) => {
        const expected = ascending(new Set(members)).find((member) => member >= start) ?? -1
        expect(bitNext(from(members, 2001), start)).toBe(expected)
      }),
      { seed },
    )
  })

  it('leaves every earlier version as it was', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(1500)), fc.nat(1500), (members, other) => {
        const before = from(members, 1501)
        bitAdd(before, other)
        bitRemove(before, other)
        bitGrow(before, 50_000)
        expect([...bitMembers(before)]).toEqual(ascending(new Set(members)))
      }),
      { seed },
    )
  })

  it('keeps its members when it grows and takes larger ones', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(31)), fc.constantFrom(33, 1024, 1025, 32_769, 100_000), (members, capacity) => {
        const grown = bitAdd(bitGrow(from(members, 32), capacity), capacity - 1)
        expect([...bitMembers(grown)]).toEqual(ascending(new Set([...members, capacity - 1])))
      }),
      { seed },
    )
  })

  it.each([0, 1, 31, 32, 33, 1023, 1024, 1025, 33_000])(
    'makes the range of %i numbers, which can then shrink and regrow',
    (count) => {
      const range = bitRange(count)
      expect(range.size).toBe(count)
      expect([...bitMembers(range)]).toEqual(Array.from({ length: count }, (_, index) => index))
      if (count === 0) return
      const without = bitRemove(range, count - 1)
      expect(bitHas(without, count - 1)).toBe(false)
      expect([...bitMembers(bitAdd(without, count - 1))]).toHaveLength(count)
    },
  )
})
