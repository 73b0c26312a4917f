/** Waiting for the end of a run: told at once where this process drives it, found within a poll where another one does. */
import { isSettled, type RunStatus } from '../../core/run/state/transitions.ts'
import type { RunEnd } from '../../ports/engine.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { Parts } from '../parts.ts'

export interface AwaitOptions {
  /** Ends the waiting, not the run: `AbortSignal.timeout(30_000)`, say. */
  readonly signal?: AbortSignal
}

export async function awaitEnd(
  { engine, services, moves }: Parts,
  { runKey }: RunRow,
  { signal }: AwaitOptions,
): Promise<{ readonly status: RunStatus; readonly end?: RunEnd }> {
  const asked = new AbortController()
  // Asked for first: an end between the two is not missed. A handle that nobody asks for its result costs nothing.
  const ended = engine.ended(runKey, asked.signal)
  let isTold = false
  try {
    const now = engine.drives(runKey) ? undefined : await services.store.getRun(runKey)
    if (now !== undefined && isSettled(now)) return { status: now.status }
    const end = await moves.whileOpen(ended, signal)
    isTold = true
    return end
  } finally {
    // Whoever was told waits no more; an abort for nothing costs as much as a step.
    if (!isTold) asked.abort()
  }
}
