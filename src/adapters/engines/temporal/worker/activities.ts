/**
 * The activities of a run: `wake` advances, `step` is check the log → execute → advance (P-37, P-38). Only they write the log of
 * a run on Temporal. An outcome is never thrown away: the store is asked until it answers, and an outcome under an old epoch is
 * left in the inbox, where it is refused and recorded.
 */
import type { Context } from '@temporalio/activity'
import { engineRunRefText } from '../../../../core/engine/run-ref-text.ts'
import { KeelsonError, problem } from '../../../../core/problems/problem.ts'
import type { Effect } from '../../../../core/run/effect.ts'
import type { TurnResult, EffectOutcome, EngineParts } from '../../../../ports/engine.ts'
import type { RunKey, RunRow } from '../../../../ports/run-store.ts'
import type { TemporalSdk } from '../client/driver.ts'
import { lostReport } from './lost-report.ts'
import { problemOf } from '../client/problem-of.ts'
import { replyOf } from '../client/replies.ts'
import type { CheckedSettings } from '../client/settings.ts'
import { carryOut, withHeartbeat, type AttemptEnd } from './step-attempt.ts'
import { Turns } from './turns.ts'
import {
  LEFT_ALONE,
  longStepId,
  RUN_WORKFLOW,
  type Reply,
  type RunActivities,
  type StepCall,
  type WakeCall,
} from '../sandbox/wire.ts'
import { workflowIdOf } from '../client/workflow-id.ts'

const RETRY_FIRST_MS = 200
const RETRY_MAX_MS = 5_000
/** Of one `wake`. */
const TURNS_AT_ONCE = 20

export interface ActivityParts extends Pick<
  EngineParts,
  'store' | 'driver' | 'clock' | 'timers' | 'onReport' | 'tell'
> {
  readonly settings: CheckedSettings
  readonly sdk: Pick<TemporalSdk, 'activity' | 'common'>
}

/** With the turns that outcomes of one run share. */
interface Recording extends ActivityParts {
  readonly turns: Turns
}

export function runActivities(given: ActivityParts): RunActivities {
  const parts = { ...given, turns: new Turns(given.driver, given.timers) }
  const context = (): Context => parts.sdk.activity.Context.current()
  const beating = <T>(at: Context, work: () => Promise<T>): Promise<T> =>
    withHeartbeat(at, parts.timers, () => tellTemporal(parts, work))
  return {
    wake: (call) => tellTemporal(parts, () => wake(parts, context(), call)),
    step: (call) => beating(context(), () => step(parts, context(), call)),
    longStep: (call) => beating(context(), () => longStep(parts, context(), call)),
  }
}

async function wake(parts: ActivityParts, context: Context, call: WakeCall): Promise<Reply> {
  const { driver, settings } = parts
  const row = await rowOf(parts, call)
  const { rotation } = settings
  const { workflowExecution } = context.info
  if (isElsewhere(row) || isStranger(row, workflowExecution?.workflowId)) return { ...supersededReply(row), rotation }
  await refuseRegression(parts, row, call)
  driver.see?.(row.runKey, row.nextSeq - 1)
  if (call.cancelled === true) await driver.cancel?.(row.runKey, 'the workflow was cancelled')
  const startAs = engineRunRefText({
    engineType: 'temporal',
    namespace: settings.namespace,
    workflowType: RUN_WORKFLOW,
    workflowId: workflowExecution?.workflowId ?? workflowIdOf(row),
    providerRunId: workflowExecution?.runId ?? row.runId,
  })
  const reports = (call.lost ?? []).map((lost) => ({ ...lostReport(lost), epoch: call.epoch }))
  const asked = { epoch: row.epoch, open: true, startAs }
  const report = await untilCalm(parts, row.runKey, reports, asked).catch(unlessStale)
  // It was taken over since its row was read, by a caretaker or another engine: the row says by whom.
  if (report === undefined) return wake(parts, context, call)
  parts.onReport(row.runKey, report)
  const stops = call.draining === true ? report.effects.filter(({ kind }) => kind === 'CancelStep') : report.effects
  return { ...(await replyOf(parts, row, { ...report, effects: stops }, call.after)), rotation }
}

