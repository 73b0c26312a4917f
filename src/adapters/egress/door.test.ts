/** The one door out: requests, redirects, limits of size, failures under way. */
import { describe, expect, it } from 'vitest'
import { doorTo } from '../../../test/fixtures/door-to.ts'
import { loopback } from '../../../test/fixtures/loopback.ts'
import { LIMITS } from '../../core/limits.ts'
import { ownPort } from '../../../test/setup/own-port.ts'

export const never = (): Promise<never> => new Promise(() => undefined)
export async function until(look: () => boolean): Promise<void> {
  while (!look()) await new Promise((resolve) => setImmediate(resolve))
}

describe('a request through the door', () => {
  it('arrives as it was asked for, and its answer comes back whole', async () => {
    const server = await loopback((_asked, response) => {
      response.writeHead(201, { 'x-many': ['a', 'b'], 'content-type': 'text/plain' })
      response.end('für dich')
    })
    const answer = await doorTo(['127.0.0.1'])({
      url: `${server.url}/a%20b?c=d#e`,
      method: 'PUT',
      headers: { 'X-Own': 'ä' },
      body: '{"n":"ü"}',
    })
    expect(server.asked).toMatchObject([
      { method: 'PUT', url: '/a%20b?c=d', body: '{"n":"ü"}', headers: { host: `127.0.0.1:${server.port}` } },
    ])
    expect(server.asked[0]?.headers['content-length']).toBe('10')
    expect(answer).toMatchObject({ status: 201, headers: { 'x-many': 'a, b' } })
    expect(new TextDecoder().decode(answer.body)).toBe('für dich')
  })

  it('goes to the address that was judged, under the name that was asked for', async () => {
    const server = await loopback((_asked, response) => response.end('ok'))
    const send = doorTo(['inner.example'], { resolve: async () => ['127.0.0.1'] })
    await send({ url: `http://inner.example:${server.port}/` })
    expect(server.asked[0]?.headers.host).toBe(`inner.example:${server.port}`)
  })

  it.each(['host', 'Content-Length', 'transfer-encoding', 'Connection', 'proxy-authorization'])(
    'may not set the header %s itself',
    async (name) => {
      const server = await loopback((_asked, response) => response.end())
      const asked = doorTo(['127.0.0.1'])({ url: server.url, headers: { [name]: '1' } })
      await expect(asked).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
      expect(server.asked).toEqual([])
    },
  )

  it.each([
    ['a\r\nx-injected: 1', 'a value'],
    ['a\nb', 'a value'],
    ['\u0000', 'a value'],
  ])('refuses a header whose value would begin another one (%j), without telling the value', async (value) => {
    const server = await loopback((_asked, response) => response.end())
    const asked = doorTo(['127.0.0.1'])({ url: server.url, headers: { 'x-token': value } })
    await expect(asked).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      message: "REQUEST_INVALID: the header 'x-token' has a name or a value that cannot be sent",
    })
    expect(server.asked).toEqual([])
  })

  it('stops reading an answer that is larger than 10 MiB, and closes the connection', async () => {
    const chunk = Buffer.alloc(1024 * 1024)
    const server = await loopback((_asked, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
    await expect(doorTo(['127.0.0.1'])({ url: server.url })).rejects.toMatchObject({ code: 'RESPONSE_TOO_LARGE' })
    await until(() => server.open() === 0)
  })

  it('takes an answer of exactly 10 MB', async () => {
    const server = await loopback((_asked, response) => response.end(Buffer.alloc(LIMITS.egressAnswerBytes)))
    expect((await doorTo(['127.0.0.1'])({ url: server.url })).body).toHaveLength(10_485_760)
  })
})

