/**
 * Manual tasks: listing the open ones with their tokens, and completing one. Tokens are derived anew each time and stored
 * nowhere (P-35).
 */
import { bitMembers } from '../../core/collections/bit-tree.ts'
import { vectorGet } from '../../core/collections/vector.ts'
import { checkManualCompletion, type ManualCompletion } from '../../core/events/manual-completion.ts'
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import { completionRefusal, judgesPeople, type Refusal } from '../../core/run/people/judge-person.ts'
import type { Unit } from '../../core/run/state/unit.ts'
import type { TaskNews } from '../../core/run/explain/explain.ts'
import type { RefusedPerson } from '../../core/run/explain/not-started.ts'
import { whoMayComplete } from '../../core/run/people/who-may.ts'
import { kindOfUnit, slotOfUnit, stepAt } from '../../core/run/state/units.ts'
import type { InboxRow, RunRef, RunRow, RunStore } from '../../ports/run-store.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { approvedActions, type ApprovedActions } from './approved-actions.ts'
import { RunNews } from '../views/open-task-news.ts'
import { refusedPeople } from '../views/refused-people.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { TaskTexts } from '../loaded/manual-fields.ts'
import type { Services } from '../services.ts'
import { notingRefusal } from './note-refusal.ts'
import { isTaskToken, taskToken, type TaskName } from '../inbox/task-token.ts'
import { isAssigned, textsOf } from '../inbox/task-assignment.ts'
import {
  checkCompletion,
  outcomeOf,
  saysTheSame,
  rolesOfSender,
  senderOf,
  wordOf,
  type TaskCompletion,
} from '../inbox/task-completion.ts'
import { inboxRowId, inboxRowsOf, refusalOf, sentIn } from '../inbox/task-inbox-rows.ts'

/** Without the run's id: a token of another tenant must not be told from one of nothing (AUT-10). */
export const NO_TASK = 'no open task has this token'

export interface OpenTask extends TaskTexts, TaskNews {
  readonly runId: string
  readonly slot: string
  readonly attempt: number
  readonly openedAt: number
  readonly expiresAt?: number
  /** Who may complete it, if a rule says so. */
  readonly whoMay?: string
  /** Who tried and was refused, the latest ones. */
  readonly refused?: readonly RefusedPerson[]
  readonly token: string
}

/** Who asks for the open tasks of a run, as the edge has authenticated and authorised them. */
export interface TaskViewer {
  readonly tenantId: string
  readonly actorId: string
  readonly allowed: boolean
  /** As they were authenticated. */
  readonly roles?: readonly string[]
}

export interface CompletionAnswer {
  /** `conflict`: something else was sent before under this token. The earlier answer counts; nothing was changed (MAN-13). */
  readonly kind: 'accepted' | 'repeat' | 'conflict'
  /** The outcome that counts for this token: for a repeat, the first outcome, unless it was erased (MAN-06). */
  readonly outcome?: TaskCompletion['outcome']
  /** For a repeat: the state of the steps that the task released. */
  readonly approved?: ApprovedActions
}

function taskName({ identity, state }: LoadedRun, unit: Unit): TaskName {
  const { tenantId, runId } = identity
  const { graph, changes } = state
  return { tenantId, runId, slot: slotOfUnit(graph, unit), attempt: unit.attempt, opening: unit.opening, changes }
}

function* openUnits(run: LoadedRun): Generator<Unit> {
  for (const index of bitMembers(run.state.parked)) {
    const unit = vectorGet(run.state.units, index)
    if (unit !== undefined && kindOfUnit(run.state.graph, unit) === 'manual') yield unit
  }
}

/** The open tasks of a run for somebody from outside: those that are theirs to complete, each with its token (MAN-02). */
export async function openTasksFor(
  services: Services,
  advancer: RunAdvancer,
  keys: SigningKeys,
  runId: string,
  viewer: TaskViewer,
): Promise<readonly OpenTask[]> {
  const row = await services.store.findRun({ tenantId: viewer.tenantId, runId })
  if (row === undefined) return fail('RUN_NOT_FOUND', `no run ${runId}`)
  if (!viewer.allowed) return fail('AUTHZ_DENIED', `${viewer.actorId} may not see the tasks of run ${runId}`)
  const run = await freshRun(advancer, row)
  const tasks = await listTasks(services.store, keys, run)
  return tasks.filter((task) => isAssigned(task.assignees, viewer.actorId))
}

