/**
 * Open tasks for somebody from outside. The token is shown to who may complete the task; everybody else whose task it could be is told
 * why they may not, by the rule that judges the completion itself (MAN-02, MAN-07). Looking writes nothing.
 */
import { fail } from '../../core/problems/problem.ts'
import type { Refusal } from '../../core/run/people/judge-person.ts'
import { locate, stepAt } from '../../core/run/state/units.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { readTaskAddress, taskAddress } from '../inbox/task-address.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { Services } from '../services.ts'
import {
  freshRun,
  NO_TASK,
  listTasks,
  openTasksFor,
  personRefusal,
  slotOfToken,
  type OpenTask,
  type TaskViewer,
} from './manual-tasks.ts'

export interface TaskFor extends Omit<OpenTask, 'token'> {
  /** Self-contained: it names its run. Absent where this person may not complete the task. */
  readonly token?: string
  readonly mayNot?: Refusal
  /** What the result of the task must be like. */
  readonly evidenceSchema?: unknown
}

export interface TaskParts {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly keys: SigningKeys
}

/** Those of a run that are assigned to this person, or to nobody in particular. */
export async function tasksFor(
  { services, advancer, keys }: TaskParts,
  runId: string,
  viewer: TaskViewer,
): Promise<readonly TaskFor[]> {
  const tasks = await openTasksFor(services, advancer, keys, runId, viewer)
  const row = await services.store.findRun({ tenantId: viewer.tenantId, runId })
  if (row === undefined || tasks.length === 0) return []
  const run = await advancer.current(row.runKey)
  const shown: TaskFor[] = []
  for (const task of tasks) shown.push(await shownTo(services.store, run, task, viewer))
  return shown
}

/** One task by its token, for whoever has the token. */
export async function taskFor(
  { services, advancer, keys }: TaskParts,
  text: string,
  viewer: TaskViewer,
): Promise<TaskFor> {
  const address = readTaskAddress(text) ?? noTask()
  const row = await services.store.findRun({ tenantId: viewer.tenantId, runId: address.runId })
  if (row === undefined || row.archivedAt !== undefined) return noTask()
  const run = await freshRun(advancer, row)
  const slot = await slotOfToken(keys, run, address.token)
  const task = (await listTasks(services.store, keys, run)).find((one) => one.slot === slot)
  if (task === undefined) return noTask()
  const shown = await shownTo(services.store, run, task, viewer)
  // Its holder has the token already.
  return { ...shown, token: text, ...schemaOf(run, task.slot) }
}

/** The same for a text that is no token, for a token of another tenant, and for one whose task is done. */
export function noTask(): never {
  return fail('TASK_NOT_OPEN', NO_TASK)
}

async function shownTo(
  store: RunStore,
  run: LoadedRun,
  task: OpenTask,
  { actorId, roles }: TaskViewer,
): Promise<TaskFor> {
  const { token, ...rest } = task
  const unit = locate(run.state, task.slot)?.unit
  const mayNot = unit === undefined ? undefined : await personRefusal(store, run, unit, actorId, roles)
  return mayNot === undefined ? { ...rest, token: taskAddress({ runId: task.runId, token }) } : { ...rest, mayNot }
}

function schemaOf(run: LoadedRun, slot: string): Pick<TaskFor, 'evidenceSchema'> {
  const unit = locate(run.state, slot)?.unit
  const step = unit === undefined ? undefined : stepAt(run.state.graph, unit.step)
  const schema = step !== undefined && 'manual' in step ? step.manual.evidenceSchema : undefined
  return schema === undefined ? {} : { evidenceSchema: schema }
}
