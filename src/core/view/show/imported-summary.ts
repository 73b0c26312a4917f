/**
 * What the row of an imported run shows: a fold of what people see, without a plan and without our rules. It wakes nobody and owes
 * nothing, because nobody drives the run here.
 */
import type { LogRecord } from '../../events/event.ts'
import type { StateSummary } from '../../run/summary.ts'
import { isTerminalRun } from '../../run/state/transitions.ts'
import { msFromIso } from '../../time.ts'
import { projectRun } from '../project/project-run.ts'
import { snapshotOf } from './snapshot-of.ts'

export function importedSummary(runId: string, records: readonly LogRecord[]): StateSummary {
  const { status, steps, failedSteps, startedAt, completedAt, rootCause } = snapshotOf(
    projectRun({ runId, stepIds: [] }, records).view,
  )
  const started = startedAt === undefined ? undefined : msFromIso(startedAt)
  const ended = completedAt === undefined || !isTerminalRun(status) ? undefined : msFromIso(completedAt)
  const done = steps.filter((step) => step.status === 'SUCCESS' || step.status === 'SKIPPED')
  return {
    status,
    rulesVersion: 1,
    minRulesVersion: 1,
    stepsTotal: steps.length,
    stepsDone: done.length,
    stepsFailed: failedSteps,
    ...(started === undefined ? {} : { startedAt: started }),
    ...(ended === undefined ? {} : { endedAt: ended }),
    ...(status === 'FAILED' && rootCause !== undefined ? { errorCode: rootCause.code } : {}),
  }
}
