/** Bodies whose text is small beside what reading it would cost: refused at a limit, with the place. */
import { expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { served } from './served.ts'

it('takes as many keys as the limit says, and refuses one more and what is nested too deep, with the place [API-13, API-14]', async () => {
  await using server = await served({ steps: { pack: () => 'packed' } })
  await server.publish('plan: packs\nversion: 1.0.0\nsteps: [{ id: pack, run: pack }]\n')
  // `planId`, `input` and these.
  const withKeys = (count: number): string =>
    `{"planId": "packs", "input": {${Array.from({ length: count - 2 }, (_one, at) => `"k${at}":1`).join(',')}}}`
  const most = await server.call('POST /v1/executions', { text: withKeys(LIMITS.bodyKeys) })
  expect(most.status).toBe(202)
  const deep = `{"planId": "packs", "input": ${'['.repeat(2_000)}${']'.repeat(2_000)}}`
  for (const [text, why] of [
    [withKeys(LIMITS.bodyKeys + 1), `it has more than ${LIMITS.bodyKeys} keys (line 1, column `],
    [deep, 'it is nested more than 1000 levels deep (line 1, column '],
    [`{"a": ${'{"b":'.repeat(1_001)}1${'}'.repeat(1_001)}}`, 'nested more than 1000 levels deep'],
  ] as const) {
    const refused = await server.call('POST /v1/executions', { text })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'BODY_INVALID'])
    expect(refused.body.error.message).toContain(why)
  }
  expect(server.told).toEqual([])
})

it('has its length and no charset in every answer, also in refusals, and goes in one piece [API-03]', async () => {
  await using server = await served({ steps: {} })
  const asked = [
    'GET /v1/executions',
    'GET /v1/executions/nobody',
    'POST /v1/executions',
    'PATCH /v1/me',
    'GET /nowhere',
  ]
  for (const line of [...asked, 'GET /healthz', 'GET /openapi.json']) {
    const { headers, text, status } = await server.call(line)
    const seen = {
      type: headers.get('content-type'),
      length: headers.get('content-length'),
      in: headers.get('transfer-encoding'),
    }
    expect([line, seen]).toEqual([
      line,
      { type: 'application/json', length: String(Buffer.byteLength(text)), in: null },
    ])
    expect([line, status === 200]).toEqual([line, /executions$|healthz|openapi/.test(line) && line.startsWith('GET')])
  }
  const [method, path] = ['HEAD', '/v1/executions']
  const head = await fetch(`${server.url}${path}`, { method })
  expect([head.status, await head.text()]).toEqual([405, ''])
})
