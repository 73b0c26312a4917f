/** What listeners of a process are told: six events with their fields, in groups, once each, and never in a run's way. */
import { describe, expect, it } from 'vitest'
import * as api from '@opentelemetry/api'
import { spansAndMetrics } from '../../src/adapters/telemetry/open-telemetry.ts'
import { loadPlan, openKeelson, type ListenerEventName } from '../../src/main.ts'
import type { ListenerEvent } from '../../src/ports/listeners.ts'
import { secretsOf } from '../fixtures/known-secrets.ts'

const NAMES: readonly ListenerEventName[] = [
  'execution.started',
  'step.started',
  'step.completed',
  'step.retried',
  'step.failed',
  'execution.completed',
]
const QUICK = 'retry: { maxAttempts: 3, initialBackoffMs: 1, backoffMultiplier: 1 }'
const plan = (steps: string): ReturnType<typeof loadPlan> => loadPlan(`plan: p\nversion: 1.2.3\nsteps:\n${steps}`)
const twice =
  (): ((input: never, context: { readonly attempt: number }) => unknown) =>
  (_input, { attempt }) => {
    if (attempt < 3) throw new Error('not yet')
    return { ok: true }
  }
const no = (): never => {
  throw Object.assign(new Error('no'), { name: 'ValidationError' })
}

/** Runs a plan and gives everything that was told of it. */
async function told(steps: string, more: { readonly cancel?: boolean } = {}): Promise<readonly ListenerEvent[]> {
  const heard: ListenerEvent[] = []
  const functions = {
    ok: () => 1,
    twice: twice(),
    no,
    hang: (_: never, { signal }: { signal: AbortSignal }) => aborted(signal),
  }
  const keelson = await openKeelson({ directory: ':memory:', steps: functions })
  for (const name of NAMES) keelson.on(name, (event) => heard.push({ name, event } as ListenerEvent))
  const handle = await keelson.start(plan(steps))
  if (more.cancel === true) await handle.signal('CANCEL')
  await handle.result()
  await keelson.close()
  return heard
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error)
    else signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
}

const names = (heard: readonly ListenerEvent[]): readonly string[] =>
  heard.map(({ name, event }) => ('stepId' in event ? `${name} ${event.stepId}` : name))

