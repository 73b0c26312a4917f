/**
 * Manual tasks: listing the open ones with their tokens, and completing one. A token is an HMAC over run, slot, attempt
 * and opening: it is derived anew each time and stored nowhere (P-35).
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { bitMembers } from '../core/collections/bit-tree.ts'
import { vectorGet } from '../core/collections/vector.ts'
import type { ErrorInfo } from '../core/events/event.ts'
import { checkManualCompletion, type ManualCompletion } from '../core/events/manual-completion.ts'
import { parseDutyRule } from '../core/plan/duty-rule.ts'
import { fail } from '../core/problems/problem.ts'
import { dutyViolation } from '../core/run/duties.ts'
import type { Outcome } from '../core/run/input.ts'
import type { Unit } from '../core/run/state.ts'
import { kindOfUnit, slotOfUnit, stepAt } from '../core/run/units.ts'
import type { EffectReport } from '../ports/engine.ts'
import type { InboxRow, RunRef, RunRow, RunStore } from '../ports/run-store.ts'
import type { SigningKey, SigningKeys } from '../ports/signing-keys.ts'
import type { RunAdvancer } from './advance-run.ts'
import { approvedActions, type ApprovedActions } from './approved-actions.ts'
import { canonicalText } from './canonical.ts'
import { dutyFacts } from './duty-facts.ts'
import type { LoadedRun } from './load-run.ts'
import { openTaskTexts, type TaskTexts } from './manual-fields.ts'
import { mustBeRecordable } from './recordable.ts'
import type { Services } from './services.ts'
import { sha256Hex } from './sha256.ts'

export interface OpenTask extends TaskTexts {
  readonly runId: string
  readonly slot: string
  readonly attempt: number
  readonly openedAt: number
  readonly expiresAt?: number
  readonly token: string
}

export interface TaskCompletion {
  readonly completionToken: string
  readonly outcome: 'Succeeded' | 'Failed' | 'Cancelled'
  readonly actorUserId: string
  readonly notes?: string
  readonly evidenceRefs?: readonly string[]
  readonly result?: unknown
  /** Of the signal's form (MAN-03): where they are given, they must be the task's. */
  readonly runId?: string
  readonly actionId?: string
}

/** Who asks for the open tasks of a run, as the edge has authenticated and authorised them. */
export interface TaskViewer {
  readonly tenantId: string
  readonly actorId: string
  readonly allowed: boolean
}

export interface CompletionAnswer {
  /** `conflict`: under this token something else was sent before. That stands; nothing was changed (MAN-13). */
  readonly kind: 'accepted' | 'repeat' | 'conflict'
  /** What stands for this token: of a repeat the first one's outcome, unless it was erased (MAN-06). */
  readonly outcome?: TaskCompletion['outcome']
  /** Of a repeat: what became of the steps it released. */
  readonly approved?: ApprovedActions
}

function tokenOf(key: SigningKey, runId: string, unit: Unit, slot: string): string {
  return `${key.keyId}.${createHmac('sha256', key.secret).update(`${runId}|${slot}|${unit.attempt}|${unit.opening}`).digest('hex')}`
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
  advancer.forget(row.runKey)
  const run = await advancer.current(row.runKey)
  const tasks = await listTasks(services.store, keys, run)
  return tasks.filter((task) => isAssigned(task.assignees, viewer.actorId))
}

/** Every open task of a run, for whoever holds the keys. */
export async function listTasks(store: RunStore, keys: SigningKeys, run: LoadedRun): Promise<readonly OpenTask[]> {
  const key = await keys.current()
  const tasks: OpenTask[] = []
  for (const unit of openUnits(run)) {
    const slot = slotOfUnit(run.state.graph, unit)
    tasks.push({
      runId: run.identity.runId,
      slot,
      attempt: unit.attempt,
      ...(await textsOf(store, run, unit)),
      openedAt: unit.startedAt,
      ...(unit.timeoutAt < 0 ? {} : { expiresAt: unit.timeoutAt }),
      token: tokenOf(key, run.identity.runId, unit, slot),
    })
  }
  return tasks
}