/** The fold that this process has, if it is as far as the row; listing tasks must not fold every log anew. */
export async function freshRun(
  advancer: Pick<RunAdvancer, 'current' | 'forget'>,
  { runKey, nextSeq }: RunRow,
): Promise<LoadedRun> {
  const known = await advancer.current(runKey)
  if (known.nextSeq === nextSeq) return known
  advancer.forget(runKey)
  return advancer.current(runKey)
}

/** Every open task of a run, for whoever holds the keys. */
export async function listTasks(store: RunStore, keys: SigningKeys, run: LoadedRun): Promise<readonly OpenTask[]> {
  const key = await keys.current()
  const tasks: OpenTask[] = []
  const { completions } = await refusedPeople(store, run.row.runKey, run.state)
  const units = [...openUnits(run)]
  if (units.length === 0) return tasks
  const news = await RunNews.read(store, run.row.runKey, run.state)
  for (const unit of units) {
    const slot = slotOfUnit(run.state.graph, unit)
    const whoMay = whoMayComplete(run.state, stepAt(run.state.graph, unit.step))
    const refused = completions.get(slot)
    tasks.push({
      runId: run.identity.runId,
      slot,
      attempt: unit.attempt,
      ...(await textsOf({ store, run, state: run.state, unit })),
      openedAt: unit.startedAt,
      ...(unit.timeoutAt < 0 ? {} : { expiresAt: unit.timeoutAt }),
      ...(whoMay === undefined ? {} : { whoMay }),
      ...(refused === undefined ? {} : { refused }),
      ...news.of(unit),
      token: taskToken(key, taskName(run, unit)),
    })
  }
  return tasks
}

/** A repeat of the same token is answered with the first result; any other token finds no open task (MAN-04 … MAN-06). */
export async function completeTask(
  services: Services,
  advancer: RunAdvancer,
  keys: SigningKeys,
  row: RunRow,
  completion: TaskCompletion,
  /** The authenticated person. Without authentication, the given name is believed. */
  subject: string = completion.actorUserId,
): Promise<CompletionAnswer> {
  checkCompletion(completion)
  const attempt = { operation: 'completeTask', actorId: subject } as const
  return notingRefusal(services, row, attempt, () => takeCompletion(services, advancer, keys, row, completion, subject))
}

async function takeCompletion(
  services: Services,
  advancer: RunAdvancer,
  keys: SigningKeys,
  row: RunRow,
  completion: TaskCompletion,
  subject: string,
): Promise<CompletionAnswer> {
  if (completion.actorUserId !== subject)
    fail('AUTHZ_DENIED', `${subject} cannot complete a task in the name of ${completion.actorUserId}`)
  const { store } = services
  const { completionToken } = completion
  const inboxRows = await inboxRowsOf(store, row.runKey, completionToken)
  advancer.forget(row.runKey)
  const run = await advancer.current(row.runKey)
  const unit = await taskOfToken(keys, run, completionToken)
  const standing = await standingInboxRow(store, run, unit, inboxRows)
  if (standing !== undefined) return again(store, run, standing, completion)
  if (unit === undefined || inboxRows.length >= LIMITS.inboxRowsPerTask) return fail('TASK_NOT_OPEN', NO_TASK)
  checkNames(completion, row.runId, slotOfUnit(run.state.graph, unit))
  await checkPerson(store, run, unit, completion)
  const body = {
    slot: slotOfUnit(run.state.graph, unit),
    attempt: unit.attempt,
    engineAttempt: 1,
    seenChanges: run.state.changes,
    ...outcomeOf(completion),
  }
  const ref: RunRef = { tenantId: row.tenantId, runId: row.runId }
  const inboxId = inboxRowId(completionToken, inboxRows.length + 1)
  const answer = await store.insertInbox(ref, { inboxId, kind: 'manual', body: JSON.stringify(body) })
  if (answer.kind === 'duplicate' || answer.kind === 'conflict') return again(store, run, answer.row, completion)
  return { kind: 'accepted', outcome: completion.outcome }
}