describe('listeners', () => {
  it('are told all six events with their fields [OBS-01]', async () => {
    const heard = await told(`
  - { id: a, run: twice, agent: crane, ${QUICK} }
  - { id: b, run: no }`)
    expect(new Set(heard.map(({ name }) => name))).toEqual(new Set(NAMES))
    const first = (name: ListenerEventName): object => heard.find((event) => event.name === name)?.event ?? {}
    const base = { executionId: expect.any(String), timestamp: expect.stringMatching(/^\d{4}-.*Z$/) }
    expect(first('execution.started')).toMatchObject({ ...base, workflowId: 'p', correlationId: expect.any(String) })
    expect(first('step.started')).toMatchObject({ ...base, stepId: 'a', agentId: 'crane', dependencies: [] })
    expect(heard.findLast(({ name }) => name === 'step.started')?.event).toMatchObject({ dependencies: ['a'] })
    expect(first('step.completed')).toMatchObject({
      ...base,
      stepId: 'a',
      status: 'success',
      duration: expect.any(Number),
      attempts: 3,
    })
    expect(first('step.retried')).toMatchObject({ ...base, stepId: 'a', attempt: 1, delayMs: 1 })
    expect(first('step.failed')).toMatchObject({ ...base, stepId: 'b', error: { errorClass: 'validation' } })
    expect(first('execution.completed')).toMatchObject({ ...base, status: 'failed', duration: expect.any(Number) })
  })

  it('hear of each end once: retried, failed for good, skipped, recovered, cancelled [OBS-10]', async () => {
    expect(names(await told(`  - { id: a, run: twice, ${QUICK} }`))).toEqual([
      'execution.started',
      'step.started a',
      'step.retried a',
      'step.started a',
      'step.retried a',
      'step.started a',
      'step.completed a',
      'execution.completed',
    ])
    const ends = async (steps: string, more = {}): Promise<readonly unknown[]> =>
      (await told(steps, more)).flatMap(({ name, event }) =>
        name === 'step.completed' || name === 'execution.completed'
          ? [event.status]
          : name === 'step.failed'
            ? ['failed!']
            : [],
      )
    expect(await ends(`  - { id: a, run: no }`)).toEqual(['failure', 'failed!', 'failed'])
    expect(await ends(`  - { id: a, run: ok, if: "\`false\`" }`)).toEqual(['skipped', 'completed'])
    expect(await ends(`  - { id: a, run: no, fallback: { run: ok }, fallbackOn: [permanent] }`)).toEqual([
      'success',
      'completed',
    ])
    expect(await ends(`  - { id: a, run: hang }`, { cancel: true })).toEqual(['cancelled', 'cancelled'])
  })

  it('may throw, or fail later, and no run and no other listener minds [OBS-02]', async () => {
    const keelson = await openKeelson({ directory: ':memory:', steps: { ok: () => 1 } })
    const heard: string[] = []
    const warnings: (string | undefined)[] = []
    const onWarning = (warning: Error & { code?: string }): unknown => warnings.push(warning.code)
    process.on('warning', onWarning)
    keelson.onStepCompleted(() => {
      throw new Error('the dashboard is away')
    })
    keelson.onStepCompleted(() => Promise.reject(new Error('later as well')))
    const stop = keelson.onStepCompleted(({ stepId }) => heard.push(stepId))
    const handle = await keelson.start(plan(`  - { id: a, run: ok }\n  - { id: b, run: ok }`))
    expect(await handle.result()).toMatchObject({ status: 'COMPLETED' })
    await keelson.close()
    stop()
    await new Promise<void>((resolve) => setImmediate(resolve))
    process.off('warning', onWarning)
    expect(heard).toEqual(['a', 'b'])
    expect(warnings.filter((code) => code === 'LISTENER_FAILED')).toHaveLength(4)
  })

  it('get metadata, state, metrics and the context of the run, in which no secret is [OBS-03]', async () => {
    const heard: ListenerEvent[] = []
    const keelson = await openKeelson({
      directory: ':memory:',
      steps: {
        login: (_: never, { secrets }: { secrets: Record<string, string> }) => ({
          header: `Bearer ${secrets['token']}`,
          user: 'ada',
        }),
      },
      secrets: secretsOf(() => 's3cr3t-value'),
    })
    for (const name of NAMES) keelson.on(name, (event) => heard.push({ name, event } as ListenerEvent))
    const handle = await keelson.start(
      plan(
        `  - { id: a, run: login, secrets: { token: "secret://vault/token" }, capture: [{ destination: session }] }\n  - { id: b, run: login, secrets: { token: "secret://vault/token" } }`,
      ),
    )
    expect(await handle.result()).toMatchObject({ status: 'COMPLETED' })
    await keelson.close()
    for (const { event } of heard) {
      expect(event.metadata).toMatchObject({ tenantId: 'local', planVersion: '1.2.3', runSeq: expect.any(Number) })
      expect(event.state).toMatchObject({ run: expect.any(String) })
      expect(event.metrics).toBeTypeOf('object')
      expect(event.context).toBeTypeOf('object')
    }
    const last = heard.at(-1)?.event
    expect(last?.context).toMatchObject({ session: { user: 'ada' } })
    expect(heard.find(({ name }) => name === 'step.completed')?.event.metrics).toEqual({
      duration: expect.any(Number),
      attempts: 1,
    })
    expect(JSON.stringify(heard)).not.toContain('s3cr3t-value')
  })
})

