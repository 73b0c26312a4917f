/** Thousands of requests at random at a real process: it refuses what is wrong, breaks never, and needs no more memory than before. */
import { Agent, request } from 'node:http'
import { expect, it } from 'vitest'
import { isProblemCode } from '../../src/core/problems/registry.ts'
import { testFolder } from '../fixtures/folder.ts'
import { randomSource } from '../fuzz/random-source.ts'
import { extent } from '../setup/extent.ts'
import { SEED as seed } from '../setup/seed.ts'
import { fuzzed } from './fuzzed.ts'
import { fuzzedRequest, type FuzzedRequest } from './fuzzed-requests.ts'
import { BOUND } from './peopled.ts'
import { isStream } from './sample-requests.ts'
import { ANA } from './served.ts'

const COUNT = extent(3_000, 100_000)
const AT_ONCE = 8
/** Only what hangs meets it. */
const PATIENCE_MS = 20_000
const MAY_GROW_BYTES = extent(32, 96) * 1024 * 1024
/** Streams of runs that go on do not end; they are asked for by other tests. */
const ROUTES = BOUND.filter((contract) => !isStream(contract))

interface Answer {
  readonly status: number
  readonly type: string
  readonly correlation: string
  readonly text: string
}

it(`${COUNT.toLocaleString('en')} requests at random: none is answered 5xx, memory is flat, health is green [API-13, API-14]`, async () => {
  await using server = await fuzzed(testFolder())
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const random = randomSource(seed)
  const statuses = new Map<number, number>()
  let sent = 0
  const batch = async (count: number): Promise<void> => {
    const one = async (): Promise<void> => {
      while (sent < count) {
        sent += 1
        const contract = ROUTES[random.below(ROUTES.length)]
        if (contract === undefined) throw new Error('no route has a handler')
        const asked = fuzzedRequest(contract, server.names, ANA, random)
        const answer = await ask(server.url, agent, asked)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        judge(asked, answer)
      }
    }
    // After the first failure nobody sends more.
    const ending = (thrown: unknown): never => {
      sent = COUNT
      throw thrown
    }
    await Promise.all(Array.from({ length: AT_ONCE }, () => one().catch(ending)))
  }
  await batch(Math.floor(COUNT / 3))
  const before = await server.health()
  await batch(COUNT)
  const after = await server.health()
  const health = await ask(server.url, agent, { method: 'GET', target: '/healthz', headers: {} })
  agent.destroy()
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status} × ${count}`)
  process.stdout.write(`fuzzed requests: ${counts.join(', ')} (KEELSON_SEED=${seed})\n`)
  expect({ alive: server.isAlive(), health: health.status, told: after.told }).toEqual({
    alive: true,
    health: 200,
    told: [],
  })
  expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([])
  // Both kinds must have been met, or nothing was tried.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(COUNT / 20)
  expect(statuses.get(400) ?? 0).toBeGreaterThan(COUNT / 20)
  expect(after.heapBytes - before.heapBytes).toBeLessThan(MAY_GROW_BYTES)
}, 3_600_000)

/** Every refusal has a registered code and the id that the log has it under. */
function judge(asked: FuzzedRequest, { status, type, correlation, text }: Answer): void {
  const told = `${asked.method} ${asked.target.slice(0, 300)} ${JSON.stringify(asked.headers)} ${asked.body?.subarray(0, 300).toString()}`
  if (status >= 500) throw new Error(`${status} for ${told}\n${text}`)
  if (status < 400 || asked.method === 'HEAD' || correlation === '') return
  const { error, title, correlationId, instance } = JSON.parse(text) as {
    readonly error?: { readonly code: string }
    readonly title?: string
    readonly correlationId?: string
    readonly instance?: string
  }
  const isProblem = type === 'application/problem+json'
  if (!isProblem && type !== 'application/json') throw new Error(`a refusal of type ${type} for ${told}`)
  if (!isProblemCode((isProblem ? title : error?.code) ?? '') || (isProblem ? instance : correlationId) !== correlation)
    throw new Error(`a bare refusal for ${told}\n${text}`)
}

function ask(url: string, agent: Agent, { method, target, headers, body }: FuzzedRequest): Promise<Answer> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sending = request({
      agent,
      hostname,
      port,
      method,
      path: target,
      headers,
      setHost: headers['host'] === undefined,
    })
    sending.on('error', reject)
    sending.setTimeout(PATIENCE_MS, () => sending.destroy(new Error(`no answer to ${method} ${target.slice(0, 300)}`)))
    sending.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const { 'content-type': type = '', 'x-correlation-id': correlation = '' } = response.headers
        const text = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode ?? 0, type, correlation: String(correlation), text })
      })
    })
    sending.end(body)
  })
}
