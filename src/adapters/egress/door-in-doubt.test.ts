/** What the door says about a request that failed on the way: had it left, and may the other side have acted on it? */
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { doorTo, heldTimers } from '../../../test/fixtures/door-to.ts'
import { loopback } from '../../../test/fixtures/loopback.ts'
import { LIMITS } from '../../core/limits.ts'
import { ownPort } from '../../../test/setup/own-port.ts'

/** The error the system reports when the other side no longer answers, whether or not a connection was made. */
const outOfTime = (): Promise<never> => Promise.reject(Object.assign(new Error('read'), { code: 'ETIMEDOUT' }))

describe('a connection that breaks', () => {
  const told = async (asked: Promise<unknown>): Promise<unknown> =>
    asked.then(
      () => 'answered',
      (thrown: { readonly mayHaveHappened?: boolean }) => thrown.mayHaveHappened,
    )

  it('says so when the request had left, before the answer and in the middle of it [P-28]', async () => {
    const cut = await loopback((_asked, response) => response.socket?.resetAndDestroy())
    const short = await loopback((_asked, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('ten bytes.', () => response.destroy())
    })
    const send = doorTo(['127.0.0.1'])
    expect(await told(send({ url: cut.url, method: 'POST', body: '1' }))).toBe(true)
    expect(await told(send({ url: short.url, method: 'POST', body: '1' }))).toBe(true)
    expect([cut.asked.length, short.asked.length]).toEqual([1, 1])
  })

  it('says no when the request never left: no name, nobody there, no TLS, or only its redirect failed [P-28]', async () => {
    const silent = createServer((socket) => socket.once('data', () => socket.destroy()))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const nobody = await ownPort()
    const away = await loopback((_asked, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${nobody}/` })
      response.end()
    })
    const send = doorTo(['127.0.0.1', 'nowhere.invalid'], {
      resolve: () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })),
    })
    const urls = ['http://nowhere.invalid', `http://127.0.0.1:${nobody}`, `https://127.0.0.1:${port}`, away.url]
    for (const url of urls) expect([url, await told(send({ url, method: 'POST', body: '1' }))]).toEqual([url, false])
    silent.close()
  })
})

describe('time that is up', () => {
  it('before the connection stands, or its TLS, is a connection that could not be made [P-28, RTY-03]', async () => {
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const reached = new Promise((resolve) => silent.once('connection', resolve))
    const timers = heldTimers()
    const unmade = doorTo(['a.example'], { timers, resolve: async () => ['127.0.0.1'], connect: outOfTime })
    const handshake = doorTo(['127.0.0.1'], { timers })({ url: `https://127.0.0.1:${port}`, method: 'POST', body: '1' })
    const unmadeInTime = { name: 'NetworkError', code: 'ETIMEDOUT', mayHaveHappened: false }
    await expect(unmade({ url: 'http://a.example', method: 'POST', body: '1' })).rejects.toMatchObject(unmadeInTime)
    await reached
    const failed = expect(handshake).rejects.toMatchObject(unmadeInTime)
    timers.pass(LIMITS.egressSilenceMs)
    await failed
    silent.close()
  })

  it('once the request has left is a timeout [P-28]', async () => {
    const sent = doorTo(['127.0.0.1'], {
      connect: ({ onSending }) => (onSending(), outOfTime()),
    })
    const asked = sent({ url: 'http://127.0.0.1:9', method: 'POST', body: '1' })
    await expect(asked).rejects.toMatchObject({ name: 'TimeoutError', code: 'ETIMEDOUT' })
  })
})