describe('a redirect', () => {
  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [303, 'HEAD', 'HEAD', ''],
    [301, 'PUT', 'PUT', 'data'],
    [307, 'POST', 'POST', 'data'],
    [308, 'POST', 'POST', 'data'],
  ])('with status %i after %s asks again with %s', async (status, method, then, body) => {
    const server = await loopback((asked, response) => {
      if (asked.url === '/from') response.writeHead(status, { location: '/to' })
      response.end()
    })
    await doorTo(['127.0.0.1'])({
      url: `${server.url}/from`,
      method,
      headers: { authorization: 'mine', 'content-type': 'text/plain' },
      ...(method === 'HEAD' ? {} : { body: 'data' }),
    })
    expect(server.asked[1]).toMatchObject({ method: then, url: '/to', body, headers: { authorization: 'mine' } })
    expect(server.asked[1]?.headers['content-type'] === undefined).toBe(then === 'GET')
  })

  it('to another host takes along neither credentials nor headers of the plan’s own', async () => {
    const other = await loopback((_asked, response) => response.end())
    const server = await loopback((_asked, response) => {
      response.writeHead(307, { location: `${other.url}/there` })
      response.end()
    })
    const headers = { authorization: 'a', cookie: 'b', 'x-api-key': 'c', accept: 'text/plain', 'idempotency-key': 'k' }
    await doorTo(['127.0.0.1'])({ url: server.url, method: 'POST', headers, body: 'data' })
    const [seen] = other.asked
    expect(seen).toMatchObject({
      method: 'POST',
      body: 'data',
      headers: { accept: 'text/plain', 'idempotency-key': 'k' },
    })
    expect(Object.keys(seen?.headers ?? {})).not.toEqual(expect.arrayContaining(['authorization']))
    expect([seen?.headers.cookie, seen?.headers.authorization, seen?.headers['x-api-key']]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('to a place that is not open is not followed', async () => {
    const inner = await loopback((_asked, response) => response.end('secret'))
    const server = await loopback((_asked, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${inner.port}/` })
      response.end()
    })
    const asked = doorTo([`127.0.0.1:${server.port}`])({ url: server.url })
    await expect(asked).rejects.toMatchObject({ code: 'EGRESS_REFUSED' })
    expect(inner.open()).toBe(0)
    expect(inner.asked).toEqual([])
  })

  it('is followed five times and no sixth', async () => {
    const server = await loopback((asked, response) => {
      const left = Number(asked.url.slice(1))
      if (left > 0) response.writeHead(302, { location: `/${left - 1}` })
      response.end()
    })
    const send = doorTo(['127.0.0.1'])
    expect((await send({ url: `${server.url}/5` })).url).toBe(`${server.url}/0`)
    await expect(send({ url: `${server.url}/6` })).rejects.toMatchObject({ code: 'REDIRECT_REFUSED' })
    expect(server.asked).toHaveLength(12)
  })

  it('from https to http is not followed', async () => {
    const connects: string[] = []
    const send = doorTo([], {
      resolve: async () => ['93.184.215.14'],
      connect: async ({ url }) => {
        connects.push(url.href)
        const parts = (async function* nothing() {})()
        return { status: 302, headers: { location: 'http://a.example/' }, parts, close: () => undefined }
      },
    })
    await expect(send({ url: 'https://a.example/' })).rejects.toMatchObject({ code: 'REDIRECT_REFUSED' })
    expect(connects).toEqual(['https://a.example/'])
  })
})

describe('what fails under way', () => {
  it('is a NetworkError with the code of the connection', async () => {
    const closed = await loopback((_asked, response) => response.end())
    const cut = await loopback((_asked, response) => response.socket?.resetAndDestroy())
    const short = await loopback((_asked, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('ten bytes.', () => response.destroy())
    })
    const nobody = `http://127.0.0.1:${await ownPort()}`
    const send = doorTo(['127.0.0.1', 'nowhere.invalid'], {
      resolve: () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })),
    })
    await send({ url: closed.url })
    await expect(send({ url: nobody })).rejects.toMatchObject({ name: 'NetworkError', code: 'ECONNREFUSED' })
    await expect(send({ url: cut.url })).rejects.toMatchObject({ name: 'NetworkError', code: 'ECONNRESET' })
    await expect(send({ url: short.url })).rejects.toMatchObject({ name: 'NetworkError', code: 'ECONNRESET' })
    const unknown = send({ url: 'http://nowhere.invalid/' })
    await expect(unknown).rejects.toMatchObject({ name: 'NetworkError', code: 'ENOTFOUND' })
  })
})
