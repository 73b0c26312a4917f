/** A program that shows a run: `watch` of the client against a real server, over a network that loses and delays what it carries. */
import { expect, it } from 'vitest'
import { connect, type ShownRun } from '../../src/client/connect.ts'
import { RUN_TRANSITIONS } from '../../src/core/run/state/transitions.ts'
import { allOf } from './all-of.ts'
import { gate, MANY, numbers, stepsWith } from './long-runs.ts'
import { ANA, served, type Served } from './served.ts'

type Fetch = typeof fetch

interface Network {
  /** Numbers of events that the stream of events never brings. */
  readonly lost?: ReadonlySet<number>
  /** So many answers about the log that have nothing new yet: they come from a copy that is behind. */
  late?: number
  /** What the answer about the run says of its engine. */
  readonly substatus?: string
  /** From where the log was asked for. */
  readonly asked: number[]
}

const withoutLost =
  (lost: ReadonlySet<number>) =>
  (messages: string): string =>
    messages
      .split(/(?<=\n\n)/)
      .filter((message) => !lost.has(Number(/^id: (\d+)$/m.exec(message)?.[1])))
      .join('')

/** The messages of a stream, whole ones at a time. */
function changed(body: ReadableStream<Uint8Array>, change: (messages: string) => string): ReadableStream<Uint8Array> {
  let rest = ''
  const decoder = new TextDecoder()
  const whole = new TransformStream<Uint8Array, Uint8Array>({
    transform(part, out) {
      rest += decoder.decode(part, { stream: true })
      const end = rest.lastIndexOf('\n\n') + 2
      if (end < 2) return
      out.enqueue(new TextEncoder().encode(change(rest.slice(0, end))))
      rest = rest.slice(end)
    },
  })
  return body.pipeThrough(whole)
}

function over(network: Network): Fetch {
  return async (to, init) => {
    const answer = await fetch(to, init)
    const { pathname, searchParams } = new URL(String(to))
    if (pathname.endsWith('/stream') && answer.body !== null)
      return new Response(changed(answer.body, withoutLost(network.lost ?? new Set())), answer)
    if (pathname.endsWith('/events')) {
      network.asked.push(Number(searchParams.get('after')))
      const body = (await answer.json()) as object
      const isLate = (network.late ?? 0) > 0 && network.asked.length > 1
      if (isLate) network.late = (network.late ?? 0) - 1
      return Response.json(isLate ? { ...body, events: [] } : body, answer)
    }
    const isTheRun = /\/executions\/[^/]+$/.test(pathname) && network.substatus !== undefined
    return isTheRun
      ? Response.json({ ...((await answer.json()) as object), substatus: network.substatus }, answer)
      : answer
  }
}

function watched(server: Served, executionId: string, network: Network): AsyncGenerator<ShownRun, void> {
  return connect({ url: server.url, apiKey: ANA, fetch: over(network) })
    .run(executionId)
    .watch()
}

async function standsAtTheGate(server: Served, executionId: string): Promise<void> {
  const run = connect({ url: server.url, apiKey: ANA }).run(executionId)
  const gateOf = async () => (await run.snapshot()).steps.find(({ stepId }) => stepId === 'gate')?.status
  await expect.poll(gateOf).toBe('RUNNING')
}

async function many(server: Served, before: number, after: number): Promise<string> {
  await server.publish(MANY)
  const input = { before: numbers(before), after: numbers(after) }
  const { body } = await server.call('POST /v1/executions', { body: { planId: 'many', input } })
  return body.executionId
}

it('a run is read by number, page after page and in order, to its end [UIC-01]', async () => {
  const stop = gate()
  stop.open()
  await using server = await served({ steps: stepsWith(stop) })
  const id = await many(server, 700, 2)
  const ended = await connect({ url: server.url, apiKey: ANA }).run(id).result()
  const network: Network = { asked: [] }
  const shown = await allOf(watched(server, id, network))
  expect(network.asked).toEqual([0, 1_000])
  expect(shown.map(({ lastEventSeq }) => lastEventSeq)).toEqual([ended.lastEventSeq])
  expect(shown.at(-1)).toMatchObject({ status: 'COMPLETED', stale: false })
})

it('after a jump a run is stale until what is read again has passed what was seen, and that is no status of it [UIC-02, UIC-03, X-103]', async () => {
  const stop = gate()
  await using server = await served({ steps: stepsWith(stop) })
  const id = await many(server, 2, 2)
  await standsAtTheGate(server, id)
  const network: Network = { asked: [], late: 2, lost: new Set() }
  const watching = watched(server, id, network)
  const first = (await watching.next()).value as ShownRun
  expect(first).toMatchObject({ status: 'RUNNING', stale: false })
  ;(network.lost as Set<number>).add(first.lastEventSeq + 1)
  stop.open()
  const shown = await allOf(watching)
  const states = shown.map(({ stale, lastEventSeq }) => ({ stale, lastEventSeq }))
  // The first two answers had nothing new: it stays stale with what it has, whatever else arrives.
  const stale = states.filter((one) => one.stale)
  expect(stale.length).toBeGreaterThan(1)
  expect(new Set(stale.map(({ lastEventSeq }) => lastEventSeq))).toEqual(new Set([first.lastEventSeq]))
  expect(states.findLastIndex((one) => one.stale)).toBe(stale.length - 1)
  expect(network.asked.slice(1, 4)).toEqual([first.lastEventSeq, first.lastEventSeq, first.lastEventSeq])
  expect(shown.at(-1)).toMatchObject({ status: 'COMPLETED', stale: false })
  for (const { status } of shown) expect(Object.keys(RUN_TRANSITIONS)).toContain(status)
  expect(Object.keys(RUN_TRANSITIONS)).not.toContain('STALE')
})

it('a word that only the engine knows is shown as it is, also one that nobody knows, and none once the run has ended [UIC-04, STO-27]', async () => {
  const stop = gate()
  await using server = await served({ steps: stepsWith(stop) })
  const id = await many(server, 2, 2)
  await standsAtTheGate(server, id)
  const shownFor = async (substatus: string) =>
    ((await watched(server, id, { asked: [], substatus }).next()).value as ShownRun).substatus
  for (const word of ['CONTINUE_AS_NEW', 'RECOVERING', 'temporal/WORKFLOW_TASK_BACKLOG'])
    expect(await shownFor(word)).toBe(word)
  // These the log tells: they are folded, and what was told may have passed.
  for (const word of ['DRAINING', 'RETRYING', 'WAITING_APPROVAL']) expect(await shownFor(word)).toBeUndefined()
  const watching = watched(server, id, { asked: [], substatus: 'RECOVERING' })
  expect((await watching.next()).value).toMatchObject({ substatus: 'RECOVERING' })
  stop.open()
  expect((await allOf(watching)).at(-1)).not.toHaveProperty('substatus')
})

it('progress is told by the mark that a copy has reached, and nothing counts gaps [UIC-06]', async () => {
  const stop = gate()
  stop.open()
  await using server = await served({ steps: stepsWith(stop) })
  const id = await many(server, 2, 2)
  const shown = await allOf(watched(server, id, { asked: [] }))
  const marks = shown.map(({ lastEventSeq }) => lastEventSeq)
  expect(marks).toEqual(marks.toSorted((a, b) => a - b))
  const { text } = await server.call('GET /metrics')
  expect(text).toMatch(/^dvt_projection_lag_events \d+$/m)
  expect(text).not.toMatch(/gap/i)
})
