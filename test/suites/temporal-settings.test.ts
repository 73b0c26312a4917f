/**
 * What the Temporal engine puts on the server and what it finds there: names, queues, attributes, encoded payloads; and what
 * a worker does with runs of plans and rules that are older or newer than itself.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TemporalConnection } from '../../src/adapters/engines/temporal/client/connection.ts'
import { checkSettings, type PayloadCodec } from '../../src/adapters/engines/temporal/client/settings.ts'
import { WorkerHost, type WorkerParts } from '../../src/adapters/engines/temporal/worker/worker.ts'
import { vouch } from '../../src/app/plans/plan-source.ts'
import { canonicalText } from '../../src/app/log/canonical.ts'
import { sha256Hex } from '../../src/app/log/sha256.ts'
import { loadPlan, openKeelson, type CompiledPlan, type RunHandle } from '../../src/main.ts'
import { executionsOf } from '../fixtures/temporal-executions.ts'
import { expectSound } from '../fixtures/temporal-log.ts'
import { eventsOf, logHas, temporalWorld } from '../fixtures/temporal-world.ts'
import { until } from '../fixtures/until.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'
import { testFolder } from '../fixtures/folder.ts'

let server: TemporalServer
let gate = Promise.withResolvers<void>()
const steps = { echo: (input: unknown) => input, gated: () => gate.promise, ok: () => undefined }

beforeAll(async () => {
  server = await startTemporal()
}, 600_000)
afterAll(async () => {
  gate.resolve()
  await server?.stop()
})

const ONE = 'plan: one\nversion: 1.0.0\nsteps: [{ id: a, run: echo, with: { word: marker-of-the-plan } }]\n'

function described(runId: string): { readonly workflowExecutionInfo: Readonly<Record<string, unknown>> } {
  const text = server.command('workflow', 'describe', '--workflow-id', runId, '--output', 'json')
  return JSON.parse(text) as ReturnType<typeof described>
}

function historyOf({ runId }: RunHandle): string {
  return server.command('workflow', 'show', '--workflow-id', runId, '--output', 'json')
}

describe('a run', () => {
  it('is found in Temporal by tenant, project, environment and tier, under its own id and queue [TMP-11, TMP-12]', async () => {
    const world = await temporalWorld(server.address, steps, { taskQueue: 'found', regulatoryTier: 'gold' })
    const run = await world.start(ONE)
    await run.result()
    const { workflowExecutionInfo } = described(run.runId)
    expect(workflowExecutionInfo).toMatchObject({
      execution: { workflowId: run.runId },
      type: { name: 'keelsonRun' },
      taskQueue: `found-${run.row.tenantId}`,
    })
    const { tenantId, projectId, environmentId } = run.row
    const values = { tenantId, projectId, environmentId, regulatoryTier: 'gold' }
    const query = Object.entries(values).map(([name, value]) => `${name} = '${value}'`)
    const list = () => server.command('workflow', 'list', '--query', query.join(' AND '), '--output', 'json')
    await until(() => list().includes(run.runId))
    await world.close()
  })

  it('of a step with a queue of its own is carried out there, by a worker that listens to it [TMP-13]', async () => {
    const world = await temporalWorld(server.address, steps, { taskQueue: 'named', worker: { queues: ['gpu'] } })
    const plan = 'plan: one\nversion: 1.0.0\nsteps: [{ id: a, run: ok, dispatch: { taskQueue: gpu } }]\n'
    const run = await world.start(plan)
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const { events } = JSON.parse(historyOf(run)) as { events: { activityTaskScheduledEventAttributes?: object }[] }
    const sent = events.flatMap((one) => one.activityTaskScheduledEventAttributes ?? [])
    expect(sent).toContainEqual(
      expect.objectContaining({
        activityId: 'ExecuteStep:a:1:1',
        taskQueue: { name: 'gpu', kind: 'TASK_QUEUE_KIND_NORMAL' },
      }),
    )
    expect(sent).toContainEqual(
      expect.objectContaining({
        activityId: 'ExecuteStep:a:1:1',
        heartbeatTimeout: '10s',
        scheduleToStartTimeout: '1800s',
        retryPolicy: expect.objectContaining({ maximumAttempts: 3, maximumInterval: '60s', initialInterval: '1s' }),
      }),
    )
    await world.close()
  })

  it('has events with the same root keys as on the mock engine [EVT-30]', async () => {
    const plan = `
plan: keys
version: 1.0.0
steps:
  - { id: a, run: echo, with: { n: 1 } }
  - { id: each, dependsOn: [a], forEach: input.list, run: echo, with: { n: '\${item}' } }
`
    const keysOf = async (run: RunHandle) =>
      (await run.records()).map((record) => [record.eventType, Object.keys(record).sort()])
    const world = await temporalWorld(server.address, steps, { taskQueue: 'keys' })
    const here = await world.start(plan, { list: [1] })
    await here.result()
    await using mock = await openKeelson({ directory: ':memory:', engine: 'mock', steps })
    const there = await mock.start(loadPlan(plan), { list: [1] })
    await there.result()
    expect(await keysOf(here)).toEqual(await keysOf(there))
    await world.close()
  })
})

describe('a payload codec', () => {
  it('sees everything that enters the history, and the run is the same [SEC-09, TMP-03]', async () => {
    const world = await temporalWorld(server.address, steps, { taskQueue: 'coded', codec, rotation: { steps: 2 } })
    const chain = Array.from({ length: 6 }, (_, n) => {
      const after = n === 0 ? '' : `, dependsOn: [s${n - 1}]`
      return `  - { id: s${n}, run: echo, with: {}${after} }`
    })
    const long = '  - { id: l, run: echo, with: {}, timeoutMs: 3600000 }'
    const run = await world.start(`plan: coded\nversion: 1.0.0\nsteps:\n${chain.join('\n')}\n${long}\n`)
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    await expectSound(world.keelson, run)
    for (const executionId of executionsOf(server.command, run.runId)) {
      const words = ['workflow', 'show', '--workflow-id', run.runId, '--run-id', executionId, '--output', 'json']
      const payloads = [...payloadsOf(JSON.parse(server.command(...words)))]
      const [ours, platforms] = [true, false].map((isOurs) => payloads.filter((one) => isBookkeeping(one) !== isOurs))
      expect(ours?.length).toBeGreaterThan(0)
      expect(platforms?.length).toBeGreaterThan(0)
      for (const { metadata, data } of ours ?? []) {
        expect(Buffer.from(metadata.encoding, 'base64').toString()).toBe('binary/turned')
        expect(Buffer.from(data, 'base64').toString()).not.toMatch(/headSeq|ExecuteStep|epoch/)
      }
    }
    await world.close()
  })
})

/** Every bit of a payload is turned round, its own encoding among them. */
const codec: PayloadCodec = {
  encode: async (payloads) =>
    payloads.map(({ metadata, data }) => {
      const entries = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64Of(bytes)])
      const whole = Buffer.from(JSON.stringify({ metadata: entries, data: base64Of(data) }))
      return { metadata: { encoding: Buffer.from('binary/turned') }, data: turned(whole) }
    }),
  decode: async (payloads) =>
    payloads.map(({ data: encoded }) => {
      const text = turned(encoded ?? new Uint8Array()).toString()
      const { metadata, data } = JSON.parse(text) as { readonly metadata: [string, string][]; readonly data: string }
      const entries = metadata.map(([name, bytes]) => [name, Buffer.from(bytes, 'base64')] as const)
      return { metadata: Object.fromEntries(entries), data: Buffer.from(data, 'base64') }
    }),
}
const turned = (bytes: Uint8Array): Buffer => Buffer.from(bytes.map((one) => one ^ 0x5a))
const base64Of = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('base64')

