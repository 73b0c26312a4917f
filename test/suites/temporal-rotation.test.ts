/**
 * Histories of Temporal stay small whatever a run does: large plans, many steps, storms of signals and pauses around a
 * rotation. Nothing of that shows in the log.
 */
import { Client, Connection } from '@temporalio/client'
import { describe, expect, it } from 'vitest'
import { executionsOf, historyIn, scheduledIn } from '../fixtures/temporal-executions.ts'
import { onTemporal } from '../fixtures/on-temporal.ts'
import { expectSound } from '../fixtures/temporal-log.ts'
import { eventsOf, logHas, temporalWorld, type TemporalWorld } from '../fixtures/temporal-world.ts'
import { until } from '../fixtures/until.ts'
import { extent } from '../setup/extent.ts'
import type { TemporalServer } from '../setup/temporal.ts'
import type { RunHandle } from '../../src/main.ts'

/** In each of ten layers; the server asks for a rotation after some 4,000 events, three for each of them. */
const MANY = extent(200, 500)

let server: TemporalServer
let world: TemporalWorld

let gate = Promise.withResolvers<void>()
let atWork = 0
const steps = {
  echo: (input: unknown) => input,
  size: (input: { readonly text: string }) => input.text.length,
  gated: async () => {
    atWork += 1
    await gate.promise
    atWork -= 1
  },
}

onTemporal(
  steps,
  (on) => ({ server, world } = on),
  () => gate.resolve(),
)

const historyOf = (run: RunHandle) => historyIn(server, run)
const scheduled = (run: RunHandle) => scheduledIn(server, run)

interface Described {
  readonly historyLength: string
  readonly historySizeBytes: string
}

function described({ runId }: RunHandle, executionId: string): Described {
  const words = ['workflow', 'describe', '--workflow-id', runId, '--run-id', executionId, '--output', 'json']
  return (JSON.parse(server.command(...words)) as { readonly workflowExecutionInfo: Described }).workflowExecutionInfo
}

const lengthOf = (run: RunHandle, executionId: string): number => Number(described(run, executionId).historyLength)
const sizeOf = (run: RunHandle, executionId: string): number => Number(described(run, executionId).historySizeBytes)

function chainOf(count: number): string {
  const lines = Array.from({ length: count }, (_, n) => {
    const after = n === 0 ? '' : `, dependsOn: [s${n - 1}]`
    return `  - { id: s${n}, run: echo, with: { n: ${n} }${after} }`
  })
  return `plan: chain\nversion: 1.0.0\nsteps:\n${lines.join('\n')}\n`
}

