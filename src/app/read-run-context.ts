/**
 * The run as of one event, in the shape its steps and its owner read it: metadata, variables, results of the steps that
 * have ended (CTX-01 … CTX-03, CTX-06). Made only when somebody asks.
 */
import type { RunState } from '../core/run/state.ts'
import { isoFromMs, msFromIso } from '../core/time.ts'
import { runMetaOf } from '../core/view/run-meta.ts'
import type { StepSnapshot } from '../core/view/run-snapshot.ts'
import { snapshotOf } from '../core/view/snapshot-of.ts'
import { fail } from '../core/problems/problem.ts'
import type { ExecutionInfo, RunContext, StepResult } from '../ports/run-context.ts'
import type { RunStore } from '../ports/run-store.ts'
import { jsonCopy } from './json-copy.ts'
import { correlationOf, type LoadedRun } from './load-run.ts'
import { readRunView } from './project-run.ts'
import { readVariables } from './read-variables.ts'
import { stepOutput } from './run-outputs.ts'

export function executionInfo(run: LoadedRun): ExecutionInfo {
  const { runId, planId } = run.identity
  const startedAt = isoFromMs(Math.max(0, run.state.startedAt))
  return Object.freeze({ id: runId, workflowId: planId, startedAt, correlationId: correlationOf(run) })
}

/** `state` may be newer than `atSeq`: what came later is left out. */
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
  for (const step of snapshotOf(view.value).steps) {
    const status = step.role === undefined ? statusOf(step) : undefined
    if (status === undefined) continue
    const output = await stepOutput(store, run, state, step.stepId, atSeq)
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
