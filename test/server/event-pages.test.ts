/** Pages of events over HTTP are bounded by bytes as well: many large events are many pages, and none is left out. */
import { expect, it } from 'vitest'
import { LIMITS } from '../../src/core/limits.ts'
import { ended } from './far-steps.ts'
import { served } from './served.ts'

const STEPS = 170
const CHARS = 60_000
const LARGE = `plan: large\nversion: 1.0.0\nsteps:\n${Array.from({ length: STEPS }, (_, n) => `  - { id: s${n}, run: large }`).join('\n')}\n`

it('a page of large events ends early, says where to go on, and the pages are the log', async () => {
  await using server = await served({ steps: { large: () => 'x'.repeat(CHARS) } })
  await server.publish(LARGE)
  const { body } = await server.call('POST /v1/executions', { body: { planId: 'large' } })
  await ended(server, body.executionId, 'COMPLETED')
  const seqs: number[] = []
  let pages = 0
  for (let after = 0, isOver = false; !isOver; pages += 1) {
    const page = await server.call(`GET /v1/executions/${body.executionId}/events?limit=1000&after=${after}`)
    expect(page.text.length).toBeLessThan(LIMITS.eventPageBytes + 1_000)
    const events = page.body.events as readonly { readonly runSeq: number }[]
    for (const { runSeq } of events) seqs.push(runSeq)
    expect(page.body.next).toBe(seqs.at(-1))
    after = page.body.next
    isOver = page.body.ended
  }
  expect(pages).toBe(2)
  expect(seqs).toEqual(seqs.map((_, index) => index + 1))
  expect(seqs.length).toBeGreaterThan(2 * STEPS)
  const path = `GET /v1/executions/${body.executionId}/events?limit=70&upTo=60&after=0`
  const part = (await server.call(path)).body.events as readonly { readonly runSeq: number }[]
  expect(part.map(({ runSeq }) => runSeq)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1))
})
