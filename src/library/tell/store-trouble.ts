/** Where a process says that its store does not answer: to whoever asked for it, or else as a warning; and as a line of its log. */
import { problem } from '../../core/problems/problem.ts'
import type { StoreTrouble } from '../../ports/listeners.ts'
import { warnOfProblem } from './receipt-service.ts'

export interface TroubleOptions {
  /** Told when the store has not answered for a while, every minute that lasts, and when it answers again. Default: a warning. */
  readonly onStoreTrouble?: (trouble: StoreTrouble) => void
  /** Takes structured log lines (JSON) about the runs this process drives and about its store, secrets masked. */
  readonly log?: (line: string) => void
}

/** Nothing that a listener throws reaches the engine. */
export function troubleTeller(
  { onStoreTrouble = warn, log }: TroubleOptions,
  redact: (text: string) => string,
): (trouble: StoreTrouble) => void {
  return (trouble) => {
    const level = trouble.state === 'failing' ? 'error' : 'info'
    const line = { timestamp: new Date().toISOString(), level, event: 'store.trouble', ...trouble }
    try {
      log?.(redact(JSON.stringify(line)))
      onStoreTrouble(trouble)
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown)
      warnOfProblem(problem('LISTENER_FAILED', `a listener failed: ${why}`))
    }
  }
}

function warn({ state, failures, since, code, message }: StoreTrouble): void {
  const told =
    state === 'failing'
      ? `the store has not answered since ${since} (${failures} calls failed, the last with ${code ?? ''}: ${message ?? ''}); it is asked again`
      : `the store answers again; ${failures} calls had failed since ${since}`
  warnOfProblem(problem('STORE_UNAVAILABLE', told))
}
