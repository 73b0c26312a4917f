/**
 * Hook events as OpenTelemetry spans and metrics, through the API package alone: what becomes of them is up to the SDK the
 * program has set up, and without one they are nothing. The package is optional and loaded only when this is asked for.
 */
import type { Counter, Histogram, Span } from '@opentelemetry/api'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import { msFromIso } from '../../core/time.ts'
import type { NamedHook, Observer } from '../../ports/hooks.ts'

type Api = typeof import('@opentelemetry/api')
const NAME = 'keelson'

export async function openTelemetry(): Promise<Observer> {
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

export function spansAndMetrics(api: Api): Observer {
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
  return (hook) => {
    measure(meters, hook)
    const { executionId } = hook.event
    const time = msFromIso(hook.event.timestamp) ?? 0
    if (hook.name === 'execution.started') {
      runs.set(executionId, tracer.startSpan('keelson.execute', { startTime: time, attributes: attributesOf(hook) }))
    } else if (hook.name === 'step.completed') {
      const parent = runs.get(executionId)
      const context = parent === undefined ? api.context.active() : api.trace.setSpan(api.context.active(), parent)
      const options = { startTime: time - hook.event.duration, attributes: attributesOf(hook) }
      const span = tracer.startSpan('keelson.step', options, context)
      if (hook.event.status === 'failure') markFailed(api, span, hook.event.error?.code)
      span.end(time)
    } else if (hook.name === 'execution.completed') {
      const span = runs.get(executionId)
      runs.delete(executionId)
      if (hook.event.status === 'failed' && span !== undefined) markFailed(api, span, hook.event.error?.code)
      span?.setAttribute('keelson.status', hook.event.status).end(time)
    }
  }
}

function markFailed(api: Api, span: Span, message = 'failed'): void {
  span.setStatus({ code: api.SpanStatusCode.ERROR, message })
}

/** No metric names a run: that many series would drown whoever keeps them (OBS-07). */
function measure(meters: Meters, { name, event }: NamedHook): void {
  const plan = { plan: event.workflowId }
  if (name === 'execution.started') meters.started.add(1, plan)
  if (name === 'step.retried') meters.retries.add(1, { ...plan, step: event.stepId })
  if (name === 'step.completed')
    meters.stepSeconds.record(event.duration / 1000, { ...plan, step: event.stepId, status: event.status })
  if (name !== 'execution.completed') return
  meters.ended.add(1, { ...plan, status: event.status })
  meters.runSeconds.record(event.duration / 1000, { ...plan, status: event.status })
}

function attributesOf({ name, event }: NamedHook): Record<string, string | number> {
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