interface EncodedPayload {
  readonly metadata: { readonly encoding: string }
  readonly data: string
}

/** Everything in a history that is a payload, wherever it stands, but search attributes, which the server must read. */
function* payloadsOf(value: unknown): Generator<EncodedPayload> {
  if (typeof value !== 'object' || value === null) return
  if ('metadata' in value && 'data' in value) yield value as EncodedPayload
  else for (const [name, one] of Object.entries(value)) if (name !== 'searchAttributes') yield* payloadsOf(one)
}

/** What the platform's own core notes beside the answer of an activity that ran where its workflow did: no codec sees it. */
function isBookkeeping({ metadata, data }: EncodedPayload): boolean {
  if (Buffer.from(metadata.encoding, 'base64').toString() !== 'json/plain') return false
  const noted = JSON.parse(Buffer.from(data, 'base64').toString()) as object
  expect(Object.keys(noted).sort()).toEqual(
    ['activity_id', 'activity_type', 'attempt', 'backoff', 'complete_time', 'original_schedule_time', 'seq'].sort(),
  )
  return true
}

/** Stored as by a version before this one, with a field that is not known any more. A start of today refuses such a plan. */
function olderFormat({ plan }: CompiledPlan): CompiledPlan {
  const text = canonicalText({ ...plan, schemaVersion: 'v0.9', retiredField: { any: true } })
  return vouch({ plan, text, sha256: sha256Hex(text) })
}

