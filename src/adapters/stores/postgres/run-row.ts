/** Translates the columns of a run into a RunRow; an absent value is NULL there and left out here. */
import type { NewRun, RunRow, RunStatus } from '../../../ports/run-store.ts'

export type Columns = Readonly<Record<string, unknown>>

export function text(row: Columns, column: string): string {
  const value = row[column]
  return typeof value === 'string' ? value : ''
}

/** The driver returns bigint columns as text. */
export function number(row: Columns, column: string): number {
  return Number(row[column] ?? 0)
}

export function bytes(row: Columns, column: string): Uint8Array {
  const value = row[column]
  return value instanceof Uint8Array ? value : new Uint8Array()
}

export function runRow(row: Columns): RunRow {
  return {
    ...identity(row),
    ...summary(row),
    runKey: number(row, 'run_key'),
    epoch: number(row, 'epoch'),
    nextSeq: number(row, 'next_seq'),
    headHash: bytes(row, 'head_hash'),
    createdAt: number(row, 'created_at'),
    updatedAt: number(row, 'updated_at'),
    ...(row['lease_owner'] === null
      ? {}
      : { lease: { owner: text(row, 'lease_owner'), until: number(row, 'lease_until') } }),
    ...(number(row, 'deaths') === 0 ? {} : { deaths: number(row, 'deaths') }),
    ...(row['doing'] === null ? {} : { doing: text(row, 'doing') }),
    ...(row['died_doing'] === null ? {} : { diedDoing: text(row, 'died_doing').split('\n') }),
    ...(row['quarantine'] === null ? {} : { quarantine: text(row, 'quarantine') }),
    ...(row['archived_at'] === null ? {} : { archivedAt: number(row, 'archived_at') }),
    ...(row['archived_to'] === null ? {} : { archivedTo: text(row, 'archived_to') }),
  }
}

function identity(row: Columns): NewRun {
  return {
    runId: text(row, 'run_id'),
    tenantId: text(row, 'tenant_id'),
    projectId: text(row, 'project_id'),
    environmentId: text(row, 'environment_id'),
    planId: text(row, 'plan_id'),
    planVersion: text(row, 'plan_version'),
    planSha256: text(row, 'plan_sha256'),
    engineType: text(row, 'engine_type'),
    engineRunRef: text(row, 'engine_run_ref'),
    ...(row['request_key'] === null ? {} : { requestKey: text(row, 'request_key') }),
    ...(row['original_run_id'] === null ? {} : { originalRunId: text(row, 'original_run_id') }),
    ...(row['parent_run_id'] === null
      ? {}
      : {
          parent: {
            runId: text(row, 'parent_run_id'),
            slot: text(row, 'parent_slot'),
            attempt: number(row, 'parent_attempt'),
          },
        }),
    ...(row['triggered_by'] === null ? {} : { triggeredBy: text(row, 'triggered_by') }),
  }
}

function summary(row: Columns) {
  return {
    status: text(row, 'status') as RunStatus,
    ...(row['substatus'] === null ? {} : { substatus: text(row, 'substatus') }),
    ...(row['next_wake_at'] === null ? {} : { nextWakeAt: number(row, 'next_wake_at') }),
    rulesVersion: number(row, 'rules_version'),
    minRulesVersion: number(row, 'min_rules_version'),
    ...(row['started_at'] === null ? {} : { startedAt: number(row, 'started_at') }),
    ...(row['ended_at'] === null ? {} : { endedAt: number(row, 'ended_at') }),
    stepsTotal: number(row, 'steps_total'),
    stepsDone: number(row, 'steps_done'),
    stepsFailed: number(row, 'steps_failed'),
    ...(row['owed'] === true ? { owed: true as const } : {}),
    ...(row['error_code'] === null ? {} : { errorCode: text(row, 'error_code') }),
  }
}
