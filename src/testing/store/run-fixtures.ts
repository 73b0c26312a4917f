/** Runs and summaries for tests of a store, complete and valid; each field can be changed. */
import type { NewRun, RunSummary } from '../../ports/run-store.ts'

export function newRun(changes: Partial<NewRun> & { readonly runId: string }): NewRun {
  return {
    tenantId: 'tenant-a',
    projectId: 'project-a',
    environmentId: 'test',
    planId: 'plan-a',
    planVersion: '1.0.0',
    planSha256: '0'.repeat(64),
    engineType: 'embedded',
    engineRunRef: `embedded://${changes.runId}`,
    ...changes,
  }
}

export function summary(changes: Partial<RunSummary> = {}): RunSummary {
  return {
    status: 'RUNNING',
    rulesVersion: 1,
    minRulesVersion: 1,
    stepsTotal: 10,
    stepsDone: 0,
    stepsFailed: 0,
    ...changes,
  }
}
