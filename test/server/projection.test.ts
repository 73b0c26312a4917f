/** What a reader is told of a run while many others are started: every event that anybody has seen is in the next answer. */
import { expect, it } from 'vitest'
import { testFolder } from '../fixtures/folder.ts'
import { served } from './served.ts'
import { follow } from './sse.ts'

const PLAN = `
plan: chain
version: 1.0.0
steps:
${Array.from({ length: 10 }, (_, n) => `  - { id: s${n}, run: work }`).join('\n')}
`
const RUNS = 60
const WATCHED = 6

/**
 * The allowance is one second. An answer that has every event which was on record when it was asked for is behind by nothing, however slow
 * the machine is, so no time is measured here.
 */
it('an answer is never behind an event that was told before, under a load of starts [PRF-03]', async () => {
  await using server = await served({ directory: testFolder(), steps: { work: () => 1 } })
  await server.publish(PLAN)
  const started = await Promise.all(
    Array.from({ length: RUNS }, async () => {
      const { body } = await server.call('POST /v1/executions', { body: { planId: 'chain' } })
      return String(body.executionId)
    }),
  )
  let compared = 0
  const behind: string[] = []
  const watch = async (run: string): Promise<void> => {
    await using reader = await follow(server.url, `/v1/executions/${run}/stream`)
    for (let message = await reader.next(); message !== undefined; message = await reader.next()) {
      if (message.event === undefined) continue
      const [{ body: snapshot }, { body: execution }] = await Promise.all([
        server.call(`GET /v1/executions/${run}/snapshot`),
        server.call(`GET /v1/executions/${run}`),
      ])
      compared += 1
      for (const seq of [snapshot.snapshot.lastEventSeq, execution.lastEventSeq])
        if (seq < Number(message.id)) behind.push(`${run}: ${seq} after ${message.id ?? ''}`)
      if (message.event === 'end') expect(execution.status).toBe('COMPLETED')
    }
  }
  await Promise.all(started.slice(0, WATCHED).map(watch))
  expect(behind).toEqual([])
  // Approved, started, ten steps of two events, completed, and the end of the stream.
  expect(compared).toBe(WATCHED * 24)
  await expect
    .poll(async () => (await server.call('GET /v1/executions/counts')).body.COMPLETED, { timeout: 120_000 })
    .toBe(RUNS)
  await expect
    .poll(async () => (await server.call('GET /metrics', { as: '' })).text, { timeout: 120_000 })
    .toContain('dvt_projection_lag_events 0')
})
