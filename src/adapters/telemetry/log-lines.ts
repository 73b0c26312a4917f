/** Hook events as structured log lines: one JSON object each, with the ids that tie lines of one run together, redacted. */
import type { NamedHook, Observer } from '../../ports/hooks.ts'

export interface LogOptions {
  readonly write: (line: string) => void
  /** Masks what must not be shown; in front of every line. */
  readonly redact: (text: string) => string
}

type Level = 'info' | 'warn' | 'error'

export function logLines({ write, redact }: LogOptions): Observer {
  return (hook) => write(redact(JSON.stringify(lineOf(hook))))
}

/** The context of the run is left out: a log line is about what happened, not about what the run holds. */
function lineOf({ name, event }: NamedHook): Readonly<Record<string, unknown>> {
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
    level: levelOf({ name, event } as NamedHook),
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

function levelOf({ name, event }: NamedHook): Level {
  if (name === 'step.failed') return 'error'
  if (name === 'step.retried') return 'warn'
  return name === 'execution.completed' && event.status === 'failed' ? 'error' : 'info'
}
