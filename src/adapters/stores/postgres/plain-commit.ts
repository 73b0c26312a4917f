/**
 * The commit of one run that goes on, with events and nothing beside them: nearly every commit of a run that has the store
 * to itself. `keelson.commit_run` does half the work of `keelson.commit_runs`, and its answers are the same.
 */
import type { RunCommit } from '../../../ports/run-store.ts'
import { eventColumns, eventParameters } from './insert-events.ts'
import type { Columns } from './run-row.ts'
import type { Session } from './session.ts'

const FIRST_EVENT = 20
const PARAMETERS = Array.from({ length: FIRST_EVENT - 1 }, (_, index) => `$${index + 1}`).join(', ')
const COMMIT = `SELECT verdict, detail, run_key, at FROM keelson.commit_run(${PARAMETERS}, ${eventParameters(FIRST_EVENT)})`

export interface PlainCommit extends RunCommit {
  readonly runKey: number
}

export function isPlain(one: RunCommit): one is PlainCommit {
  const { runKey, create, expected, events } = one
  return (
    runKey !== undefined &&
    create === undefined &&
    events.length > 0 &&
    expected.nextWakeAt === undefined &&
    one.newEpoch === undefined &&
    one.lease === undefined &&
    one.engine === undefined &&
    one.eventWaits === undefined &&
    one.waits === undefined &&
    isNone(one.releases) &&
    isNone(one.claims) &&
    isNone(one.consumed) &&
    isNone(one.context) &&
    isNone(one.notify) &&
    isNone(one.blobs) &&
    events.every(({ runSeq }, index) => runSeq === expected.nextSeq + index)
  )
}

function isNone(part: string | readonly unknown[] | undefined): boolean {
  return part === undefined || part.length === 0
}

/** The test's clock, if there is one: otherwise the server's counts. */
export function writePlain(session: Session, one: PlainCommit, now: number | undefined): Promise<readonly Columns[]> {
  const { runKey, expected, summary, events } = one
  return session.query(COMMIT, [
    now,
    runKey,
    expected.epoch,
    expected.nextSeq,
    one.unread === true,
    expected.nextSeq + events.length,
    events.at(-1)?.chainHash,
    summary.status,
    summary.substatus,
    summary.nextWakeAt,
    summary.rulesVersion,
    summary.minRulesVersion,
    summary.startedAt,
    summary.endedAt,
    summary.stepsTotal,
    summary.stepsDone,
    summary.stepsFailed,
    summary.errorCode,
    summary.owed === true,
    ...eventColumns(events),
  ])
}
