/**
 * The logs of every recorded version, read today: their chain verifies, they fold and project to what they did when they
 * were written, and every decision in them is made again (A8, I16). They are recorded once by record-histories.ts.
 */
import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { verifyChain } from '../../src/app/verify/chain.ts'
import { checkDecisions } from '../../src/app/rederive/check-decisions.ts'
import { EVENT_TYPES } from '../../src/core/events/event.ts'
import { SIGNAL_TYPES } from '../../src/core/run/signals/catalogue.ts'
import { eventsOf, planOfHistory, recordsOf, resultOf, type HistoryFile } from './history-file.ts'

const files = globSync(join(import.meta.dirname, 'histories', '*', '*.json')).sort()
const versions = [...new Set(files.map((file) => basename(dirname(file))))]
const historyOf = (file: string): HistoryFile => JSON.parse(readFileSync(file, 'utf8')) as HistoryFile
const nameOf = (file: string): string => `${basename(dirname(file))}/${basename(file, '.json')}`

describe.each(files.map((file) => [nameOf(file), file] as const))('the history %s', (_name, file) => {
  const history = historyOf(file)
  const plan = planOfHistory(history)
  const events = eventsOf(history)

  it('is whole to its last byte [P-33]', () => {
    const report = verifyChain(events)
    expect(report.broken).toBeUndefined()
    expect(report.missingData).toEqual([])
    expect(report.headHash).toBe(history.headHash)
  })

  it('folds, projects and owes what it did when it was recorded (I16)', () => {
    const { rederived: _rederived, ...recorded } = history.result
    expect(resultOf(recordsOf(events), plan)).toMatchObject(recorded)
  })

  it('is decided again as it was then, on facts that follow from its values (I6)', async () => {
    const { unchecked, ...report } = await checkDecisions(
      events,
      () => plan,
      () => Promise.resolve(undefined),
    )
    expect(unchecked).toBeUndefined()
    expect(report.differences).toEqual([])
    expect(report.decisions).toBe(history.result.decisions)
    // A later version may know rules that were ahead of this one.
    expect(report.rederived).toBeGreaterThanOrEqual(history.result.rederived)
    expect((report.rederived ?? 0) + (report.notDerivable?.length ?? 0)).toBe(report.decisions)
  })
})

describe.each(versions)('the histories of version %s', (version) => {
  const ofVersion = files.filter((file) => basename(dirname(file)) === version)
  const records = ofVersion.flatMap((file) => recordsOf(eventsOf(historyOf(file))))

  it('are at least fifty, and small enough to be kept for ever (A8)', () => {
    expect(ofVersion.length).toBeGreaterThanOrEqual(50)
    expect(ofVersion.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(1_500_000)
  })

  if (version !== '0.1') return

  it('hold every event, every signal, every policy and every way to end', () => {
    // Only a run that began under older rules is upgraded: the histories of before hold one.
    const types = EVENT_TYPES.filter((type) => type !== 'RulesUpgraded')
    expect([...new Set(records.map((one) => one.eventType))].sort()).toEqual([...types].sort())
    const accepted = records.filter((one) => one.eventType === 'SignalAccepted')
    expect([...new Set(accepted.map((one) => one.payload?.['signalType']))].sort()).toEqual([...SIGNAL_TYPES].sort())
    const histories = ofVersion.map(historyOf)
    const policies = histories.map((one) => planOfHistory(one).plan.policy.onFailure)
    expect([...new Set(policies)].sort()).toEqual(['continue', 'failFast', 'hold'])
    const statuses = histories.map((one) => one.result.summary['status'])
    expect([...new Set(statuses)].sort()).toEqual(['APPROVED', 'CANCELLED', 'COMPLETED', 'FAILED'])
    expect(records.some((one) => one.dataHash !== undefined && one.data === undefined)).toBe(true)
    expect(records.some((one) => one.role === 'fallback')).toBe(true)
    expect(accepted.some((one) => one.payload?.['undo'] === true)).toBe(true)
    expect(records.some((one) => one.payload?.['receivedEvent'] !== undefined)).toBe(true)
    const origins = records.map((one) => one.payload?.['origin'] as { planSource?: unknown } | undefined)
    expect(origins.some((origin) => origin?.planSource !== undefined)).toBe(true)
    expect(histories.some((one) => one.result.midway.some(({ owed }) => owed.length > 0))).toBe(true)
  })
})