describe('what is made of the events', () => {
  it('is the same whether they are told as they are written or read back for somebody who wants the values too', async () => {
    const steps = `
  - { id: a, run: twice, ${QUICK} }
  - { id: b, forEach: '${'${input.items}'}', run: ok }
  - { id: c, run: no, fallback: { run: ok }, fallbackOn: [permanent] }
  - { id: d, run: ok, if: "\`false\`" }
  - { id: e, run: no }`
    const linesOf = async (isReadBack: boolean): Promise<readonly unknown[]> => {
      const lines: string[] = []
      const functions = { ok: () => 1, twice: twice(), no }
      const keelson = await openKeelson({ directory: ':memory:', steps: functions, log: (line) => lines.push(line) })
      if (isReadBack) keelson.on('execution.started', () => undefined)
      await (await keelson.start(plan(steps), { items: [1, 2] })).result()
      await keelson.close()
      const own = new Set(['executionId', 'correlationId', 'timestamp', 'time', 'eventId', 'duration'])
      return lines.map(
        (line) => JSON.parse(line, (name, value: unknown) => (own.has(name) ? undefined : value)) as unknown,
      )
    }
    const [atOnce, readBack] = [await linesOf(false), await linesOf(true)]
    expect(atOnce.length).toBeGreaterThan(12)
    expect(atOnce).toEqual(readBack)
  })

  it('as log lines: JSON with correlation ids', async () => {
    const lines: string[] = []
    const keelson = await openKeelson({ directory: ':memory:', steps: { no }, log: (line) => lines.push(line) })
    const handle = await keelson.start(plan(`  - { id: a, run: no }`))
    await handle.result()
    await keelson.close()
    const parsed = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    expect(parsed.map(({ event, level }) => `${String(level)} ${String(event)}`)).toEqual([
      'info execution.started',
      'info step.started',
      'info step.completed',
      'error step.failed',
      'error execution.completed',
    ])
    for (const line of parsed)
      expect(line).toMatchObject({
        executionId: handle.runId,
        correlationId: handle.runId,
        workflowId: 'p',
        runSeq: expect.any(Number),
      })
  })

  it('as OpenTelemetry: a span for the run and one for each step under it, and metrics without a run in them', async () => {
    const spans: { name: string; parent: unknown; status?: number; ended: boolean }[] = []
    const metrics: { name: string; labels: object }[] = []
    const active: { span?: unknown } = {}
    const fake = {
      SpanStatusCode: api.SpanStatusCode,
      context: { active: () => active },
      trace: {
        setSpan: (_: unknown, span: unknown) => ({ span }),
        getTracer: () => ({
          startSpan: (name: string, _options: unknown, context?: { span?: unknown }) => {
            const span = { name, parent: context?.span, ended: false, status: 0 }
            spans.push(span)
            return Object.assign(span, {
              end: () => (span.ended = true),
              setAttribute: () => span,
              setStatus: ({ code }: { code: number }) => (span.status = code),
            })
          },
        }),
      },
      metrics: {
        getMeter: () => {
          const instrument = (name: string) => {
            const note = (_value: number, labels: object): unknown => metrics.push({ name, labels })
            return { add: note, record: note }
          }
          return { createCounter: instrument, createHistogram: instrument }
        },
      },
    } as unknown as typeof api
    const observer = spansAndMetrics(fake)
    for (const event of await told(`  - { id: a, run: twice, ${QUICK} }\n  - { id: b, run: no }`)) observer(event)
    expect(spans.map(({ name, status, ended }) => [name, status, ended])).toEqual([
      ['keelson.execute', 2, true],
      ['keelson.step', 0, true],
      ['keelson.step', 2, true],
    ])
    expect(spans.slice(1).every(({ parent }) => parent === spans[0])).toBe(true)
    expect(metrics.map(({ name }) => name)).toEqual([
      'dvt_runs_started_total',
      'dvt_step_retries_total',
      'dvt_step_retries_total',
      'dvt_step_duration_seconds',
      'dvt_step_duration_seconds',
      'dvt_runs_completed_total',
      'dvt_run_completion_duration_seconds',
    ])
    expect(metrics.flatMap(({ labels }) => Object.keys(labels))).not.toContain('run')
    // With the real API and no SDK set up it costs nothing and says nothing.
    const keelson = await openKeelson({ directory: ':memory:', steps: { ok: () => 1 }, telemetry: true })
    expect(await (await keelson.start(plan(`  - { id: a, run: ok }`))).result()).toMatchObject({ status: 'COMPLETED' })
    await keelson.close()
  })
})
