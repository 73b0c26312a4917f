/** Listener events as structured log lines: one JSON object each, with the ids that connect the lines of one run. */
import { visibleJson } from '../../core/visible-text.ts'
import type { BareListenerEvent, BareObserver } from '../../ports/listeners.ts'

type Level = 'info' | 'warn' | 'error'

export function logLines(write: (line: string) => void): BareObserver {
  return (told) => write(visibleJson(JSON.stringify(lineOf(told))))
}

/** A log line is about what happened, not about the run's values. */
function lineOf({ name, event }: BareListenerEvent): Readonly<Record<string, unknown>> {
  const { timestamp, executionId, workflowId, correlationId, metadata, state, metrics, ...rest } = event
  return {
    timestamp,
    level: levelOf({ name, event } as BareListenerEvent),
    event: name,
    correlationId,
    executionId,
    workflowId,
    ...rest,
    ...metadata,
    state,
    metrics,
  }
}

function levelOf({ name, event }: BareListenerEvent): Level {
  if (name === 'step.failed') return 'error'
  if (name === 'step.retried') return 'warn'
  return name === 'execution.completed' && event.status === 'failed' ? 'error' : 'info'
}
