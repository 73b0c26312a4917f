/** Listener events as structured log lines: one JSON object each, with the ids that connect the lines of one run. */
import { visibleJson } from '../../core/visible-text.ts'
import type { ListenerEvent, Observer } from '../../ports/listeners.ts'

type Level = 'info' | 'warn' | 'error'

export function logLines(write: (line: string) => void): Observer {
  return (told) => write(visibleJson(JSON.stringify(lineOf(told))))
}

/** The context of the run is left out: a log line is about what happened, not about the run's values. */
function lineOf({ name, event }: ListenerEvent): Readonly<Record<string, unknown>> {
  const {
    timestamp,
    executionId,
    workflowId,
    correlationId,
    metadata,
    state,
    metrics,
    context: _context,
    ...rest
  } = event
  return {
    timestamp,
    level: levelOf({ name, event } as ListenerEvent),
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

function levelOf({ name, event }: ListenerEvent): Level {
  if (name === 'step.failed') return 'error'
  if (name === 'step.retried') return 'warn'
  return name === 'execution.completed' && event.status === 'failed' ? 'error' : 'info'
}