/** A decision that was cut goes on at once (P-11): the way through the server would take longer than all of it. */
async function untilCalm(
  { driver, clock }: ActivityParts,
  runKey: RunKey,
  reports: readonly EffectOutcome[],
  asked: Parameters<EngineParts['driver']['advance']>[2],
): Promise<TurnResult> {
  let report = await driver.advance(runKey, reports, asked)
  for (let turns = 1; turns < TURNS_AT_ONCE && (report.wakeAt ?? Infinity) <= clock.now(); turns += 1)
    report = await driver.advance(runKey, [], asked)
  return report
}

async function step(parts: Recording, context: Context, call: StepCall): Promise<Reply> {
  const { driver } = parts
  const row = await rowOf(parts, call)
  if (isElsewhere(row) || row.epoch !== call.epoch) return supersededReply(row)
  driver.see?.(row.runKey, row.nextSeq - 1)
  const end = await carryOut(parts, context, row.runKey, { ...call, effect: platformEffect(call.effect, context) })
  refuseUnknown(end)
  if (end.kind === 'given-up') return giveUp(parts, row, call, end.late)
  if (end.kind === 'abandoned') inBackground(parts, settleLate(parts, row, call, end.late))
  const report = end.kind === 'reported' ? end.report : undefined
  const open = context.info.attempt > 1 || report === undefined
  return settle(parts, row, call, report === undefined ? [] : [report], open)
}

async function longStep(parts: ActivityParts, context: Context, call: StepCall): Promise<void> {
  const { driver } = parts
  const row = await rowOf(parts, call)
  if (isElsewhere(row) || row.epoch !== call.epoch) return
  driver.see?.(row.runKey, row.nextSeq - 1)
  const end = await carryOut(parts, context, row.runKey, { ...call, effect: platformEffect(call.effect, context) })
  refuseUnknown(end)
  if (end.kind === 'given-up') return giveUp(parts, row, call, end.late)
  const leave = async (report: EffectOutcome | undefined): Promise<void> => {
    if (report !== undefined) await untilDone(parts, () => driver.leave?.(row.runKey, { ...report, epoch: call.epoch }))
  }
  if (end.kind === 'reported') await leave(end.report)
  else inBackground(parts, end.late.then(leave))
}

/** A worker without the handler of the step gives no answer about it: another worker may have the handler. */
function refuseUnknown(end: AttemptEnd): void {
  const result = end.kind === 'reported' ? end.report?.result : undefined
  if (result?.kind !== 'failed' || !(result.thrown instanceof KeelsonError)) return
  if (LEFT_ALONE.includes(result.thrown.code)) throw result.thrown
}

/** The engine attempt counts the platform's own attempts; the id of the effect does not (P-03, P-27). */
function platformEffect(effect: Effect, { info }: Context): Effect {
  return 'engineAttempt' in effect ? { ...effect, engineAttempt: effect.engineAttempt + info.attempt - 1 } : effect
}

async function rowOf({ store }: ActivityParts, { tenantId, runId }: StepCall | WakeCall): Promise<RunRow> {
  const row = await store.findRun({ tenantId, runId })
  if (row === undefined) throw new KeelsonError([problem('RUN_NOT_FOUND', `no run ${runId}`)])
  return row
}

function isElsewhere(row: RunRow): boolean {
  return row.engineType !== 'temporal'
}

/** A second workflow that somebody started for the run under another name; it would send everything out once more. */
function isStranger(row: RunRow, workflowId?: string): boolean {
  const own = workflowIdOf(row)
  return workflowId !== undefined && workflowId !== own && !workflowId.startsWith(longStepId(own, ''))
}

function supersededReply({ epoch, nextSeq }: RunRow): Reply {
  return { epoch, headSeq: nextSeq - 1, effects: [], superseded: true }
}

