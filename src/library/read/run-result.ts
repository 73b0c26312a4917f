/** How a run ended, for a program: its output, or the error that is its cause, from the event that ended it. */
import { recordOf } from '../../app/log/read-events.ts'
import { eventAt } from '../../app/log/stored-events.ts'
import { wasErased } from '../../app/loaded/sound-log.ts'
import { isForeign } from '../../core/engine/engine-type.ts'
import type { LogRecord } from '../../core/events/event.ts'
import { fail } from '../../core/problems/problem.ts'
import type { RunStatus } from '../../core/run/state/transitions.ts'
import type { RunEnd } from '../../ports/engine.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import type { RunLog } from './run-log.ts'

export interface RunError {
  readonly code: string
  /** The step that is the cause. */
  readonly slot?: string
  readonly message?: string
}

/** Of a completed run `output` is what its plan says; it is absent where the plan has none or it was erased. */
export type RunResult<O = unknown> =
  | { readonly runId: string; readonly status: 'COMPLETED'; readonly output: O; readonly error?: undefined }
  | {
      readonly runId: string
      readonly status: Exclude<RunStatus, 'COMPLETED'>
      readonly output?: undefined
      readonly error?: RunError
    }

function isEnd({ eventType }: LogRecord): boolean {
  return eventType === 'RunCompleted' || eventType === 'RunFailed' || eventType === 'RunCancelled'
}

/** Little follows the end of a run: signals that were refused, forks, what came too late. */
const AFTER_END = 100

/** As the log tells it, where nobody here was told: read from its end, and further back only where nothing is found. */
export async function endOnRecord(log: RunLog, runId: string): Promise<RunEnd> {
  const last = await endAmongLast(log, await log.headSeq())
  if (last === undefined)
    return fail('RUN_QUARANTINED', `the row of run ${runId} says that it has ended, but its log does not`)
  const { eventType, payload = {}, data } = last
  return { eventType, payload, ...(data === undefined ? {} : { data }) }
}

async function endAmongLast(log: RunLog, head: number): Promise<LogRecord | undefined> {
  for (let most = AFTER_END; ; most *= 10) {
    const after = Math.max(0, head - most)
    const found = (await log.records(after)).findLast(isEnd)
    if (found !== undefined || after === 0) return found
  }
}

export async function endDetails(
  store: RunStore,
  runKey: RunKey,
  end: RunEnd | undefined,
): Promise<{ readonly output?: unknown; readonly error?: RunError }> {
  const payload = (end?.payload ?? {}) as Readonly<Record<string, unknown>>
  if (end?.eventType === 'RunCompleted') {
    const ref = payload['outputRef'] as { sha256: string } | undefined
    const text = ref === undefined ? undefined : await store.getBlob(runKey, ref.sha256)
    if (ref !== undefined && text === undefined && !(await mayLack(store, runKey)))
      fail('RUN_QUARANTINED', `the stored output ${ref.sha256} is missing`)
    const output = text === undefined ? end.data?.output : (JSON.parse(text) as unknown)
    return output === undefined ? {} : { output }
  }
  if (end?.eventType !== 'RunFailed') return {}
  const error = payload['error'] as { code: string }
  const root = payload['rootCause'] as { slot: string; runSeq: number } | undefined
  const text = root === undefined ? end.data?.errorText : await errorTextAt(store, runKey, root.runSeq)
  return {
    error: {
      code: error.code,
      ...(root === undefined ? {} : { slot: root.slot }),
      ...(text === undefined ? {} : { message: text.message }),
    },
  }
}

/** A value that was erased, or that stayed where the log was imported from. */
async function mayLack(store: RunStore, runKey: RunKey): Promise<boolean> {
  const row = await store.getRun(runKey)
  return (row !== undefined && isForeign(row)) || wasErased(store, runKey)
}

async function errorTextAt(
  store: RunStore,
  runKey: RunKey,
  runSeq: number,
): Promise<{ readonly message: string } | undefined> {
  const stored = await eventAt(store, runKey, runSeq)
  const record = stored === undefined ? undefined : recordOf(stored)
  return record?.ok === true
    ? (record.value.data?.['errorText'] as { readonly message: string } | undefined)
    : undefined
}
