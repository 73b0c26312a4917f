/**
 * Logs that other versions had a hand in: events and fields that this one does not know, and an older shape of an event it
 * does know. Readers take them all; stored bytes stay as they are (P-33).
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { envelopeOf, recordOf, recordReader } from '../../src/app/log/read-events.ts'
import { verifyChain } from '../../src/app/verify/chain.ts'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import type { Fields, Upcasters } from '../../src/core/compat/upcast.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import { evolve } from '../../src/core/run/evolve/evolve.ts'
import { foldEventOfRecord } from '../../src/core/run/fold-event.ts'
import { initialState } from '../../src/core/run/state/initial-state.ts'
import { summaryOf } from '../../src/core/run/summary.ts'
import { projectRun } from '../../src/core/view/project/project-run.ts'
import { runMetaOf } from '../../src/core/view/fold/run-meta.ts'
import { snapshotOf } from '../../src/core/view/show/snapshot-of.ts'
import type { StoredEvent } from '../../src/ports/run-store.ts'
import { reseal, type Edit } from '../fixtures/reseal.ts'
import { eventsOf, planOfHistory, recordsOf, type HistoryFile } from './history-file.ts'

const files = globSync(join(import.meta.dirname, 'histories', '*', '*.json')).sort()
const histories = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as HistoryFile)

const NO_UPCASTERS: Upcasters = {}

function read(events: readonly StoredEvent[], upcasters: Upcasters = NO_UPCASTERS): readonly LogRecord[] {
  return events.map((stored) => {
    expect(envelopeOf(stored).ok).toBe(true)
    const record = recordReader(upcasters)(stored)
    if (!record.ok) throw new Error(record.problems[0]?.message ?? 'unreadable')
    return record.value
  })
}

/** What a person would see, and what the run row says. */
function seen(
  history: HistoryFile,
  records: readonly LogRecord[],
): { status: string; summary: object; steps: unknown } {
  const plan = planOfHistory(history)
  const state = records.reduce((folded, record) => evolve(folded, foldEventOfRecord(record)), initialState(plan.graph))
  const meta = runMetaOf(records[0]?.runId ?? '', plan.graph, 'embedded')
  const { status, steps } = snapshotOf(projectRun(meta, records).view)
  return { status, summary: summaryOf(state), steps: JSON.parse(JSON.stringify(steps)) }
}

/** After the last event: nothing before it changes its number. */
const withFutureEvents: Edit = (records) => {
  const last = records.at(-1)
  if (last === undefined) return records
  const { stepId: _stepId, itemIndex: _item, role: _role, data: _data, dataHash: _hash, ...bare } = last
  const future = (name: string, offset: number): LogRecord => ({
    ...bare,
    runSeq: last.runSeq + offset,
    eventType: name,
    payload: { deeply: { unknown: [1, null, {}] } },
    decision: { firstSeq: last.runSeq + offset, cause: 'future' },
  })
  return [...records, future('FutureEvent', 1), future('constructor', 2)]
}

const withFutureFields: Edit = (records) =>
  records.map((record) => ({
    ...record,
    futureField: { any: true },
    payload: { ...record.payload, futureField: ['of', 'another', 'version'] },
  }))

describe.each(histories.map((history) => [history.name, history] as const))('the log of %s', (_name, history) => {
  const records = recordsOf(eventsOf(history))
  const isErased = records.some((one) => one.dataHash !== undefined && one.data === undefined)

  it('is read as before when a later version has added events and fields to it', () => {
    const before = seen(history, read(reseal(records)))
    const events = reseal(records, (all) => withFutureFields([...withFutureEvents(all)]))
    expect(verifyChain(events).broken).toBeUndefined()
    const after = seen(history, read(events))
    expect(after.status).toBe(before.status)
    expect(after.summary).toEqual(before.summary)
    expect(after.steps).toEqual(before.steps)
  })

  it('keeps its decisions when events that are not known stand behind it', () => {
    const report = verifyDecisions(read(reseal(records, withFutureEvents)), planOfHistory(history))
    expect(report.differences).toEqual([])
    expect(report.notDerivable.slice(-2).map((one) => one.why)).toEqual([
      `'FutureEvent' is not an event this version knows`,
      `'constructor' is not an event this version knows`,
    ])
    // A later version may know rules that were ahead of the one that recorded it.
    if (!isErased) expect(report.rederived).toBeGreaterThanOrEqual(history.result.rederived)
  })
})

/** A shape that never was: the error's code and class flat beside each other, and the instant under another name. */
const OLDER: Upcasters = {
  StepFailed: (record) => {
    const { errorCode, errorClass, at, ...payload } = (record['payload'] ?? {}) as Fields
    if (errorCode === undefined) return record
    const error = { code: errorCode, errorClass, retryable: payload['final'] !== true }
    return { ...record, payload: { ...payload, error, failedAt: at } }
  },
}

const toOlder = (record: LogRecord): LogRecord => {
  const { error, failedAt, ...payload } = record.payload ?? {}
  const { code, errorClass } = error as { code: string; errorClass: string }
  return { ...record, payload: { ...payload, errorCode: code, errorClass, at: failedAt } }
}

describe('a log in which an older and today\u2019s shape of one event stand side by side', () => {
  const failing = histories.filter(
    (history) => recordsOf(eventsOf(history)).filter((one) => one.eventType === 'StepFailed').length > 1,
  )

  it.each(failing.map((history) => [history.name, history] as const))(
    'is read whole, folded and projected: %s [VER-02]',
    (_name, history) => {
      const records = recordsOf(eventsOf(history))
      let failures = 0
      const mixed = reseal(records, (all) =>
        all.map((one) => (one.eventType === 'StepFailed' && (failures += 1) % 2 === 1 ? toOlder(one) : one)),
      )
      expect(failures).toBeGreaterThan(1)
      expect(mixed.map((event) => recordOf(event).ok)).toContain(false)
      const after = seen(history, read(mixed, OLDER))
      const before = seen(history, read(reseal(records)))
      expect(after.status).toBe(before.status)
      expect(after.summary).toEqual(before.summary)
      // Bytes are as they were written: only reading makes the one shape of the other.
      expect(mixed.some((event) => event.record.includes('"errorCode"'))).toBe(true)
    },
  )

  it('is tried on logs that hold both', () => {
    expect(failing.length).toBeGreaterThan(2)
  })
})

it('a run of older rules is kept from older processes once this version has written to it: they would take an item for its step [P-52]', () => {
  const old = histories.find((history) => history.result.summary['rulesVersion'] === 1)
  if (old === undefined) throw new Error('no history of the first rules')
  const summary = seen(old, recordsOf(eventsOf(old))).summary
  expect(summary).toMatchObject({ rulesVersion: 1, minRulesVersion: 7 })
})
