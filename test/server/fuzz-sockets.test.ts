/** Sockets that no proper client opens: no hidden request is ever served, the next ordinary one always is, and no socket stays. */
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { testFolder } from '../fixtures/folder.ts'
import { randomSource } from '../fuzz/random-source.ts'
import { extent } from '../setup/extent.ts'
import { SEED as seed } from '../setup/seed.ts'
import { fuzzed } from './fuzzed.ts'
import { MARK, socketCase, type SocketCase } from './malformed-sockets.ts'

const COUNT = extent(400, 20_000)
const AT_ONCE = 8
/** Only what hangs meets it: a slow answer is waited for. */
const PATIENCE_MS = 30_000
const MAY_GROW_BYTES = 32 * 1024 * 1024

it(`${COUNT.toLocaleString('en')} malformed sockets: nothing hidden is served, everybody else is [API-14, API-15]`, async () => {
  await using server = await fuzzed(testFolder())
  const random = randomSource(seed)
  const { port } = new URL(server.url)
  const statuses = new Map<string, number>()
  const before = await server.health()
  let at = 0
  const one = async (): Promise<void> => {
    while (at < COUNT) {
      const given = socketCase(at++, random)
      const text = await answerTo(Number(port), given)
      for (const status of judged(given, text)) statuses.set(status, (statuses.get(status) ?? 0) + 1)
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    }
  }
  const ending = (thrown: unknown): never => {
    at = COUNT
    throw thrown
  }
  await Promise.all(Array.from({ length: AT_ONCE }, () => one().catch(ending)))
  const counts = [...statuses].sort().map(([status, count]) => `${status} × ${count}`)
  process.stdout.write(`malformed sockets: ${counts.join(', ')} (KEELSON_SEED=${seed})\n`)
  // The connections of this test's own fetch stay open for a while.
  await expect.poll(async () => (await server.health()).sockets).toBeLessThanOrEqual(before.sockets + AT_ONCE)
  const after = await server.health()
  expect({ alive: server.isAlive(), told: after.told }).toEqual({ alive: true, told: [] })
  expect(after.heapBytes - before.heapBytes).toBeLessThan(MAY_GROW_BYTES)
}, 3_600_000)

/** The statuses that were answered. */
function judged({ name, served }: SocketCase, text: string): readonly string[] {
  if (text.includes(MARK)) throw new Error(`${name}: the hidden request was answered:\n${text}`)
  const found = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status ?? '')
  if (found.some((status) => status.startsWith('5')))
    throw new Error(`${name}: answered with ${found.join()}:\n${text}`)
  if (served !== undefined && found.join() !== Array.from({ length: served }, () => '200').join())
    throw new Error(`${name}: ${served} answers were due, not ${found.join()}`)
  return found
}

/** Everything that the server sends until the socket is closed, or until all that is due has come. */
function answerTo(port: number, given: SocketCase): Promise<string> {
  const { name, bytes, afterwards, served = 0 } = given
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const hung = setTimeout(() => {
      socket.destroy()
      reject(new Error(`${name}: neither answered nor closed:\n${text}`))
    }, PATIENCE_MS)
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (served > 0 && (text.match(/HTTP\/1\.1 \d{3} /g) ?? []).length >= served) socket.end()
    })
    socket.on('end', () => socket.end())
    // A server that closes while it is still being sent to resets the connection.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(hung)
      resolve(text)
    })
    socket.on('connect', () => {
      if (afterwards === 'slowly') return sendSlowly(bytes, (byte) => socket.writable && socket.write(byte))
      socket.write(bytes, () => (afterwards === 'leave' ? socket.destroy() : socket.end()))
    })
  })
}

/** One byte for each turn of the loop. */
function sendSlowly(bytes: Buffer, write: (byte: Buffer) => unknown, at = 0): void {
  if (at >= bytes.length) return
  write(bytes.subarray(at, at + 1))
  setImmediate(() => sendSlowly(bytes, write, at + 1))
}
