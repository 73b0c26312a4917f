/**
 * Listener events as OpenTelemetry spans and metrics, through the API package alone: the SDK that the program has set
 * up handles them, and without one they have no effect. The package is optional and loaded only on request.
 */
import type { Counter, Histogram, Span } from '@opentelemetry/api'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import { msFromIso } from '../../core/time.ts'
import type { BareListenerEvent, BareObserver } from '../../ports/listeners.ts'

type Api = typeof import('@opentelemetry/api')
const NAME = 'keelson'

export async function openTelemetry(): Promise<BareObserver> {
  try {
    return spansAndMetrics(await import('@opentelemetry/api'))
  } catch (thrown) {
    const message = 'telemetry was asked for, but the package @opentelemetry/api is not installed'
    throw new KeelsonError([problem('TELEMETRY_UNAVAILABLE', message)], { cause: thrown })
  }
}

interface Meters {
  readonly started: Counter
  readonly ended: Counter
  readonly retries: Counter
  readonly runSeconds: Histogram
  readonly stepSeconds: Histogram
}

export function spansAndMetrics(api: Api): BareObserver {
  const tracer = api.trace.getTracer(NAME)
  const meter = api.metrics.getMeter(NAME)
  const meters: Meters = {
    started: meter.createCounter('dvt_runs_started_total'),
    ended: meter.createCounter('dvt_runs_completed_total'),
    retries: meter.createCounter('dvt_step_retries_total'),
    runSeconds: meter.createHistogram('dvt_run_completion_duration_seconds', { unit: 's' }),
    stepSeconds: meter.createHistogram('dvt_step_duration_seconds', { unit: 's' }),
  }
  const runs = new Map<string, Span>()
  return (told) => {
    measure(meters, told)
    // Two tenants may have runs with the same id.
    const executionId = JSON.stringify([told.event.metadata.tenantId, told.event.executionId])
    const time = msFromIso(told.event.timestamp) ?? 0
    if (told.name === 'execution.started') {
      runs.set(executionId, tracer.startSpan('keelson.execute', { startTime: time, attributes: attributesOf(told) }))
    } else if (told.name === 'step.completed') {
      const parent = runs.get(executionId)
      const context = parent === undefined ? api.context.active() : api.trace.setSpan(api.context.active(), parent)
      const options = { startTime: time - told.event.duration, attributes: attributesOf(told) }
      const span = tracer.startSpan('keelson.step', options, context)
      if (told.event.status === 'failure') markFailed(api, span, told.event.error?.code)
      span.end(time)
    } else if (told.name === 'execution.completed') {
      const span = runs.get(executionId)
      runs.delete(executionId)
      if (told.event.status === 'failed' && span !== undefined) markFailed(api, span, told.event.error?.code)
      span?.setAttribute('keelson.status', told.event.status).end(time)
    }
  }
}

function markFailed(api: Api, span: Span, message = 'failed'): void {
  span.setStatus({ code: api.SpanStatusCode.ERROR, message })
}

/** No metric names a run: that would create too many series for a metrics store (OBS-07). */
function measure(meters: Meters, { name, event }: BareListenerEvent): void {
  const plan = { plan: event.workflowId }
  if (name === 'execution.started') meters.started.add(1, plan)
  if (name === 'step.retried') meters.retries.add(1, { ...plan, step: event.stepId })
  if (name === 'step.completed')
    meters.stepSeconds.record(event.duration / 1000, { ...plan, step: event.stepId, status: event.status })
  if (name !== 'execution.completed') return
  meters.ended.add(1, { ...plan, status: event.status })
  meters.runSeconds.record(event.duration / 1000, { ...plan, status: event.status })
}

function attributesOf({ name, event }: BareListenerEvent): Record<string, string | number> {
  const step = name === 'step.completed' ? { 'keelson.step': event.stepId, 'keelson.attempts': event.attempts } : {}
  return {
    'keelson.run': event.executionId,
    'keelson.plan': event.workflowId,
    'keelson.plan_version': event.metadata.planVersion,
    'keelson.correlation': event.correlationId,
    'keelson.tenant': event.metadata.tenantId,
    ...step,
  }
}
