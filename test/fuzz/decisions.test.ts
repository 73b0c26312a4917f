/**
 * Random forgeries of true logs, each sealed anew: events dropped, doubled, moved, laid to another cause, decision or instant.
 * Re-deriving them never throws, and notices nearly all; what is left cuts off an end or changes nothing that was decided.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { recordOf } from '../../src/app/log/read-events.ts'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import { reseal } from '../fixtures/reseal.ts'
import { eventsOf, planOfHistory, recordsOf, type HistoryFile } from '../golden/history-file.ts'
import { randomSource, type RandomSource } from './random-source.ts'
import { SEED } from '../setup/seed.ts'

const FORGERIES = 4_000

const files = globSync(join(import.meta.dirname, '..', 'golden', 'histories', '*', '*.json')).sort()
const histories = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as HistoryFile)

const CAUSES: readonly [string, ...string[]] = [
  'start',
  'adopt',
  'cut:1',
  'timer:grace',
  'timer:retry:a:1',
  'timer:',
  'outcome:a:1:1',
  'outcome:COMP:a:1:1',
  'outcome:::',
  'signal:x',
  'child:x',
  'scope:x',
  'grant:a',
  'integrity',
  'handoff',
  'upgrade',
  'fork',
  'erase',
  'approve',
  'admit',
  '',
  'constructor',
]

function forge(random: RandomSource, records: LogRecord[]): LogRecord[] {
  const at = random.below(records.length)
  const one = records[at]
  if (one === undefined) return records
  switch (random.below(6)) {
    case 0:
      return records.filter((_, index) => index !== at)
    case 1:
      return [...records.slice(0, at), { ...one, runSeq: 10_000 + at }, ...records.slice(at)]
    case 2: {
      const to = random.below(records.length)
      const left = records.filter((_, index) => index !== at)
      return [...left.slice(0, to), one, ...left.slice(to)]
    }
    case 3:
      return records.map((record, index) =>
        index === at ? { ...record, decision: { ...record.decision, cause: random.pick(CAUSES) } } : record,
      )
    case 4:
      return records.map((record, index) =>
        index === at
          ? { ...record, emittedAt: random.pick(['2030-01-01T00:00:00.000Z', '2031-05-05T05:05:05.005Z']) }
          : record,
      )
    default:
      return records.map((record, index) =>
        index === at
          ? { ...record, logicalAttemptId: 1 + random.below(3), engineAttemptId: 1 + random.below(3) }
          : record,
      )
  }
}

it(`${FORGERIES} forged logs: re-deriving throws nothing and notices more than four in five`, () => {
  const seed = SEED
  process.stdout.write(`KEELSON_SEED=${seed}\n`)
  const random = randomSource(seed)
  let noticed = 0
  for (let count = 0; count < FORGERIES; count += 1) {
    const history = histories[random.below(histories.length)] as HistoryFile
    const records = recordsOf(eventsOf(history))
    const edited = reseal(records, (all) => forge(random, forge(random, all)))
    const readable = edited.flatMap((stored) => {
      const record = recordOf(stored)
      return record.ok ? [record.value] : []
    })
    const report = verifyDecisions(readable, planOfHistory(history))
    expect(report.rederived + report.notDerivable.length, `KEELSON_SEED=${seed}, forgery ${count}`).toBeLessThanOrEqual(
      report.decisions,
    )
    if (report.differences.length > 0 || report.notDerivable.length > 0 || readable.length < edited.length) noticed += 1
  }
  // The rest are edits that undo each other, cut off an end, or leave out a signal that changed nothing.
  expect(noticed / FORGERIES).toBeGreaterThan(0.8)
})
