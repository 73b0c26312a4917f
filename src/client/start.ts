/** Starts a run on a server, waited for or not. */
import type { BodyOf } from '../core/api/contract.ts'
import { startExecution } from '../core/api/executions.ts'
import { LIMITS } from '../core/limits.ts'
import { askerOf, callerOf } from './caller.ts'
import type { Connection } from './connection.ts'
import { executionOf, type Execution } from './execution.ts'
import { ServerError } from './server-error.ts'

/** Exactly one of `planId`, `planRef` and `plan`; and the input. */
export type StartGiven = BodyOf<typeof startExecution>

export interface StartHow {
  /** Waits for the end of the run: up to 30 s, or so many seconds. The handle comes then too if the run goes on. */
  readonly wait?: boolean | number
  /** The same key and body start one run, and the start is sent again while the server is busy. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
}

export async function startOn(connection: Connection, what: StartGiven, how: StartHow = {}): Promise<Execution> {
  const { wait = false, idempotencyKey, signal } = how
  const seconds = wait === true ? LIMITS.syncWaitMs / 1_000 : Number(wait)
  const headers = {
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...(seconds > 0 ? { prefer: `wait=${Math.ceil(seconds)}` } : {}),
  }
  const call = callerOf(connection)
  try {
    const { body } = await askerOf(connection)(startExecution, {
      body: what,
      headers,
      ...(signal === undefined ? {} : { signal }),
    })
    return executionOf(connection, call, body.executionId, 'existed' in body ? body.existed : undefined)
  } catch (thrown) {
    const id = stillGoing(thrown)
    if (id === undefined) throw thrown
    return executionOf(connection, call, id)
  }
}

/** The wait was over before the run was. */
function stillGoing(thrown: unknown): string | undefined {
  if (!(thrown instanceof ServerError) || thrown.code !== 'TIMEOUT') return undefined
  const id = thrown.problems[0].details?.['executionId']
  return typeof id === 'string' ? id : undefined
}
