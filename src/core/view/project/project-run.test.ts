import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { META, deepFreeze, richLog, started } from '../../../../test/fixtures/seen-run.ts'
import type { LogRecord } from '../../events/event.ts'
import { detectNonContiguous, incrementalProject, projectRun } from './project-run.ts'
import { emptyView, type RunView } from '../fold/run-view.ts'
import { snapshotOf } from '../show/snapshot-of.ts'
import { SEED as seed } from '../../../../test/setup/seed.ts'
import { cpuMsOf } from '../../../../test/fixtures/cpu-time.ts'

describe('the fold', () => {
  const whole = richLog().records

  it('has the contract of the seeds [PRJ-01]', () => {
    expect(detectNonContiguous(11, 13)).toEqual({ observedNonContiguous: true })
    expect(detectNonContiguous(11, 12)).toEqual({ observedNonContiguous: false })
    expect(detectNonContiguous(11, 11)).toEqual({ observedNonContiguous: false })
    const inOne = projectRun(META, whole)
    const inTwo = incrementalProject(projectRun(META, whole.slice(0, 9)).view, whole.slice(9))
    expect(snapshotOf(inTwo.view)).toEqual(snapshotOf(inOne.view))
  })

  it('has the shape of the seeds and ends where the log ends [PRJ-04, PRJ-06]', () => {
    const snapshot = snapshotOf(projectRun(META, whole).view)
    expect(Object.keys(snapshot).sort()).toEqual(
      [
        'artifacts',
        'completedAt',
        'engineRunRef',
        'failedSteps',
        'lastEventSeq',
        'runId',
        'startedAt',
        'status',
        'steps',
        'totalDurationMs',
      ].sort(),
    )
    expect(snapshot.lastEventSeq).toBe(Math.max(...whole.map((one) => one.runSeq)))
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
  })

  it('sorts shuffled input and invents no number for a gap [PRJ-02]', () => {
    const gapped = whole.map((record) => (record.runSeq > 5 ? { ...record, runSeq: record.runSeq + 10 } : record))
    const expected = snapshotOf(projectRun(META, gapped).view)
    expect(expected.lastEventSeq).toBe(whole.length + 10)
    expect({ ...expected, lastEventSeq: 0 }).toEqual({ ...snapshotOf(projectRun(META, whole).view), lastEventSeq: 0 })
    fc.assert(
      fc.property(fc.shuffledSubarray(gapped, { minLength: gapped.length }), (shuffled) => {
        expect(snapshotOf(projectRun(META, shuffled).view)).toEqual(expected)
      }),
      { seed, numRuns: 200 },
    )
  })

  it('never changes an earlier view, frozen to the bottom [PRJ-03, X-100]', () => {
    let view: RunView = deepFreeze(emptyView(META))
    for (const record of whole) {
      const text = JSON.stringify(snapshotOf(view))
      const next = incrementalProject(view, [deepFreeze(record)]).view
      expect(next).not.toBe(view)
      expect(JSON.stringify(snapshotOf(view))).toBe(text)
      view = deepFreeze(next)
    }
    expect(snapshotOf(view)).toEqual(snapshotOf(projectRun(META, whole).view))
  })

  it('gives the same in any chunking, with any repeats [EVT-31, PRJ-19, X-08]', () => {
    const expected = projectRun(META, whole)
    const cut = fc.array(fc.integer({ min: 0, max: whole.length }), { maxLength: 6 })
    const repeats = fc.array(fc.integer({ min: 0, max: whole.length - 1 }), { maxLength: 10 })
    fc.assert(
      fc.property(cut, repeats, (cuts, again) => {
        const bounds = [0, ...cuts.toSorted((a, b) => a - b), whole.length]
        let view = emptyView(META)
        bounds.slice(1).forEach((end, i) => {
          const from = bounds[i] ?? 0
          const repeated = again.flatMap((index) => (index < end ? (whole[index] ?? []) : []))
          const before = view.lastEventSeq
          view = incrementalProject(view, [...whole.slice(from, end), ...repeated]).view
          expect(view.lastEventSeq).toBeGreaterThanOrEqual(before)
        })
        expect(snapshotOf(view)).toEqual(snapshotOf(expected.view))
      }),
      { seed, numRuns: 200 },
    )
  })

  it('takes a foreign log that stored every event twice for the same state, its mark moved [X-08, EVT-31]', () => {
    const again = whole.map((record, i): LogRecord => ({ ...record, runSeq: whole.length + 1 + i }))
    const { view, alerts } = projectRun(META, [...whole, ...again])
    const snapshot = snapshotOf(view)
    expect(snapshot.lastEventSeq).toBe(2 * whole.length)
    expect({ ...snapshot, lastEventSeq: 0 }).toEqual({ ...snapshotOf(projectRun(META, whole).view), lastEventSeq: 0 })
    expect(alerts).toEqual([])
  })

  it('takes 1,000,000 duplicates without divergence [PRJ-25]', () => {
    const { view } = projectRun(META, whole)
    const before = JSON.stringify(snapshotOf(view))
    const batch = Array.from({ length: 1000 }, (_, i) => whole[i % whole.length] as LogRecord)
    let now = view
    for (let round = 0; round < 1000; round += 1) now = incrementalProject(now, batch).view
    expect(JSON.stringify(snapshotOf(now))).toBe(before)
  })

  it('rebuilds 100,000 events in seconds, and ten times the plan costs about ten times [PRJ-25]', () => {
    const timed = (steps: number): number => {
      const stepIds = Array.from({ length: steps }, (_, i) => `s${i}`)
      const log = started()
      for (const stepId of stepIds) log.add('StepStarted', { stepId })
      for (const stepId of stepIds) log.add('StepCompleted', { stepId })
      let view = emptyView({ runId: 'run-1', stepIds, edges: [] })
      const took = cpuMsOf(() => {
        for (const record of log.records) view = incrementalProject(view, [record]).view
      })
      expect(snapshotOf(view).steps.every((one) => one.status === 'SUCCESS')).toBe(true)
      return took
    }
    timed(5000)
    const small = timed(5000)
    const large = timed(50_000)
    expect(large).toBeLessThan(60_000)
    expect(large / small).toBeLessThan(30)
  })
})