/** A log that is shorter than this workflow has seen it lost events: nobody may write on. */
async function refuseRegression({ store }: ActivityParts, row: RunRow, call: WakeCall): Promise<void> {
  const { headSeq = 0 } = call
  if (row.epoch > call.epoch || (row.epoch === call.epoch && row.nextSeq - 1 >= headSeq)) return
  await store.quarantine(row.runKey, 'LOG_REGRESSED')
  const [here, seen] = [`${row.nextSeq - 1} (epoch ${row.epoch})`, `${headSeq} (epoch ${call.epoch})`]
  const message = `the log of run ${row.runId} ends at ${here}; the engine has seen ${seen}`
  throw new KeelsonError([problem('LOG_REGRESSED', message)])
}

async function settle(
  parts: Recording,
  row: RunRow,
  call: StepCall,
  reports: readonly EffectOutcome[],
  open: boolean,
): Promise<Reply> {
  try {
    const told = await untilDone(parts, () => parts.turns.take(row.runKey, reports, { ...call, open }))
    parts.onReport(row.runKey, told)
    return await replyOf(parts, row, told)
  } catch (error) {
    if (!(error instanceof KeelsonError) || error.code !== 'RUN_EPOCH_STALE') throw error
    for (const report of reports)
      await untilDone(parts, () => parts.driver.leave?.(row.runKey, { ...report, epoch: call.epoch }))
    return supersededReply(row)
  }
}

/** Another worker gets the attempt. If the reason is that the run moved on, the result that still comes is recorded as late. */
async function giveUp(
  parts: ActivityParts,
  { runKey }: RunRow,
  call: StepCall,
  late: Promise<EffectOutcome | undefined>,
): Promise<never> {
  const leave = async (report: EffectOutcome | undefined): Promise<void> => {
    const now = await rowOf(parts, call)
    if (report === undefined || now.epoch === call.epoch) return
    await untilDone(parts, () => parts.driver.leave?.(runKey, { ...report, epoch: call.epoch }))
  }
  inBackground(parts, late.then(leave))
  throw new Error('the worker gave the attempt up')
}

function unlessStale(error: unknown): undefined {
  if (error instanceof KeelsonError && error.code === 'RUN_EPOCH_STALE') return undefined
  throw error
}

/** Nobody waits for it any more; the log still gets to know. */
async function settleLate(
  parts: Recording,
  row: RunRow,
  call: StepCall,
  late: Promise<EffectOutcome | undefined>,
): Promise<void> {
  const report = await late
  if (report !== undefined) await settle(parts, row, call, [report], false)
}

/** Nobody waits for it: what goes wrong is told instead. */
function inBackground({ tell }: ActivityParts, work: Promise<void>): void {
  work.catch((error: unknown) => tell(problemOf(error)))
}

/** A store that does not answer is asked again: repeating the activity would repeat the step. */
async function untilDone<T>({ timers }: ActivityParts, call: () => T | Promise<T>): Promise<T> {
  for (let wait = RETRY_FIRST_MS; ; wait = Math.min(wait * 2, RETRY_MAX_MS)) {
    try {
      return await call()
    } catch (error) {
      const isPassing = error instanceof KeelsonError && error.problems.some(({ retryable }) => retryable)
      if (!isPassing || error.code === 'RUN_EPOCH_STALE') throw error
      await new Promise<void>((resolve) => void timers.after(wait, resolve))
    }
  }
}

/**
 * Our refusals are final for the platform too, except those that another worker may decide differently; the platform may retry
 * everything else.
 */
async function tellTemporal<T>({ sdk, tell }: ActivityParts, call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof KeelsonError) || error.problems.some(({ retryable }) => retryable)) throw error
    const { ApplicationFailure } = sdk.common
    if (!LEFT_ALONE.includes(error.code)) throw ApplicationFailure.nonRetryable(error.message, error.code)
    tell(problemOf(error))
    throw ApplicationFailure.retryable(error.message, error.code)
  }
}
