/** The queue's seven operations, each with order kept. */
import { describe, expect, it } from 'vitest'
import { ReadyQueue } from './ready-queue.ts'

function queueOf(...entries: readonly (readonly [string, number?])[]): ReadyQueue<string> {
  const queue = new ReadyQueue<string>()
  for (const [value, priority] of entries) queue.enqueue(value, priority)
  return queue
}

describe('the ready queue', () => {
  it('gives out lower priorities first and equal ones in the order they came [SCH-03, SCH-13]', () => {
    const queue = queueOf(['b', 1], ['a', 0], ['c', 1], ['urgent', -5], ['d', 1])
    expect([queue.dequeue(), queue.dequeue(), queue.dequeue(), queue.dequeue(), queue.dequeue()]).toEqual([
      'urgent',
      'a',
      'b',
      'c',
      'd',
    ])
    expect(queue.dequeue()).toBeUndefined()
  })

  it('takes no priority for 0: both interleave first in, first out [SCH-03]', () => {
    expect(queueOf(['a'], ['b', 0], ['c'], ['d', 0]).drain()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('peeks and counts without taking [SCH-13]', () => {
    const queue = queueOf(['a'], ['b'])
    expect([queue.peek(), queue.peek(), queue.size]).toEqual(['a', 'a', 2])
    expect(queueOf().peek()).toBeUndefined()
  })

  it('removes by predicate and keeps the order of the rest [SCH-13, X-61]', () => {
    const queue = queueOf(['a', 2], ['b', 1], ['c', 2], ['d', 1])
    expect(queue.remove((value) => value === 'a' || value === 'd')).toEqual(['d', 'a'])
    expect(queue.remove(() => false)).toEqual([])
    expect(queue.drain()).toEqual(['b', 'c'])
  })

  it('filters without changing and drains everything, and nothing behind a picked one is lost [SCH-13, X-61]', () => {
    const queue = queueOf(['a', 1], ['b'], ['c'])
    expect(queue.filter((value) => value !== 'b')).toEqual(['c', 'a'])
    expect(queue.size).toBe(3)
    expect(queue.drain()).toEqual(['b', 'c', 'a'])
    expect([queue.size, queue.drain()]).toEqual([0, []])
  })
})