/** A changed input may have taken away what the texts were made of: then they are told as written, and it is nobody's. */
async function textsOf(store: RunStore, run: LoadedRun, unit: Unit): Promise<TaskTexts> {
  const step = stepAt(run.state.graph, unit.step)
  if (!('manual' in step)) return { title: step.stepId }
  const texts = await openTaskTexts(store, run, unit, step.manual)
  if (texts.ok) return texts.value
  const { title, assignees } = step.manual
  return assignees === undefined || assignees.length === 0 ? { title } : { title, assignees: [NOBODY] }
}

/** No person's name is empty. */
const NOBODY = ''

/** A repeat of the same token is answered with the first result; any other token finds no open task (MAN-04 … MAN-06). */
export async function completeTask(
  services: Services,
  advancer: RunAdvancer,
  keys: SigningKeys,
  row: RunRow,
  completion: TaskCompletion,
  /** Who is authenticated. Where nobody is, people are who they say they are. */
  subject: string = completion.actorUserId,
): Promise<CompletionAnswer> {
  checkCompletion(completion)
  if (completion.actorUserId !== subject)
    fail('AUTHZ_DENIED', `${subject} cannot complete a task in the name of ${completion.actorUserId}`)
  const ref: RunRef = { tenantId: row.tenantId, runId: row.runId }
  const inboxId = `manual:${sha256Hex(completion.completionToken)}`
  const first = await services.store.findInbox(row.runKey, inboxId)
  advancer.forget(row.runKey)
  const run = await advancer.current(row.runKey)
  if (first !== undefined) return again(services.store, run, first, completion)
  const unit = await taskOfToken(keys, run, completion.completionToken)
  if (unit === undefined) return fail('TASK_NOT_OPEN', `no open task of run ${row.runId} has this token`)
  checkNames(completion, row.runId, slotOfUnit(run.state.graph, unit))
  await checkPerson(services.store, run, unit, completion.actorUserId)
  const body = {
    slot: slotOfUnit(run.state.graph, unit),
    attempt: unit.attempt,
    engineAttempt: 1,
    ...outcomeOf(completion),
  }
  const answer = await services.store.insertInbox(ref, { inboxId, kind: 'manual', body: JSON.stringify(body) })
  if (answer.kind === 'duplicate' || answer.kind === 'conflict')
    return again(services.store, run, answer.row, completion)
  return { kind: 'accepted', outcome: completion.outcome }
}

interface RecordedCompletion {
  readonly slot: string
  readonly result?: unknown
  readonly outcome?: { readonly error: { readonly code: string } }
}

/** The token was used before: what stands is told, and nothing is written, whatever is sent now (MAN-06, MAN-13). */
async function again(
  store: RunStore,
  run: LoadedRun,
  row: InboxRow,
  completion: TaskCompletion,
): Promise<CompletionAnswer> {
  // Erased: what was sent is not known any more.
  if (row.body === '') return { kind: 'repeat' }
  const body = JSON.parse(row.body) as RecordedCompletion
  const outcome = recorded(body)
  // As it would be stored: JSON leaves out what is undefined.
  const asked = JSON.parse(JSON.stringify(outcomeOf(completion))) as Omit<RecordedCompletion, 'slot'>
  if (fingerprint(body) !== fingerprint(asked)) return { kind: 'conflict', outcome }
  const approved = outcome === 'Succeeded' ? await approvedActions(store, run, body.slot) : undefined
  return { kind: 'repeat', outcome, ...(approved === undefined ? {} : { approved }) }
}

/** Of everything a person decides: outcome, result, notes, evidence, and who they are. */
function fingerprint({ result, outcome }: Omit<RecordedCompletion, 'slot'>): string {
  return canonicalText({ ...(result === undefined ? {} : { result }), ...(outcome === undefined ? {} : { outcome }) })
}

/** The outcome an inbox row holds, as the person who sent it put it. */
function recorded({ outcome }: RecordedCompletion): TaskCompletion['outcome'] {
  if (outcome === undefined) return 'Succeeded'
  return outcome.error.code === 'MANUAL_CANCELLED' ? 'Cancelled' : 'Failed'
}

