/** The connection is made when first needed, once, says who does not answer, and carries the credentials of the settings. */
import { createServer, type Server } from 'node:net'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { TemporalConnection, credentialsOf } from './connection.ts'
import { checkSettings } from './settings.ts'

let silent: Server | undefined
afterEach(() => silent?.close())

/** Takes connections and says nothing. Answers its address and how many came. */
async function silentServer(): Promise<{ readonly address: string; readonly count: () => number }> {
  let count = 0
  silent = createServer((socket) => {
    count += 1
    socket.on('error', () => undefined)
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const bound = silent.address()
  return { address: `127.0.0.1:${typeof bound === 'object' ? bound?.port : 0}`, count: () => count }
}

async function deadAddress(): Promise<string> {
  const { address } = await silentServer()
  silent?.close()
  await once(silent as Server, 'close')
  return address
}

describe('a server that is not there', () => {
  it('is named with what was to be done, and asked for anew the next time [TMP-14, ADP-06]', async () => {
    const address = await deadAddress()
    const connection = new TemporalConnection(checkSettings({ address, connectTimeoutMs: 300 }))
    const problem = {
      code: 'TEMPORAL_CLIENT_NOT_CONNECTED',
      message: expect.stringContaining(address),
      problems: [{ retryable: true, details: { provider: 'temporal', operation: 'connect', address } }],
    }
    await expect(connection.client()).rejects.toMatchObject(problem)
    await expect(connection.client()).rejects.toMatchObject(problem)
    await expect(connection.native()).rejects.toMatchObject(problem)
    await connection.close()
  })

  it('is connected to once, however many ask, and not before somebody does [TMP-14]', async () => {
    const { address, count } = await silentServer()
    const connection = new TemporalConnection(checkSettings({ address, connectTimeoutMs: 300 }))
    expect(count()).toBe(0)
    const asked = [connection.client(), connection.client(), connection.client()]
    expect(new Set(asked).size).toBe(1)
    for (const one of asked) await expect(one).rejects.toMatchObject({ code: 'TEMPORAL_CLIENT_NOT_CONNECTED' })
    await connection.close()
  })
})

describe('credentials', () => {
  const [ca, certificate, key] = ['ca', 'cert', 'key'].map((text) => Buffer.from(text))
  const pair = { certificate: certificate as Buffer, key: key as Buffer }

  it('of mutual TLS reach the SDK under its names [TMP-14]', () => {
    expect(credentialsOf({ tls: { serverName: 'ns.example', rootCertificate: ca as Buffer, ...pair } })).toEqual({
      tls: {
        serverNameOverride: 'ns.example',
        serverRootCACertificate: ca,
        clientCertPair: { crt: certificate, key },
      },
    })
    expect(credentialsOf({ tls: true })).toEqual({ tls: true })
    expect(credentialsOf({ tls: false })).toEqual({})
    expect(credentialsOf({})).toEqual({})
  })

  it('that are an API key are never sent in the clear [TMP-14]', () => {
    expect(credentialsOf({ apiKey: 'k' })).toEqual({ tls: true, apiKey: 'k' })
    expect(credentialsOf({ apiKey: 'k', tls: { serverName: 's' } })).toEqual({
      tls: { serverNameOverride: 's' },
      apiKey: 'k',
    })
  })
})
