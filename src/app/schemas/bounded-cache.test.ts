import { describe, expect, it } from 'vitest'
import { BoundedCache } from './bounded-cache.ts'

describe('a bounded cache', () => {
  it('forgets what was used longest ago, never what was just used', () => {
    const cache = new BoundedCache<string, number>(2)
    cache.set('a', 1)
    cache.set('b', 2)
    expect(cache.get('a')).toBe(1)
    cache.set('c', 3)
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3])
  })
})
