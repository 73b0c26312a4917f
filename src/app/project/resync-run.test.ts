import { describe, expect, it } from 'vitest'
import { buildLog } from '../../../test/fixtures/log-builder.ts'
import { logStore } from '../../../test/fixtures/log-store.ts'
import { META } from '../../../test/fixtures/seen-run.ts'
import { projectRun } from '../../core/view/project/project-run.ts'
import { replay, type ResyncResponse } from '../../core/view/project/resync.ts'
import { snapshotOf } from '../../core/view/show/snapshot-of.ts'
import { VIEW_VERSION } from '../../core/view/project/stored-view.ts'
import type { LogRecord } from '../../core/events/event.ts'
import { resyncRun } from './resync-run.ts'
import { viewBody } from './stored-views.ts'

function longLog(events: number, firstSeq = 1): readonly LogRecord[] {
  const log = buildLog('run-1', firstSeq).add('RunApproved').add('RunStarted')
  for (let i = 2; i < events; i += 1)
    log.add(i % 2 === 0 ? 'StepStarted' : 'StepCompleted', { stepId: `s${Math.floor(i / 2)}` })
  return log.records
}
async function served(
  store: ReturnType<typeof logStore>,
  request: Parameters<typeof resyncRun>[2],
): Promise<ResyncResponse> {
  const answer = await resyncRun(store, 'tenant', request)
  if (!answer.ok) throw new Error(answer.problems[0]?.message)
  return answer.value
}
function withView(
  records: readonly LogRecord[],
  seq: number,
  rulesVersion = VIEW_VERSION,
): ReturnType<typeof logStore> {
  const store = logStore(records)
  const upTo = records.filter((one) => one.runSeq <= seq)
  const body = viewBody(projectRun(META, upTo).view, upTo.at(-1)?.chainHash ?? '')
  store.snapshots.push({ kind: 'view', seq, rulesVersion, body })
  return store
}
const numbers = (response: ResyncResponse): readonly number[] => response.events.map((one) => one.runSeq)

describe('a resync', () => {
  it('in full gives the whole log from its lowest number to the head, page by page [PRJ-12, X-24]', async () => {
    const records = longLog(3000, 7)
    const store = logStore(records)
    const response = await served(store, { mode: 'FULL', runId: 'run-1' })
    expect(response.mode).toBe('FULL')
    expect(numbers(response)).toEqual(records.map((one) => one.runSeq))
    expect(numbers(response)[0]).toBe(7)
    expect(store.reads.length).toBeGreaterThanOrEqual(3)
  })

  it('from a snapshot gives the newest one not beyond the number and every event after that snapshot [PRJ-13, X-23]', async () => {
    const records = longLog(14)
    const store = withView(records, 8)
    const response = await served(store, { mode: 'FROM_SNAPSHOT', runId: 'run-1', checkpointSeq: 10 })
    expect(response).toMatchObject({ mode: 'FROM_SNAPSHOT', snapshot: { lastEventSeq: 8 } })
    expect(numbers(response)).toEqual([9, 10, 11, 12, 13, 14])
    const replayed = replay(META, response)
    expect(replayed && snapshotOf(replayed.view)).toEqual(snapshotOf(projectRun(META, records).view))
  })

  it('without any snapshot is full, and says so [STO-16]', async () => {
    const response = await served(logStore(longLog(5)), { mode: 'FROM_SNAPSHOT', runId: 'run-1', checkpointSeq: 3 })
    expect(response.mode).toBe('FULL')
    expect(response.snapshot).toBeUndefined()
    expect(numbers(response)).toEqual([1, 2, 3, 4, 5])
  })

  it('without a snapshot at or below the number is full, and says so [PRJ-28]', async () => {
    const response = await served(withView(longLog(24), 20), {
      mode: 'FROM_SNAPSHOT',
      runId: 'run-1',
      checkpointSeq: 10,
    })
    expect(response.mode).toBe('FULL')
    expect(numbers(response)).toHaveLength(24)
  })

  it('does not hand out a view of another version: that is a migration, in full [PRJ-15]', async () => {
    const response = await served(withView(longLog(24), 8, VIEW_VERSION + 1), {
      mode: 'FROM_SNAPSHOT',
      runId: 'run-1',
      checkpointSeq: 10,
    })
    expect(response.mode).toBe('FULL')
  })

  it('finds nothing for another tenant', async () => {
    const answer = await resyncRun(logStore(longLog(3)), 'other', { mode: 'FULL', runId: 'run-1' })
    expect(answer).toMatchObject({ ok: false, problems: [{ code: 'RUN_NOT_FOUND' }] })
  })
})
