/** The typed client of a Keelson server: the entry `keelson/client`. It needs `fetch` and nothing else, so it works in browsers too. */
import { listTasks, completeTask } from '../core/api/tasks.ts'
import type { AnswerOf, BodyOf, QueryOf } from '../core/api/contract.ts'
import { listExecutions } from '../core/api/executions.ts'
import { listPlans, publishPlan } from '../core/api/plans.ts'
import { whoAmI } from '../core/api/process.ts'
import { askerOf, callerOf, type Asker, type Caller } from './caller.ts'
import { openConnection, type ConnectOptions } from './connection.ts'
import { executionOf, type Execution, type ExecutionState } from './execution.ts'
import { cursorPages } from './pages.ts'
import { startOn, type StartGiven, type StartHow } from './start.ts'
import { workOn, type WorkOptions } from './work.ts'

export { backoffSeconds } from './backoff.ts'
export { KeelsonError, type Problem } from '../core/problems/problem.ts'
export { ServerError } from './server-error.ts'
export type { ShownRun } from '../core/view/show/shown-run.ts'
export type { ConnectOptions } from './connection.ts'
export type { Causes, Decision, Execution, ExecutionState, Snapshot } from './execution.ts'
export type { FollowOptions } from './follow.ts'
export type { StartGiven, StartHow } from './start.ts'
export type { WorkArtifact, WorkContext, WorkFunction, WorkOptions } from './work.ts'

export type Task = AnswerOf<typeof listTasks>['tasks'][number]
export type PublishedPlan = AnswerOf<typeof publishPlan>
export type Me = AnswerOf<typeof whoAmI>

export interface Client {
  /** The address of the server. */
  readonly url: string
  /** Any route of the server, typed by its row in the table: `call('getSnapshot', { params: { executionId } })`. */
  readonly call: Caller
  /** The same with status and headers. */
  readonly ask: Asker
  start(what: StartGiven, how?: StartHow): Promise<Execution>
  /** A run by its id; it is not looked up before something is asked of it. */
  run(executionId: string): Execution
  /** Runs that fit, newest first. */
  runs(filter?: Omit<QueryOf<typeof listExecutions>, 'cursor'>): AsyncGenerator<ExecutionState, void>
  /** Tasks that wait for a person, of the newest runs first; at most `limit`, default 1,000. */
  tasks(
    which?: Omit<QueryOf<typeof listTasks>, 'cursor'>,
    how?: { readonly signal?: AbortSignal },
  ): Promise<readonly Task[]>
  complete(token: string, how: BodyOf<typeof completeTask>): Promise<AnswerOf<typeof completeTask>>
  /** The text of a plan file, or the plan as an object. */
  publish(plan: string | Readonly<Record<string, unknown>>, how?: PublishHow): Promise<PublishedPlan>
  plans(): AsyncGenerator<PublishedPlan, void>
  /** Does steps that plans send to queues, until the signal is aborted. */
  work(options: WorkOptions): Promise<void>
  /** Whom the server takes this program for. */
  me(): Promise<Me>
}

export interface PublishHow {
  /** Only checks it. */
  readonly check?: boolean
  /** The name of the file, for the positions of problems. */
  readonly file?: string
}

const MOST_TASKS = 1_000

async function firstOf<T>(all: AsyncIterable<T>, limit: number): Promise<readonly T[]> {
  const found: T[] = []
  for await (const one of all) if (found.push(one) >= limit) break
  return found
}

export function connect(options: ConnectOptions): Client {
  const connection = openConnection(options)
  const call = callerOf(connection)
  return {
    url: connection.base,
    call,
    ask: askerOf(connection),
    start: (what, how) => startOn(connection, what, how),
    run: (executionId) => executionOf(connection, call, executionId),
    runs: (filter = {}) =>
      cursorPages<ExecutionState, string | undefined>(undefined, async (cursor) => {
        const query = { ...filter, ...(cursor === undefined ? {} : { cursor }) }
        const { executions, next } = await call(listExecutions, { query })
        return { items: executions, next }
      }),
    tasks: (which = {}, how = {}) => {
      const { limit = MOST_TASKS } = which
      const pages = cursorPages<Task, string | undefined>(undefined, async (cursor) => {
        const query = { ...which, ...(cursor === undefined ? {} : { cursor }) }
        const { tasks, next } = await call(listTasks, { query, ...how })
        return { items: tasks, next }
      })
      return firstOf(pages, limit)
    },
    complete: (token, body) => call(completeTask, { params: { token }, body }),
    publish: (plan, how = {}) =>
      call(publishPlan, { body: { ...how, ...(typeof plan === 'string' ? { text: plan } : { plan }) } }),
    plans: () =>
      cursorPages<PublishedPlan, string | undefined>(undefined, async (cursor) => {
        const { plans, next } = await call(listPlans, { query: cursor === undefined ? {} : { cursor } })
        return { items: plans, next }
      }),
    work: (how) => workOn(connection, call, how),
    me: () => call(whoAmI),
  }
}
