/** Calls through the door that are cut short: by their caller, by their limits of time, by silence. */
import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { doorTo, heldTimers } from '../../../test/fixtures/door-to.ts'
import { loopback } from '../../../test/fixtures/loopback.ts'
import { never, until } from './door.test.ts'

describe('a call', () => {
  it('does nothing when its signal is aborted already [CAN-05]', async () => {
    const calls: string[] = []
    const send = doorTo([], {
      resolve: (host) => never().finally(() => calls.push(host)),
      connect: () => never().finally(() => calls.push('connect')),
    })
    const asked = send({ url: 'http://a.example/' }, AbortSignal.abort('a reason of somebody'))
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
    expect(calls).toEqual([])
  })

  it('closes its connection when it is aborted before the answer, and in the middle of it [CAN-07]', async () => {
    const server = await loopback((asked, response) => {
      if (asked.url === '/begun') response.write('a beginning')
    })
    const send = doorTo(['127.0.0.1'])
    for (const path of ['/silent', '/begun']) {
      const controller = new AbortController()
      const before = server.asked.length
      const asked = send({ url: server.url + path }, controller.signal)
      const failed = expect(asked).rejects.toThrow('enough')
      await until(() => server.asked.length > before)
      expect(server.open()).toBe(1)
      controller.abort(new Error('enough'))
      await failed
      await until(() => server.open() === 0)
      expect(getEventListeners(controller.signal, 'abort')).toEqual([])
    }
  })

  it('is not followed to its redirect once it is aborted [CAN-07]', async () => {
    const controller = new AbortController()
    const server = await loopback((_asked, response) => {
      response.writeHead(302, { location: '/next' })
      response.end(() => undefined)
      controller.abort(new Error('enough'))
    })
    await expect(doorTo(['127.0.0.1'])({ url: server.url }, controller.signal)).rejects.toThrow('enough')
    expect(server.asked).toHaveLength(1)
  })

  it('has its own limit of 30 s without a word, beside the signal of its caller [CAN-06]', async () => {
    const timers = heldTimers()
    const server = await loopback(() => undefined)
    const send = doorTo(['127.0.0.1'], { timers })
    let ended: unknown
    const first = send({ url: server.url }).catch((thrown: unknown) => (ended = thrown))
    await until(() => server.asked.length === 1)
    timers.pass(29_999)
    await new Promise((resolve) => setImmediate(resolve))
    expect(ended).toBeUndefined()
    timers.pass(1)
    await first
    expect(ended).toMatchObject({ name: 'TimeoutError', code: 'ETIMEDOUT' })
    const controller = new AbortController()
    const second = send({ url: server.url }, controller.signal)
    controller.abort(new Error('the run was cancelled'))
    await expect(second).rejects.toThrow('the run was cancelled')
    expect(timers.waiting()).toBe(0)
  })

  it('gives a name 10 s to be found and connected to', async () => {
    const timers = heldTimers()
    const asked = doorTo([], { timers, resolve: never })({ url: 'http://a.example/' })
    const failed = expect(asked).rejects.toMatchObject({
      name: 'NetworkError',
      code: 'ETIMEDOUT',
      mayHaveHappened: false,
      message: expect.stringContaining('10000 ms') as string,
    })
    timers.pass(10_000)
    await failed
  })

  it('ends when an answer that has begun falls silent, however long it took until then', async () => {
    const timers = heldTimers()
    const steps: string[] = []
    const parts = (async function* slow() {
      for (const part of ['one', 'two', 'three']) {
        timers.pass(29_999)
        steps.push(part)
        yield Buffer.from(part)
      }
      timers.pass(30_000)
      await never()
    })()
    const send = doorTo([], {
      timers,
      resolve: async () => ['93.184.215.14'],
      connect: async ({ signal }) => {
        return { status: 200, headers: {}, parts: abortable(parts, signal), close: () => undefined }
      },
    })
    const message = expect.stringContaining('a.example fell silent within 30000 ms') as string
    await expect(send({ url: 'http://a.example/' })).rejects.toMatchObject({ name: 'TimeoutError', message })
    expect(steps).toEqual(['one', 'two', 'three'])
  })

  it('leaves no listener behind on the signal of its caller, however many there were', async () => {
    const controller = new AbortController()
    const send = doorTo([], {
      resolve: async () => ['93.184.215.14'],
      connect: async () => ({
        status: 200,
        headers: {},
        parts: (async function* nothing() {})(),
        close: () => undefined,
      }),
    })
    await Promise.all(Array.from({ length: 1_000 }, () => send({ url: 'http://a.example/' }, controller.signal)))
    expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  })
})

/** Like a socket: an aborted stream ends with the reason. */
async function* abortable<T>(parts: AsyncGenerator<T>, signal: AbortSignal): AsyncGenerator<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  for (;;) {
    const next = await Promise.race([parts.next(), aborted])
    if (next.done === true) return
    yield next.value
  }
}