async function taskOfToken(keys: SigningKeys, run: LoadedRun, token: string): Promise<Unit | undefined> {
  const key = await keys.find(token.slice(0, Math.max(0, token.indexOf('.'))))
  if (key === undefined) return undefined
  const given = Buffer.from(token)
  for (const unit of openUnits(run)) {
    const expected = Buffer.from(tokenOf(key, run.identity.runId, unit, slotOfUnit(run.state.graph, unit)))
    if (given.length === expected.length && timingSafeEqual(given, expected)) return unit
  }
  return undefined
}

/** Before anything is stored: the task must be this person's, and its rule must have nothing against them (MAN-07). */
async function checkPerson(store: RunStore, run: LoadedRun, unit: Unit, actor: string): Promise<void> {
  const step = stepAt(run.state.graph, unit.step)
  if (!('manual' in step)) return
  const { rule: written } = step.manual
  const { assignees } = await textsOf(store, run, unit)
  if (!isAssigned(assignees, actor)) fail('AUTHZ_DENIED', `'${step.stepId}' is not assigned to ${actor}`)
  if (written === undefined) return
  const rule = parseDutyRule(written)
  if (rule === undefined)
    return fail('TASK_RULE_UNKNOWN', `the rule '${written}' of '${step.stepId}' is not known here`)
  const violation = dutyViolation(rule, await dutyFacts(store, run, step, actor))
  if (violation !== undefined)
    fail('AUTHZ_DENIED', `${actor} may not complete '${step.stepId}': ${violation} (${written})`)
}

function isAssigned(assignees: readonly string[] | undefined, actor: string): boolean {
  return assignees === undefined || assignees.length === 0 || assignees.includes(actor)
}

/** A success goes the way of every output (schema, captures, offloading); a refusal is final as it stands. */
function outcomeOf(completion: TaskCompletion): Pick<EffectReport, 'result'> | { readonly outcome: Outcome } {
  const { actorUserId: actorId, notes, evidenceRefs } = completion
  if (completion.outcome === 'Succeeded') {
    const by = {
      actorId,
      ...(notes === undefined ? {} : { notes }),
      ...(evidenceRefs === undefined ? {} : { evidenceRefs }),
    }
    return { result: { kind: 'completed', output: completion.result ?? null, artifactRefs: [], durationMs: 0, by } }
  }
  const code = completion.outcome === 'Failed' ? 'MANUAL_FAILED' : 'MANUAL_CANCELLED'
  const error: ErrorInfo = { code, retryable: false, errorClass: 'permanent', category: 'business' }
  const data = notes === undefined ? {} : { data: { notes, errorText: { message: notes } } }
  const evidence = evidenceRefs === undefined ? {} : { evidenceRefs }
  return { outcome: { kind: 'failed', error, actorId, ...evidence, final: true, ...data } }
}

/** The signal of another system, held against its schema (MAN-03). */
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

const NAME_CHARS = 255
const NOTES_CHARS = 8_192

/** What a person sends is checked before it is stored: a row that cannot be recorded would stop the run. */
function checkCompletion(completion: TaskCompletion): void {
  const { actorUserId, notes, evidenceRefs, result } = completion
  mustBeRecordable({ actorUserId, notes, evidenceRefs, result }, 'TASK_COMPLETION_INVALID', 'the completion')
  const isName = (text: unknown): boolean => typeof text === 'string' && text.length > 0 && text.length <= NAME_CHARS
  if (!isName(actorUserId))
    fail('TASK_COMPLETION_INVALID', `actorUserId must be a text of 1 to ${NAME_CHARS} characters`)
  if (notes !== undefined && (typeof notes !== 'string' || notes.length > NOTES_CHARS)) {
    fail('TASK_COMPLETION_INVALID', `notes must be a text of at most ${NOTES_CHARS} characters`)
  }
  if (evidenceRefs !== undefined && !(Array.isArray(evidenceRefs) && evidenceRefs.every(isName))) {
    fail('TASK_COMPLETION_INVALID', `evidenceRefs must be texts of 1 to ${NAME_CHARS} characters`)
  }
  if (!['Succeeded', 'Failed', 'Cancelled'].includes(completion.outcome)) {
    fail(
      'TASK_COMPLETION_INVALID',
      `outcome must be Succeeded, Failed or Cancelled, not '${String(completion.outcome)}'`,
    )
  }
}
