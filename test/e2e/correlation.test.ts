/** One correlation id, given at the start of a run, on everything that happens because of it. */
import { beforeAll, describe, expect, it } from 'vitest'
import { loadPlan, openKeelson, type ListenerEventName, type Keelson, type RunHandle } from '../../src/main.ts'
import { loopback } from '../fixtures/loopback.ts'
import { ensureBuilt } from './built.ts'
import { folderWith, jsonLines, keelson as command } from './command.ts'

const NAMES: readonly ListenerEventName[] = [
  'execution.started',
  'step.started',
  'step.completed',
  'step.retried',
  'step.failed',
  'execution.completed',
]
const PARENT = loadPlan(`plan: parent
version: 1.0.0
policy: { retry: { maxAttempts: 2, initialBackoffMs: 1 } }
steps:
  - { id: call, http: { url: "\${input.url}", expect: none } }
  - { id: print, command: { argv: [node, -e, "process.stdout.write(process.env.KEELSON_CORRELATION_ID)"] } }
  - { id: flaky, run: flaky }
  - { id: sub, plan: { planId: child }, with: { url: "\${input.url}" } }
  - { id: apart, run: apart }
output: { printed: "\${steps.print.output.stdout}" }
`)
const CHILD = loadPlan(`plan: child
version: 1.0.0
steps:
  - { id: call, http: { url: "\${input.url}", expect: none } }
  - { id: inner, run: apart }
`)

interface Traced {
  readonly keelson: Keelson
  /** What the process told of its runs: the id of each, and whose it is. */
  readonly told: { readonly name: string; readonly runId: string; readonly id: string }[]
  readonly seen: string[]
}

async function traced(): Promise<Traced> {
  const told: { name: string; runId: string; id: string }[] = []
  const seen: string[] = []
  const keelson = await openKeelson({
    directory: ':memory:',
    egress: { allow: ['127.0.0.1'] },
    commands: true,
    pollMs: 20,
    steps: {
      flaky: (_input: never, { attempt }) => {
        if (attempt === 1) throw new Error('not yet')
      },
      apart: (_input: never, { execution }) => void seen.push(execution.correlationId),
    },
    log: (line) => {
      const { event, correlationId, executionId } = JSON.parse(line) as Record<string, string>
      told.push({ name: `log ${event}`, runId: executionId ?? '', id: correlationId ?? '' })
    },
  })
  for (const name of NAMES)
    keelson.on(name, ({ correlationId, executionId }) => {
      told.push({ name, runId: executionId, id: correlationId })
    })
  await keelson.publish(CHILD)
  return { keelson, told, seen }
}

/** What the log itself says: the id in the event that first names it. */
async function loggedId(run: RunHandle): Promise<unknown[]> {
  const records = await run.records()
  expect(records.every(({ runId }) => runId === run.runId)).toBe(true)
  return records.flatMap(({ eventType, payload }) => {
    if (eventType === 'RunQueued') return [payload?.['correlationId']]
    const { context } = (payload ?? {}) as { readonly context?: Readonly<Record<string, unknown>> }
    return eventType === 'RunStarted' ? [context?.['correlationId']] : []
  })
}

describe('the correlation id of a run', () => {
  it('is on every event, log line and request of the run and of its children, and in what its steps see [CTX-05]', async () => {
    const server = await loopback((_asked, response) => response.writeHead(204).end())
    const { keelson, told, seen } = await traced()
    const run = await keelson.start(PARENT, { url: server.url }, { correlationId: 'order-17' })
    expect(await run.result()).toMatchObject({ status: 'COMPLETED', output: { printed: 'order-17' } })
    const parts = await keelson.list({}, { limit: 10 })
    const child = await keelson.run(parts.runs.find(({ planId }) => planId === 'child')?.runId ?? '')
    await keelson.close()
    expect(seen).toEqual(['order-17', 'order-17'])
    expect(server.asked.map(({ headers }) => headers['x-correlation-id'])).toEqual(['order-17', 'order-17'])
    expect(new Set(told.map(({ id }) => id))).toEqual(new Set(['order-17']))
    const names = (runId: string): Set<string> =>
      new Set(told.filter((one) => one.runId === runId).map((one) => one.name))
    for (const name of NAMES.filter((one) => one !== 'step.failed')) {
      expect(names(run.runId)).toContain(name)
      expect(names(run.runId)).toContain(`log ${name}`)
    }
    expect(names(child.runId)).toContain('log execution.completed')
  })

  it('is in the log from the first event on, of runs that wait in a queue or for their time, and of forks [CTX-05]', async () => {
    const server = await loopback((_asked, response) => response.writeHead(204).end())
    const { keelson } = await traced()
    const input = { url: server.url }
    const queued = await keelson.start(CHILD, input, { correlationId: 'order-18', queue: true })
    expect(await loggedId(queued)).toEqual(['order-18'])
    await keelson.queue.start()
    await queued.result()
    expect(await loggedId(queued)).toEqual(['order-18', 'order-18'])
    const delayed = await keelson.start(CHILD, input, { correlationId: 'order-19', notBefore: Date.now() + 1 })
    await delayed.result()
    expect(await loggedId(delayed)).toEqual(['order-19', 'order-19'])
    const forked = await keelson.fork(delayed.runId)
    await forked.result()
    expect(await loggedId(forked)).toEqual(['order-19'])
    const plain = await keelson.start(CHILD, input)
    await plain.result()
    await keelson.close()
    const sent = server.asked.map(({ headers }) => headers['x-correlation-id'])
    expect(sent).toEqual(['order-18', 'order-19', plain.runId])
  })

  it('may be any text: a header holds it encoded, and a plan may say its own [CTX-05]', async () => {
    const server = await loopback((_asked, response) => response.writeHead(204).end())
    const { keelson } = await traced()
    await (await keelson.start(CHILD, { url: server.url }, { correlationId: 'Größe 5 €\n' })).result()
    const own = loadPlan(
      `plan: own\nversion: 1.0.0\nsteps: [{ id: a, http: { url: "\${input.url}", expect: none, headers: { X-Correlation-Id: mine } } }]`,
    )
    await (await keelson.start(own, { url: server.url }, { correlationId: 'order-20' })).result()
    await keelson.close()
    const sent = server.asked.map(({ headers }) => headers['x-correlation-id'])
    expect(sent.map((text) => decodeURIComponent(String(text)))).toEqual(['Größe 5 €\n', 'mine'])
  })
})

describe('on the command line', () => {
  beforeAll(ensureBuilt)

  it('--correlation-id sets it, for the run and what waits in the queue [CTX-05]', async () => {
    const folder = folderWith({
      'p.yaml': 'plan: p\nversion: 1.0.0\nsteps: [{ id: a, run: f }]\noutput: { id: "${steps.a.output}" }\n',
      'keelson.steps.mjs': 'export const f = (input, { execution }) => execution.correlationId\n',
    })
    const { stdout } = await command(['run', 'p.yaml', '--correlation-id', 'ticket-4', '--json'], folder)
    expect(jsonLines(stdout).at(-1)).toMatchObject({ result: { status: 'COMPLETED', output: { id: 'ticket-4' } } })
    await command(['run', 'p.yaml', '--queue', '--correlation-id', 'ticket-5'], folder)
    await command(['queue', 'start'], folder)
    const events = jsonLines((await command(['events', 'last', '--json'], folder)).stdout)
    expect(events.find((one) => one['eventType'] === 'RunStarted')).toMatchObject({
      payload: { context: { correlationId: 'ticket-5' } },
    })
    expect(events.at(-1)).toMatchObject({ payload: { output: { id: 'ticket-5' } } })
  })
})
