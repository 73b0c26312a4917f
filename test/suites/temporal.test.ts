/**
 * The Temporal engine against a real server: the worker starts the run, activities alone write its log, and what Temporal,
 * its operators or a lost workflow do to it never contradicts the log.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunHandle } from '../../src/main.ts'
import { executionsOf } from '../fixtures/temporal-executions.ts'
import { eventsOf, logHas, temporalWorld, type TemporalWorld } from '../fixtures/temporal-world.ts'
import { until } from '../fixtures/until.ts'
import { startTemporal, type TemporalServer } from '../setup/temporal.ts'

let server: TemporalServer
let world: TemporalWorld

let release: () => void = () => undefined
let held = new Promise<void>((resolve) => (release = resolve))
function hold(): void {
  held = new Promise<void>((resolve) => (release = resolve))
}
const ran: string[] = []
let aborted = 0

const steps = {
  note: (input: { readonly name: string }) => void ran.push(input.name),
  echo: (input: unknown) => input,
  held: () => held,
  refuse: () => {
    throw Object.assign(new Error('never'), { name: 'ValidationError' })
  },
  stubborn: async (_input: unknown, { signal }: { readonly signal: AbortSignal }) => {
    signal.addEventListener('abort', () => (aborted += 1))
    await held
    return 'late'
  },
  polite: (_input: unknown, { signal }: { readonly signal: AbortSignal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
}

beforeAll(async () => {
  server = await startTemporal()
  world = await temporalWorld(server.address, steps, { rotation: { steps: 50 } })
}, 600_000)
afterAll(async () => {
  release()
  await world?.close()
  await server?.stop()
})

const ONE = `
plan: one
version: 1.0.0
steps: [{ id: a, run: echo, with: { n: 1 } }]
`
const HELD = `
plan: held
version: 1.0.0
steps: [{ id: a, run: held }, { id: b, dependsOn: [a], run: echo, with: {} }]
`

function sequence(count: number): string {
  const lines = Array.from(
    { length: count },
    (_, n) => `  - { id: s${n}, run: echo, with: { n: ${n} }${n === 0 ? '' : `, dependsOn: [s${n - 1}]`} }`,
  )
  return `plan: long\nversion: 1.0.0\nsteps:\n${lines.join('\n')}\n`
}

function historyOf(run: RunHandle): string {
  return server.command('workflow', 'show', '--workflow-id', run.runId, '--output', 'json')
}

describe('a run on Temporal', () => {
  it('is admitted here and started by the worker under the name Temporal gave it [TMP-01, TMP-11, P-45]', async () => {
    const run = await world.start(ONE)
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    expect(await eventsOf(run)).toEqual([
      'RunApproved',
      'RunStarted',
      'StepStarted a#1',
      'StepCompleted a#1',
      'RunCompleted',
    ])
    const [, started] = await run.records()
    const ref = `^temporal://default/keelsonRun/${run.runId}/[0-9a-f-]{36}$`
    expect(started?.payload).toMatchObject({
      engineType: 'temporal',
      maxInFlight: 500,
      engineRunRef: expect.stringMatching(ref),
    })
  })

  it('is woken where its workflow runs, which costs one event; only its steps take the way through a queue [P-38]', async () => {
    const run = await world.start(ONE)
    await run.result()
    await until(() => historyOf(run).includes('EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED'))
    const { events } = JSON.parse(historyOf(run)) as { readonly events: readonly { readonly eventType: string }[] }
    const counted = (type: string): number =>
      events.filter(({ eventType }) => eventType === `EVENT_TYPE_${type}`).length
    expect(counted('MARKER_RECORDED')).toBe(1)
    expect(counted('ACTIVITY_TASK_SCHEDULED')).toBe(1)
  })

  it('keeps plan, input and output out of the history [ENG-05, SEC-09, TMP-03]', async () => {
    const run = await world.start(
      `
plan: private
version: 1.0.0
steps: [{ id: a, run: echo, with: { word: '\${input.word}' }, description: marker-in-the-plan }]
`,
      { word: 'marker-in-the-input' },
    )
    await run.result()
    const history = historyOf(run)
    for (const payload of history.matchAll(/"data": "([^"]+)"/g)) {
      const text = Buffer.from(payload[1] ?? '', 'base64').toString()
      expect(text).not.toContain('marker')
    }
    expect(history).toContain(
      'ActivityTaskScheduled'
        .replace(/^/, 'EVENT_TYPE_')
        .replace(/([a-z])([A-Z])/g, '$1_$2')
        .toUpperCase(),
    )
  })

  it('ends FAILED after a permanent failure of a step [TMP-15]', async () => {
    const run = await world.start(`
plan: refused
version: 1.0.0
steps: [{ id: a, run: refuse }]
`)
    await expect(run.result()).resolves.toMatchObject({ status: 'FAILED' })
    expect((await eventsOf(run)).slice(-2)).toEqual(['StepFailed a#1', 'RunFailed'])
    await until(() => server.command('workflow', 'describe', '--workflow-id', run.runId).includes('FAILED'))
  })

  it('starts nothing after a pause and goes on after its resume [TMP-06]', async () => {
    hold()
    const run = await world.start(HELD)
    await logHas(run, 'StepStarted a#1')
    await run.signal('PAUSE', { reason: 'look' })
    await logHas(run, 'RunPaused')
    release()
    await logHas(run, 'StepCompleted a#1')
    expect(await eventsOf(run)).not.toContain('StepStarted b#1')
    await run.signal('RESUME', {})
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
  })
})

describe('cancelling a run on Temporal', () => {
  it('keeps the reason that was signalled before the native cancel [TMP-07, ENG-13]', async () => {
    const run = await world.start(`
plan: polite
version: 1.0.0
steps: [{ id: a, run: polite }]
`)
    await logHas(run, 'StepStarted a#1')
    await run.signal('CANCEL', { reason: 'wrong customer' })
    await expect(run.result()).resolves.toMatchObject({ status: 'CANCELLED' })
    const records = await run.records()
    expect(records.at(-1)).toMatchObject({ eventType: 'RunCancelled', payload: { reason: 'wrong customer' } })
    expect(records.filter(({ eventType }) => eventType === 'SignalAccepted')).toHaveLength(1)
  })

  it('takes the cancel of an operator of Temporal as a signal of the run [TMP-07]', async () => {
    const run = await world.start(`
plan: polite
version: 1.0.0
steps: [{ id: a, run: polite }]
`)
    await logHas(run, 'StepStarted a#1')
    server.command('workflow', 'cancel', '--workflow-id', run.runId)
    await expect(run.result()).resolves.toMatchObject({ status: 'CANCELLED' })
    expect((await eventsOf(run)).slice(-3)).toEqual(['SignalAccepted', 'StepFailed a#1', 'RunCancelled'])
    await until(() => server.command('workflow', 'describe', '--workflow-id', run.runId).includes('CANCELED'))
  })

  it('that comes as a step is sent out ends it at once, begun or not, and not by its grace [CAN-03]', async () => {
    for (let count = 0; count < 5; count += 1) {
      const run = await world.start(`
plan: overtaken
version: 1.0.0
steps: [{ id: a, run: echo, with: {} }, { id: b, run: polite }]
`)
      for await (const { eventType, stepId } of run.events())
        if (eventType === 'StepStarted' && stepId === 'b') await run.cancel()
      const end = (await run.records()).find(({ eventType }) => eventType === 'StepFailed')
      expect(end).toMatchObject({ stepId: 'b', payload: { error: { code: 'CANCELLED' } } })
      expect(end?.payload).not.toHaveProperty('forced')
    }
  })

  it('gives a step up that ignores it, and records what it says afterwards as late [CAN-04, X-31]', async () => {
    hold()
    aborted = 0
    const run = await world.start(`
plan: stubborn
version: 1.0.0
steps: [{ id: a, run: stubborn }]
`)
    await logHas(run, 'StepStarted a#1')
    await run.signal('CANCEL', { reason: 'enough' })
    await expect(run.result()).resolves.toMatchObject({ status: 'CANCELLED' })
    await until(() => aborted === 1)
    release()
    await logHas(run, 'LateOutcomeRecorded a#1')
    expect((await eventsOf(run)).filter((one) => one.startsWith('Step'))).toEqual(['StepStarted a#1', 'StepFailed a#1'])
  })
})

describe('the history of a run', () => {
  it('is rotated at quiet points without a trace in the log [TMP-02, TMP-03, P-39]', async () => {
    const run = await world.start(sequence(200))
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const events = await eventsOf(run)
    expect(events.filter((one) => one === 'RunStarted')).toHaveLength(1)
    expect(new Set(events.filter((one) => one.startsWith('StepCompleted'))).size).toBe(200)
    expect(events).toHaveLength(200 * 2 + 3)
    const [, started] = await run.records()
    const firstId = String(started?.payload?.['engineRunRef']).split('/').at(-1)
    const last = historyOf(run)
    expect(last).not.toContain(`"originalExecutionRunId": "${firstId}"`)
    expect(JSON.stringify(JSON.parse(last))).toContain('continuedExecutionRunId')
    expect(executionsOf(server.command, run.runId).length).toBeGreaterThanOrEqual(4)
  })
})

describe('a workflow that is closed behind our back', () => {
  it('is made up for: the run is taken over and ends [P-38]', async () => {
    hold()
    const run = await world.start(HELD)
    await logHas(run, 'StepStarted a#1')
    server.command('workflow', 'terminate', '--workflow-id', run.runId, '--reason', 'by mistake')
    release()
    await expect(run.result()).resolves.toMatchObject({ status: 'COMPLETED' })
    const events = await eventsOf(run)
    expect(events.filter((one) => one.startsWith('StepCompleted'))).toEqual(['StepCompleted a#1', 'StepCompleted b#1'])
  })
})