/** The inbox row that counts: taken, or still to be taken and not from somebody who will be refused. */
async function standingInboxRow(
  store: RunStore,
  run: LoadedRun,
  unit: Unit | undefined,
  inboxRows: readonly InboxRow[],
): Promise<InboxRow | undefined> {
  for (const inboxRow of inboxRows) {
    const sent = sentIn(inboxRow)
    if (sent === undefined) return inboxRow
    const isWaiting = inboxRow.consumedSeq === undefined && unit !== undefined && judgesPeople(run.state)
    const refusal = isWaiting
      ? completionRefusal(run.state, unit, senderOf(sent), { actorRoles: rolesOfSender(sent) })
      : await refusalOf(store, run.row.runKey, inboxRow)
    if (refusal === undefined) return inboxRow
  }
  return undefined
}

/**
 * The token was used before: the answer is the outcome that counts, and nothing is written, whatever is sent now (MAN-06,
 * MAN-13).
 */
async function again(
  store: RunStore,
  run: LoadedRun,
  row: InboxRow,
  completion: TaskCompletion,
): Promise<CompletionAnswer> {
  const sent = sentIn(row)
  if (sent === undefined) return { kind: 'repeat' }
  const outcome = wordOf(sent)
  if (!saysTheSame(sent, completion)) return { kind: 'conflict', outcome }
  const approved = outcome === 'Succeeded' ? await approvedActions(store, run, sent.slot) : undefined
  return { kind: 'repeat', outcome, ...(approved === undefined ? {} : { approved }) }
}

/** The slot of the open task that the token is of. */
export async function slotOfToken(keys: SigningKeys, run: LoadedRun, token: string): Promise<string | undefined> {
  const unit = await taskOfToken(keys, run, token)
  return unit === undefined ? undefined : slotOfUnit(run.state.graph, unit)
}

async function taskOfToken(keys: SigningKeys, run: LoadedRun, token: string): Promise<Unit | undefined> {
  const key = await keys.find(token.slice(0, Math.max(0, token.indexOf('.'))))
  if (key === undefined) return undefined
  for (const unit of openUnits(run)) if (isTaskToken(key, taskName(run, unit), token)) return unit
  return undefined
}

/**
 * Checked before anything is stored, so that the person is told at once. The decision is judged again where it is applied
 * (MAN-07).
 */
async function checkPerson(
  store: RunStore,
  run: LoadedRun,
  unit: Unit,
  { actorUserId: actorId, actorRoles }: TaskCompletion,
): Promise<void> {
  const refusal = await personRefusal(store, run, unit, actorId, actorRoles)
  if (refusal !== undefined) fail(refusal.code, refusal.why)
}

/** Why this person may not complete the task now; undefined when they may. */
export async function personRefusal(
  store: RunStore,
  run: LoadedRun,
  unit: Unit,
  actorId: string,
  actorRoles?: readonly string[],
): Promise<Refusal | undefined> {
  const { assignees } = await textsOf({ store, run, state: run.state, unit })
  const told = isAssigned(assignees, actorId) ? {} : { notAssigned: true as const }
  return completionRefusal(run.state, unit, actorId, { ...told, actorRoles })
}

/** The signal of another system, checked against its schema (MAN-03). */
export function readCompletion(value: unknown): TaskCompletion {
  const wrong = checkManualCompletion(value)
  if (wrong !== undefined) return fail('TASK_COMPLETION_INVALID', `the completion${wrong}`)
  const { schemaVersion: _version, completedAtIso: _at, ...completion } = value as ManualCompletion
  return completion
}

function checkNames({ runId, actionId }: TaskCompletion, run: string, slot: string): void {
  if (runId !== undefined && runId !== run)
    fail('TASK_COMPLETION_INVALID', `the completion is of run ${runId}, not of ${run}`)
  if (actionId !== undefined && actionId !== slot)
    fail('TASK_COMPLETION_INVALID', `the token is of '${slot}', not of '${actionId}'`)
}