describe('a worker', () => {
  it('is started once: a second start is refused, and after a stop it may be started again [TMP-14]', async () => {
    const settings = checkSettings({ address: server.address, taskQueue: 'once' })
    const connection = new TemporalConnection(settings)
    const parts = { settings, connection, queues: ['once'], tell: () => undefined } as unknown as WorkerParts
    const host = new WorkerHost(parts)
    await host.start(() => undefined)
    const refusal = { code: 'TEMPORAL_WORKER_ALREADY_STARTED', message: expect.stringContaining('once') }
    await expect(host.start(() => undefined)).rejects.toMatchObject(refusal)
    await host.stop()
    await host.start(() => undefined)
    await host.stop()
    await connection.close()
  })

  it('goes on with a run whose plan has an older format, over rotations and after another worker [TMP-18, TMP-02]', async () => {
    const directory = testFolder()
    const reopen = () =>
      temporalWorld(server.address, steps, { taskQueue: 'older', rotation: { steps: 2 }, open: { directory } })
    const chain = Array.from({ length: 8 }, (_, n) => {
      const [what, after] = n === 0 ? ['gated', ''] : ['ok', `, dependsOn: [s${n - 1}]`]
      return `  - { id: s${n}, run: ${what}${after} }`
    })
    const older = olderFormat(loadPlan(`plan: older\nversion: 1.0.0\nsteps:\n${chain.join('\n')}\n`))
    gate = Promise.withResolvers()
    const first = await reopen()
    const { runId } = await first.keelson.start(older)
    await logHas(await first.keelson.run(runId), 'StepStarted s0#1')
    const closed = first.close()
    gate.resolve()
    await closed
    const second = await reopen()
    await second.keelson.connect()
    const run = await second.keelson.run(runId)
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    await expectSound(second.keelson, run)
    expect(executionsOf(server.command, runId).length).toBeGreaterThanOrEqual(3)
    const started = (await run.records()).find(({ eventType }) => eventType === 'RunStarted')
    expect(started?.payload).toMatchObject({ planRef: { schemaVersion: 'v0.9', sha256: older.sha256 } })
    await second.close()
  })

  it('leaves a run alone whose rules it does not know, says so, and whoever knows them goes on [TMP-18]', async () => {
    const directory = testFolder()
    const reopen = () => temporalWorld(server.address, steps, { taskQueue: 'rules', open: { directory } })
    const first = await reopen()
    const plan = `plan: rules\nversion: 1.0.0\nsteps: [{ id: ask, manual: { title: 'Go on?' } }, { id: b, dependsOn: [ask], run: ok }]\n`
    const { runId } = await first.start(plan)
    await logHas(await first.keelson.run(runId), 'ManualTaskOpened ask#1')
    await first.close()
    const database = new DatabaseSync(join(directory, 'keelson.db'))
    const need = (version: number) => database.prepare('UPDATE runs SET min_rules_version = ?').run(version)
    need(99)
    const second = await reopen()
    await second.keelson.connect()
    const run = await second.keelson.run(runId)
    const before = await eventsOf(run)
    const told = warnings()
    await run.signal('UPDATE_PARAMS', { params: { n: 1 }, reason: 'a mistake' })
    await until(() => told.some((one) => one.includes('needs rules version 99')))
    expect(await eventsOf(run)).toEqual(before)
    expect(described(runId).workflowExecutionInfo['status']).toMatch(/RUNNING$/)
    need(1)
    database.close()
    await logHas(run, 'SignalAccepted')
    const [task] = await run.tasks()
    await run.completeTask({ completionToken: task?.token ?? '', outcome: 'Succeeded', actorUserId: 'ana' })
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    await expectSound(second.keelson, run)
    await second.close()
  })

  it('leaves a step alone whose handler it lacks, says so, and another worker carries it out [P-38]', async () => {
    const directory = testFolder()
    const engine = { taskQueue: 'handlers', open: { directory } }
    const client = await temporalWorld(server.address, steps, { ...engine, worker: false })
    const poor = await temporalWorld(server.address, { echo: steps.echo }, engine)
    await poor.keelson.connect()
    const told = warnings()
    const run = await client.start('plan: lacking\nversion: 1.0.0\nsteps: [{ id: a, run: ok }]\n')
    await until(() => told.filter((one) => one.includes("no function 'ok'")).length >= 3)
    const rich = await temporalWorld(server.address, steps, engine)
    await rich.keelson.connect()
    await poor.close()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const events = await expectSound(client.keelson, run)
    expect(events.filter((one) => one.startsWith('Step'))).toEqual(['StepStarted a#1', 'StepCompleted a#1'])
    await rich.close()
    await client.close()
  })
})

function warnings(): readonly string[] {
  const told: string[] = []
  process.on('warning', ({ message }) => void told.push(message))
  return told
}
