/** What a remote worker tells of its work for people: lines, kept masked as an artifact of the run. */
import { afterEach, expect, it } from 'vitest'
import { connect } from '../../src/client/connect.ts'
import { testFolder } from '../fixtures/folder.ts'
import { aWorker, eventsOf } from './a-worker.ts'
import { ended, TRAIN } from './far-steps.ts'
import { served, type Served } from './served.ts'

const SECRET = 'hunter2-and-a-half'
const PLAN = `
plan: told
version: 1.0.0
steps:
  - id: train
    run: train
    secrets: { token: "secret://vault/token" }
    dispatch: { queue: gpu }
`

let server: Served | undefined
afterEach(async () => server?.[Symbol.asyncDispose]())

async function open(): Promise<Served> {
  server = await served({
    directory: testFolder(),
    secrets: { resolve: async (refs) => new Map(refs.map((ref) => [ref, { value: SECRET }])) },
  })
  await server.publish(PLAN)
  await server.publish(TRAIN)
  return server
}

async function start({ call }: Served, planId: string): Promise<string> {
  return (await call('POST /v1/executions', { body: { planId, input: { rows: [] } } })).body.executionId as string
}

interface Kept {
  readonly kind: string
  readonly uri: string
  readonly sha256: string
}

async function kept(opened: Served, runId: string): Promise<readonly Kept[]> {
  const done = (await eventsOf(opened, runId)).find(({ eventType }) => eventType === 'StepCompleted')
  return done?.payload['artifactRefs'] as readonly Kept[]
}

it('lines of a report are an artifact of its run, without a secret, however it is broken over lines [SEC-03]', async () => {
  const opened = await open()
  const runId = await start(opened, 'told')
  const worker = aWorker(opened, 'acme.safe.worker-secrets')
  const { claim } = await worker.claimOne()
  const report = { outcome: 'completed', output: 1, log: ['epoch 1', `token ${SECRET}`, 'done\u001b[2J'] }
  expect((await worker.report(claim, report)).body).toEqual({ recorded: 'outcome', repeated: false, logKept: true })
  expect((await worker.report(claim, report)).body).toEqual({ recorded: 'outcome', repeated: true, logKept: true })
  await ended(opened, runId, 'COMPLETED')
  const [ref] = await kept(opened, runId)
  expect(ref).toMatchObject({ kind: 'log-bundle' })
  const path = `GET /v1/executions/${runId}/artifacts/${ref?.sha256}`
  const read = await opened.call(path)
  expect([read.status, read.text]).toEqual([200, 'epoch 1\ntoken ***\ndone\u001b[2J\n'])
  expect(read.headers.get('content-type')).toBe('application/octet-stream')
  expect(read.headers.get('content-disposition')).toContain('train-1.log')
  expect((await opened.call(path, { as: 'evil.eve.Admin' })).status).toBe(404)
  expect((await opened.call(path, { as: 'acme.vera.viewer' })).status).toBe(403)
})

it('another log is another report; too many lines and too long ones are refused', async () => {
  const opened = await open()
  await start(opened, 'training')
  const worker = aWorker(opened)
  const { claim } = await worker.claimOne()
  for (const log of [Array.from({ length: 1_001 }, () => ''), ['x'.repeat(2_001)], ['a', 1]]) {
    const { status, body } = await worker.report(claim, { outcome: 'completed', log })
    expect([status, body.error.code]).toEqual([400, 'BODY_INVALID'])
  }
  expect((await worker.report(claim, { outcome: 'completed', output: {}, log: ['a'] })).status).toBe(200)
  const { status, body } = await worker.report(claim, { outcome: 'completed', output: {}, log: ['b'] })
  expect([status, body.error.code]).toEqual([409, 'WORK_REPORTED'])
})

it('a store in memory keeps no lines, says so, and takes the report', async () => {
  server = await served()
  await server.publish(TRAIN)
  const runId = await start(server, 'training')
  const worker = aWorker(server)
  const { claim } = await worker.claimOne()
  const { body } = await worker.report(claim, { outcome: 'completed', output: { model: 'm' }, log: ['a'] })
  expect(body).toEqual({ recorded: 'outcome', repeated: false, logKept: false })
  await ended(server, runId, 'COMPLETED')
})

it('a worker of the Node client tells lines by its context, of very many the last', async () => {
  const opened = await open()
  const runId = await start(opened, 'training')
  const stop = new AbortController()
  const working = connect({ url: opened.url, apiKey: 'acme.robot.worker' }).work({
    queues: ['gpu'],
    handlers: {
      train: (_input: unknown, { log }: { readonly log: (line: string) => void }) => {
        for (let n = 0; n < 1_200; n += 1) log(`line ${n}`)
        log('x'.repeat(5_000))
        return { model: 'm' }
      },
    },
    signal: stop.signal,
  })
  await ended(opened, runId, 'COMPLETED')
  stop.abort()
  await working
  const [ref] = await kept(opened, runId)
  const { text } = await opened.call(`GET /v1/executions/${runId}/artifacts/${ref?.sha256}`)
  const lines = text.trimEnd().split('\n')
  expect([lines.length, lines[0], lines.at(-1)?.length]).toEqual([1_000, 'line 201', 2_000])
})