describe('a plan of many steps', () => {
  it("is rotated at the server's suggestion, and every step is carried out and recorded once [TMP-02, P-39, X-39]", async () => {
    const layers = Array.from({ length: 10 }, (_, n) => {
      const after = n === 0 ? '' : `, dependsOn: [l${n - 1}]`
      return `  - { id: l${n}${after}, forEach: input.list, run: echo, with: { n: '\${item}' } }`
    })
    const plan = `plan: many\nversion: 1.0.0\npolicy: { concurrency: 500 }\nsteps:\n${layers.join('\n')}\n`
    const run = await world.start(plan, { list: Array.from({ length: MANY }, (_, n) => n) })
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const events = await expectSound(world.keelson, run)
    expect(events.filter((one) => /^StepCompleted .*\[/.test(one))).toHaveLength(10 * MANY)
    const executions = executionsOf(server.command, run.runId)
    expect(executions.length).toBeGreaterThanOrEqual(extent(2, 4))
    // Below our own threshold, so it was the server that asked for it.
    for (const id of executions) expect(lengthOf(run, id)).toBeLessThan(8_000 * 0.75)
  }, 240_000)

  it.each([
    ['steps', { steps: 10 }],
    ['events', { events: 60 }],
    ['bytes', { bytes: 12_000 }],
  ])('is rotated at a number of %s too, where one is given [TMP-02, X-39]', async (name, rotation) => {
    const other = await temporalWorld(server.address, steps, { taskQueue: `by-${name}`, rotation })
    const run = await other.start(chainOf(40))
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const events = await expectSound(other.keelson, run)
    expect(events).toHaveLength(3 + 2 * 40)
    expect(executionsOf(server.command, run.runId).length).toBeGreaterThanOrEqual(3)
    await other.close()
  })

  it('needs no cache of workflows: each task replays its history, and the run is the same [TMP-02, TMP-04]', async () => {
    const other = await temporalWorld(server.address, steps, {
      taskQueue: 'uncached',
      maxCachedWorkflows: 0,
      rotation: { steps: 20 },
    })
    const run = await other.start(chainOf(60))
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const events = await expectSound(other.keelson, run)
    expect(events).toHaveLength(3 + 2 * 60)
    expect(executionsOf(server.command, run.runId).length).toBeGreaterThanOrEqual(3)
    await other.close()
  })
})

describe('a plan of five megabytes', () => {
  it('runs, though Temporal takes no more than two in one piece [TMP-16, SEC-09]', async () => {
    const texts = Array.from(
      { length: 25 },
      (_, n) => `  - { id: t${n}, run: size, with: { text: ${'x'.repeat(200_000)} } }`,
    )
    const plan = `plan: large\nversion: 1.0.0\nsteps:\n${texts.join('\n')}\n`
    expect(Buffer.byteLength(plan)).toBeGreaterThan(5_000_000)
    const run = await world.start(plan)
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    await expectSound(world.keelson, run)
    const { bytes } = historyOf(run)
    expect(bytes).toBeLessThan(500_000)
  })
})

describe('signals', () => {
  const HELD =
    'plan: held\nversion: 1.0.0\nsteps: [{ id: a, run: gated }, { id: b, dependsOn: [a], run: echo, with: {} }]\n'

  it('of more than 65,536 bytes are refused, and the largest one is taken [TMP-05]', async () => {
    gate = Promise.withResolvers()
    const run = await world.start(HELD)
    await until(() => atWork > 0)
    // What is counted is the signal as it is sent: its type and its payload.
    const frame = Buffer.byteLength(
      JSON.stringify({ payload: { params: { text: '' }, reason: 'a' }, signalType: 'UPDATE_PARAMS' }),
    )
    const send = (bytes: number) =>
      run.signal('UPDATE_PARAMS', { params: { text: 'x'.repeat(bytes - frame) }, reason: 'a' })
    await expect(send(65_537)).rejects.toMatchObject({ code: 'SIGNAL_INVALID_PAYLOAD' })
    await expect(send(65_536)).resolves.toMatchObject({ kind: 'sent' })
    await logHas(run, 'SignalAccepted')
    gate.resolve()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    expect((await eventsOf(run)).filter((one) => one.startsWith('Signal'))).toEqual(['SignalAccepted'])
    expect(historyOf(run).bytes).toBeLessThan(65_536)
  })

  it('come to sixty in a minute and no more: the next is refused, a repeat is not, and the run goes on [TMP-05]', async () => {
    gate = Promise.withResolvers()
    const run = await world.start(HELD)
    await until(() => atWork > 0)
    const ids = Array.from({ length: 60 }, (_, n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`)
    for (const [n, id] of ids.entries()) await run.signal(n % 2 === 0 ? 'PAUSE' : 'RESUME', {}, id)
    await expect(run.signal('PAUSE', {})).rejects.toMatchObject({ code: 'SIGNAL_RATE_EXCEEDED' })
    await expect(run.signal('PAUSE', {}, ids[0] ?? '')).resolves.toMatchObject({ kind: 'repeat' })
    await until(async () => (await eventsOf(run)).filter((one) => one === 'SignalAccepted').length === 60)
    await expect(run.signal('PAUSE', {})).rejects.toMatchObject({ code: 'SIGNAL_RATE_EXCEEDED' })
    gate.resolve()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const events = await expectSound(world.keelson, run)
    expect(events.filter((one) => one.startsWith('Signal'))).toHaveLength(60)
  })

  it('that come in hundreds wake the run a few times only, and its step is sent out once [P-36, P-38]', async () => {
    gate = Promise.withResolvers()
    const run = await world.start(HELD)
    await until(() => atWork > 0)
    // Straight to the workflow, past the run's own limit: what an operator's script could do.
    const connection = await Connection.connect({ address: server.address })
    const handle = new Client({ connection }).workflow.getHandle(run.runId)
    await Promise.all(Array.from({ length: 300 }, () => handle.signal('wake')))
    await connection.close()
    gate.resolve()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const ids = scheduled(run)
    expect(ids.filter((id) => id.startsWith('ExecuteStep:'))).toEqual(['ExecuteStep:a:1:1', 'ExecuteStep:b:1:1'])
    const { events } = historyOf(run)
    expect(events.filter((one) => one.eventType.includes('WORKFLOW_EXECUTION_SIGNALED'))).toHaveLength(300)
    expect(ids.length).toBeLessThan(150)
    await expectSound(world.keelson, run)
  })

  it('to a run with many steps at work let its history grow no further once it is to be rotated [TMP-02, P-39]', async () => {
    const bytes = 200_000
    const other = await temporalWorld(server.address, steps, { taskQueue: 'wide', rotation: { bytes } })
    gate = Promise.withResolvers()
    const run = await other.start(
      `
plan: wide
version: 1.0.0
policy: { concurrency: 100 }
steps: [{ id: each, forEach: input.list, run: gated }]
`,
      { list: Array.from({ length: 100 }, (_, n) => n) },
    )
    await until(() => atWork === 100)
    for (let count = 1; count <= 30; count++) {
      await run.signal(count % 2 === 1 ? 'PAUSE' : 'RESUME')
      await until(async () => (await eventsOf(run)).filter((one) => one === 'SignalAccepted').length === count)
    }
    const [first = ''] = executionsOf(server.command, run.runId)
    expect(sizeOf(run, first)).toBeGreaterThan(bytes)
    expect(sizeOf(run, first)).toBeLessThan(2 * bytes)
    gate.resolve()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    await expectSound(other.keelson, run)
    await other.close()
  })
})
