/** A batch as the parameters of `keelson.commit_runs`: run rows as JSON by column names, events as arrays by column. */
import type { NewRun, RunCommit, RunKey } from '../../../ports/run-store.ts'
import { eventColumns } from './insert-events.ts'
import { bigintArray, integerArray, textArray } from './wire-array.ts'

export interface CommitSettings {
  /** Wait for rows that others lock, instead of skipping them. */
  readonly wait: boolean
  /** The test's clock; the server's clock when absent. */
  readonly now: number | undefined
  /** The callers' time: under the server's clock a lease has the same length as under theirs. */
  readonly callers: number
}

/** A commit of a batch that was written, for what goes with it in the same transaction. */
export interface Written {
  readonly one: RunCommit
  readonly runKey: RunKey
  /** The store's time of the commit. */
  readonly at: number
}

export function commitValues(turn: readonly RunCommit[], settings: CommitSettings): readonly unknown[] {
  const { wait, now } = settings
  const places = turn.map((one, index) => ({ place: index + 1, one }))
  const creates = places.flatMap(({ place, one }) =>
    one.create === undefined ? [] : [{ place, ...moved(one), ...leased(one, settings), ...created(one.create) }],
  )
  const moves = places.flatMap(({ place, one }) =>
    one.create === undefined ? [{ place, ...moved(one), ...leased(one, settings) }] : [],
  )
  const events = turn.flatMap((one) => one.events)
  return [
    wait,
    now,
    bigintArray(turn.map(({ create, runKey }) => (create === undefined ? (runKey ?? 0) : 0))),
    bigintArray(turn.map(({ expected }) => expected.epoch)),
    bigintArray(turn.map(({ expected }) => expected.nextSeq)),
    textArray(turn.map(brokenBefore)),
    textOf(moves),
    textOf(creates),
    restOf(places),
    integerArray(places.flatMap(({ place, one }) => one.events.map(() => place))),
    ...eventColumns(events),
  ]
}

const textOf = (items: readonly unknown[]): string | undefined =>
  items.length === 0 ? undefined : JSON.stringify(items)

/** Faults of a commit that do not depend on the store. They are reported after the store's own reasons. */
function brokenBefore({ create, consumed, events, expected }: RunCommit): string | undefined {
  if (create !== undefined && consumed !== undefined && consumed.length > 0) return 'inboxId'
  return events.some((event, index) => event.runSeq !== expected.nextSeq + index) ? 'runSeq' : undefined
}

function created(run: NewRun) {
  return {
    run_id: run.runId,
    tenant_id: run.tenantId,
    project_id: run.projectId,
    environment_id: run.environmentId,
    plan_id: run.planId,
    plan_version: run.planVersion,
    plan_sha256: run.planSha256,
    engine_type: run.engineType,
    engine_run_ref: run.engineRunRef,
    request_key: run.requestKey,
    original_run_id: run.originalRunId,
    parent_run_id: run.parent?.runId,
    parent_slot: run.parent?.slot,
    parent_attempt: run.parent?.attempt,
    triggered_by: run.triggeredBy,
  }
}

const ZERO_HASH = '0'.repeat(64)

function moved({ create, events, expected, newEpoch, summary }: RunCommit) {
  const head = events.at(-1)?.chainHash
  return {
    epoch: newEpoch ?? expected.epoch,
    next_seq: expected.nextSeq + events.length,
    head_hash: head === undefined ? (create === undefined ? undefined : ZERO_HASH) : Buffer.from(head).toString('hex'),
    status: summary.status,
    substatus: summary.substatus,
    next_wake_at: summary.nextWakeAt,
    rules_version: summary.rulesVersion,
    min_rules_version: summary.minRulesVersion,
    started_at: summary.startedAt,
    ended_at: summary.endedAt,
    steps_total: summary.stepsTotal,
    steps_done: summary.stepsDone,
    steps_failed: summary.stepsFailed,
    error_code: summary.errorCode,
    owed: summary.owed === true,
  }
}

function leased({ lease }: RunCommit, { now, callers }: CommitSettings) {
  if (lease === undefined) return {}
  const { owner, until } = lease
  return { lease_owner: owner, ...(now === undefined ? { lease_ms: until - callers } : { lease_until: until }) }
}

type Placed = { readonly place: number; readonly one: RunCommit }

/** Undefined for a batch that writes only events and run rows. */
function restOf(places: readonly Placed[]): string | undefined {
  const all = <T>(
    pick: (one: RunCommit) => readonly T[] | undefined,
  ): readonly (T & { place: number; pos: number })[] =>
    places.flatMap(({ place, one }) => (pick(one) ?? []).map((item, pos) => ({ ...item, place, pos })))
  const consumed = all(({ consumed: inboxRows }) => inboxRows?.map(({ inboxId, seq }) => ({ inbox_id: inboxId, seq })))
  const context = all((one) => one.context)
  const blobs = all((one) => one.blobs)
  const notify = all(({ notify: inboxRows }) =>
    inboxRows?.map(({ run, row }) => ({
      tenant_id: run.tenantId,
      run_id: run.runId,
      inbox_id: row.inboxId,
      kind: row.kind,
      body: row.body,
    })),
  )
  const grants = places.flatMap(({ place, one }) => {
    const { releases, claims, waits } = one
    const uses = (releases ?? []).length > 0 || (claims ?? []).length > 0 || waits !== undefined
    return uses ? [{ place, releases, claims, waits }] : []
  })
  const unread = places.some(({ one }) => one.unread === true) ? places.map(({ one }) => one.unread === true) : []
  const parts = { consumed, context, blobs, notify, grants, unread }
  const used = Object.entries(parts).filter(([, items]) => items.length > 0)
  return used.length === 0 ? undefined : JSON.stringify(Object.fromEntries(used))
}
