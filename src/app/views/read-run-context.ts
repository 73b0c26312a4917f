/**
 * The run as of one event, in the shape that its steps and its owner read: metadata, variables, results of the steps
 * that have ended (CTX-01 … CTX-03, CTX-06). Made only on request.
 */
import type { RunState } from '../../core/run/state/state.ts'
import { isoFromMs, msFromIso } from '../../core/time.ts'
import { runMetaOf } from '../../core/view/fold/run-meta.ts'
import type { StepSnapshot } from '../../core/view/fold/run-snapshot.ts'
import { snapshotOf } from '../../core/view/show/snapshot-of.ts'
import { fail } from '../../core/problems/problem.ts'
import type { ExecutionInfo, RunContext, StepResult } from '../../ports/run-context.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { jsonCopy } from '../log/json-copy.ts'
import { correlationOf, type LoadedRun } from '../loaded/load-run.ts'
import { readRunView } from '../project/read-view.ts'
import { readVariables } from '../loaded/read-variables.ts'
import { outputSeqs, stepOutput } from '../loaded/run-outputs.ts'
import { readTogether } from '../values/read-together.ts'

export function executionInfo(run: LoadedRun): ExecutionInfo {
  const { runId, planId } = run.identity
  const startedAt = isoFromMs(Math.max(0, run.state.startedAt))
  return Object.freeze({ id: runId, workflowId: planId, startedAt, correlationId: correlationOf(run) })
}

/** `state` may be newer than `atSeq`: later events are left out. */
export async function readRunContext(
  store: RunStore,
  run: LoadedRun,
  state: RunState,
  atSeq: number,
): Promise<RunContext> {
  const { row, plan } = run
  const meta = runMetaOf(row.runId, plan.graph, row.engineType)
  const view = await readRunView(store, row.runKey, meta, atSeq)
  if (!view.ok) return fail('RUN_QUARANTINED', `the log of run ${row.runId} cannot be read`)
  const steps = new Map<string, StepResult>()
  const ended = snapshotOf(view.value).steps.flatMap((step) => {
    const status = statusOf(step)
    return status === undefined ? [] : [{ step, status }]
  })
  const seqs = outputSeqs(
    state,
    ended.map(({ step }) => step.stepId),
  )
  const log = await readTogether(store, row.runKey, seqs)
  for (const { step, status } of ended) {
    const output = await stepOutput(log, run, state, step.stepId, atSeq)
    steps.set(step.stepId, Object.freeze(resultOf(step, status, jsonCopy(output))))
  }
  const variables = Object.freeze(jsonCopy(await readVariables(store, run, atSeq)))
  return Object.freeze({ execution: executionInfo(run), variables, steps })
}

/** Undefined for a step that has not ended. */
function statusOf({ status, error, retryAt }: StepSnapshot): StepResult['status'] | undefined {
  if (status === 'SUCCESS') return 'success'
  if (status === 'SKIPPED') return 'skipped'
  if (status !== 'FAILED' || retryAt !== undefined) return undefined
  return error?.code === 'CANCELLED' ? 'cancelled' : 'failure'
}

function resultOf(step: StepSnapshot, status: StepResult['status'], output: unknown): StepResult {
  const completedAt = step.completedAt ?? ''
  const startedAt = step.attempts.find((attempt) => attempt.startedAt !== undefined)?.startedAt ?? completedAt
  const hasOutput = status === 'success' || step.recovered === true
  return {
    stepId: step.stepId,
    status,
    ...(hasOutput ? { output } : {}),
    ...(step.error === undefined || status === 'success' ? {} : { error: step.error }),
    startedAt,
    completedAt,
    attempts: step.attempts.filter((attempt) => attempt.startedAt !== undefined).length,
    duration: Math.max(0, (msFromIso(completedAt) ?? 0) - (msFromIso(startedAt) ?? 0)),
  }
}
