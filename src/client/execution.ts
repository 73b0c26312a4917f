/** One run of a server in the hands of a program. */
import type { AnswerOf, BodyOf } from '../core/api/contract.ts'
import { cancelExecution, forkExecution, sendSignal } from '../core/api/acts.ts'
import { explainExecution, explainStep, getBundle, getJournal } from '../core/api/execution-log.ts'
import { getExecution, getSnapshot } from '../core/api/executions.ts'
import type { LogRecord } from '../core/events/event.ts'
import type { SignalType } from '../core/run/signals/catalogue.ts'
import { isTerminalRun } from '../core/run/state/transitions.ts'
import type { ShownRun } from '../core/view/show/shown-run.ts'
import { respond } from './ask.ts'
import type { Caller } from './caller.ts'
import type { Connection } from './connection.ts'
import { followRun, type FollowOptions } from './follow.ts'
import { linesOf } from './event-stream.ts'
import { cursorPages } from './pages.ts'
import { newUuid } from './uuid.ts'
import { watchRun } from './watch.ts'

/** A run as the server describes it. */
export type ExecutionState = AnswerOf<typeof getExecution>
export type Snapshot = AnswerOf<typeof getSnapshot>['snapshot']
export type Causes = AnswerOf<typeof explainStep>['causes']
export type Decision = AnswerOf<typeof sendSignal>
type Fork = AnswerOf<typeof forkExecution>

export interface Execution {
  readonly executionId: string
  /** An earlier request had started it; undefined where the run was named by its id. */
  readonly existed?: boolean
  /** As it is now, or as it was after an event. */
  state(at?: number): Promise<ExecutionState>
  /** As it is once it has ended, with its output or its error. */
  result(options?: FollowOptions): Promise<ExecutionState>
  /** Its log after an event, to its end, as it is written. */
  events(after?: number, options?: FollowOptions): AsyncGenerator<LogRecord, void>
  snapshot(at?: number): Promise<Snapshot>
  /** For screens: its snapshot each time it has moved, to its end, and whether events are known to be missing. */
  watch(options?: FollowOptions): AsyncGenerator<ShownRun, void>
  /** Why a step is where it is, or each step that has not ended. */
  why(step: string, at?: number): Promise<Causes>
  why(): Promise<AnswerOf<typeof explainExecution>['steps']>
  /** Sent again with the same `signalId`, it counts once. */
  signal(type: SignalType, payload?: Readonly<Record<string, unknown>>, signalId?: string): Promise<Decision>
  cancel(how?: BodyOf<typeof cancelExecution>): Promise<AnswerOf<typeof cancelExecution>>
  /** A new run from what stands of this one. */
  fork(how?: BodyOf<typeof forkExecution>, options?: { readonly idempotencyKey?: string }): Promise<Execution>
  /** The lines of the bundle that `keelson verify` proves. */
  bundle(): AsyncGenerator<string, void>
  journal(): AsyncGenerator<Readonly<Record<string, unknown>>, void>
}

export function executionOf(connection: Connection, call: Caller, executionId: string, existed?: boolean): Execution {
  const params = { executionId }
  const state = (at?: number): Promise<ExecutionState> => call(getExecution, { params, query: atOf(at) })
  const events = (after = 0, options: FollowOptions = {}): AsyncGenerator<LogRecord, void> =>
    followRun(connection, executionId, after, options)
  function why(step: string, at?: number): Promise<Causes>
  function why(): Promise<AnswerOf<typeof explainExecution>['steps']>
  async function why(step?: string, at?: number): Promise<unknown> {
    if (step === undefined) return (await call(explainExecution, { params })).steps
    return (await call(explainStep, { params: { executionId, step }, query: atOf(at) })).causes
  }
  return {
    executionId,
    ...(existed === undefined ? {} : { existed }),
    state,
    events,
    why,
    result: async (options = {}) => {
      const before = await state()
      if (isTerminalRun(before.status)) return before
      const log = events(before.lastEventSeq, options)
      while ((await log.next()).done !== true);
      return state()
    },
    snapshot: async (at) => (await call(getSnapshot, { params, query: atOf(at) })).snapshot,
    watch: (options) => watchRun(connection, call, executionId, options),
    signal: (signalType, payload = {}, signalId = newUuid()) =>
      call(sendSignal, { params, body: { signalId, signalType, payload } }),
    cancel: (body = {}) => call(cancelExecution, { params, body }),
    fork: async (body = {}, { idempotencyKey } = {}) => {
      const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
      const made = (await call(forkExecution, { params, body, headers })) as Extract<Fork, { executionId: string }>
      return executionOf(connection, call, made.executionId, made.existed)
    },
    bundle: async function* () {
      const { body } = await respond(connection, getBundle, { params })
      if (body !== null) for await (const line of linesOf(body)) if (line !== '') yield line
    },
    journal: () =>
      cursorPages(0, async (cursor) => {
        const { entries, next } = await call(getJournal, { params, query: cursor === 0 ? {} : { cursor } })
        return { items: entries, next }
      }),
  }
}

function atOf(at: number | undefined): { readonly at?: number } {
  return at === undefined ? {} : { at }
}
