/** Reads asked together: one statement serves all, and no answer comes from a read that left before the question. */
import { describe, expect, it } from 'vitest'
import { AskedTogether } from './session.ts'

/** A server that is reached when `connect` is called, and answers with what it knows by then. */
function server() {
  const known = new Map<string, number>()
  const left: (readonly string[])[] = []
  const waiting: { readonly connect: () => void; readonly refuse: (why: Error) => void }[] = []
  const reads = new AskedTogether<string, number>(async (keys) => {
    await new Promise<void>((resolve, reject) => waiting.push({ connect: resolve, refuse: reject }))
    left.push(keys())
    const then = new Map(known)
    return (key) => then.get(key) ?? 0
  })
  return { known, left, reads, next: () => waiting.shift() }
}

describe('reads asked together', () => {
  it('leave as one, each asker with the answer to its own question', async () => {
    const { known, left, reads, next } = server()
    known.set('a', 1).set('b', 2)
    const answers = Promise.all(['a', 'b', 'a', 'c'].map((key) => reads.of(key)))
    next()?.connect()
    expect(await answers).toEqual([1, 2, 1, 0])
    expect(left).toEqual([['a', 'b', 'c']])
  })

  it('see what was written before the question, also while an earlier read is on its way', async () => {
    const { known, left, reads, next } = server()
    const early = reads.of('a')
    const first = next()
    first?.connect()
    await Promise.resolve()
    known.set('a', 1)
    const late = reads.of('a')
    next()?.connect()
    expect([await early, await late]).toEqual([0, 1])
    expect(left).toEqual([['a'], ['a']])
  })

  it('fail together, and whoever asks afterwards has a read of its own', async () => {
    const { known, reads, next } = server()
    const failed = Promise.allSettled([reads.of('a'), reads.of('b')])
    next()?.refuse(new Error('no connection'))
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    known.set('a', 1)
    const again = reads.of('a')
    next()?.connect()
    expect(await again).toBe(1)
  })
})
