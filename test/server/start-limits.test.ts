/** How large a start may be, and how long it is waited for. */
import { expect, it, vi } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { onceGated } from './gated-step.ts'
import { served } from './served.ts'

const PLAN = `
plan: eat
version: 1.0.0
steps:
  - { id: eat, run: eat }
`

/** A start of exactly so many bytes, most of them in characters of three bytes each. */
function bodyOf(bytes: number): string {
  const [head, tail] = ['{"planId":"eat","input":{"text":"', '"}}']
  const room = bytes - head.length - tail.length
  const wide = '語'.repeat(Math.floor(room / 3))
  return `${head}${wide}${'x'.repeat(room % 3)}${tail}`
}

it.each([
  ['sync', 1_048_576],
  ['async', 10_485_760],
  ['no-such-mode', 10_485_760],
])('mode %s takes %d bytes and not one more, counted in bytes [API-01, X-69]', async (mode, limit) => {
  await using server = await served({ steps: { eat: () => 1 } })
  await server.publish(PLAN)
  const fits = bodyOf(limit)
  expect(Buffer.byteLength(fits)).toBe(limit)
  const taken = await server.call(`POST /v1/executions?mode=${mode}`, { text: fits })
  expect(taken.status, taken.text.slice(0, 300)).toBe(mode === 'sync' ? 200 : 202)
  const refused = await server.call(`POST /v1/executions?mode=${mode}`, { text: bodyOf(limit + 1) })
  expect(refused.status).toBe(413)
  expect(refused.body.error.code).toBe('PAYLOAD_TOO_LARGE')
  const named = mode === 'sync' ? 'sync' : 'async'
  expect(refused.body.error.details).toEqual({ actual: limit + 1, limit, mode: named })
  expect(refused.body.error.message).toContain(`${limit + 1} bytes`)
})

it('a run that takes longer than it is waited for answers 504 with its place, and goes on [API-02, API-11, X-64, X-71]', async () => {
  expect(LIMITS.syncWaitMs).toBe(30_000)
  const gate = onceGated()
  await using server = await served({ steps: { eat: gate.step } })
  await server.publish(PLAN)
  const answer = await server.call('POST /v1/executions', { body: { planId: 'eat' }, headers: { prefer: 'wait=1' } })
  expect(answer.status).toBe(504)
  expect(answer.body.error).toMatchObject({ code: 'TIMEOUT', category: 'TIMEOUT_ERROR' })
  expect(answer.headers.get('retry-after')).toBe('10')
  const location = answer.headers.get('location') ?? ''
  expect(location).toMatch(/^\/v1\/executions\/[0-9a-f-]{36}$/)
  expect((await server.call(`GET ${location}`)).body.status).toBe('RUNNING')
  gate.open()
  await expect.poll(async () => (await server.call(`GET ${location}`)).body.status).toBe('COMPLETED')
})

it('waits for a synchronous start 30 s and no longer, whatever is asked for; an asynchronous one is not limited [API-02]', async () => {
  const { timeout } = AbortSignal
  const limits: { readonly ms: number; readonly end: AbortController }[] = []
  const spied = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    if (ms < 5_000) return timeout.call(AbortSignal, ms)
    const end = new AbortController()
    limits.push({ ms, end })
    return end.signal
  })
  try {
    const gate = onceGated()
    await using server = await served({ steps: { eat: gate.step } })
    await server.publish(PLAN)
    const body = { planId: 'eat' }
    expect((await server.call('POST /v1/executions', { body })).status).toBe(202)
    expect(limits).toEqual([])
    const waits = [
      server.call('POST /v1/executions?mode=sync', { body }),
      server.call('POST /v1/executions', { body, headers: { prefer: 'wait=86400' } }),
    ]
    await expect.poll(() => limits.map(({ ms }) => ms)).toEqual([30_000, 30_000])
    for (const { end } of limits) end.abort(new DOMException('the time is up', 'TimeoutError'))
    const places: string[] = []
    for (const { status, headers, body: told } of await Promise.all(waits)) {
      expect([status, told.error.code, told.error.message]).toEqual([
        504,
        'TIMEOUT',
        expect.stringContaining('has not ended within 30 s; it goes on') as string,
      ])
      places.push(headers.get('location') ?? '')
    }
    gate.open()
    for (const place of places)
      await expect.poll(async () => (await server.call(`GET ${place}`)).body.status).toBe('COMPLETED')
  } finally {
    spied.mockRestore()
  }
})

it('a failed run says when to look again, and a running one too [API-07]', async () => {
  const gate = onceGated()
  const fail = (): never => {
    throw Object.assign(new Error('no'), { retryable: false })
  }
  await using server = await served({
    steps: { eat: (input: { fails?: boolean }) => (input.fails === true ? fail() : gate.step()) },
  })
  await server.publish(
    PLAN.replace('run: eat }', "run: eat, with: { fails: '${input.fails}' }, retry: { maxAttempts: 1 } }"),
  )
  const failed = await server.call('POST /v1/executions?mode=sync', { body: { planId: 'eat', input: { fails: true } } })
  expect(failed.body).toMatchObject({ status: 'FAILED', state: 'failed', error: { code: 'HANDLER_FAILED' } })
  expect((await server.call(`GET ${failed.body.links.self}`)).headers.get('retry-after')).toBe('10')
  const going = await server.call('POST /v1/executions', { body: { planId: 'eat', input: { fails: false } } })
  expect((await server.call(`GET ${going.body.checkUrl}`)).headers.get('retry-after')).toBe('5')
  gate.open()
})
