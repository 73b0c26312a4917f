/** An engine that does one thing otherwise is caught by the corpus' own plans, whichever side it is on. */
import { describe, expect, it } from 'vitest'
import { compareEngines, type EntryDifference } from '../../src/app/conformance/compare-engines.ts'
import { PLAYING } from '../../src/compose/conformance-engines.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import type { ConformanceEngine } from '../../src/ports/conformance.ts'
import { CORPUS, engineOf } from './played.ts'
import { stepSlotOf } from '../../src/core/events/slot-of.ts'

type Change = (records: readonly LogRecord[]) => readonly LogRecord[]

/** The mock engine, whose logs are told otherwise than they were written. */
async function faulty(change: Change): Promise<ConformanceEngine> {
  const engine = await engineOf('mock')
  return {
    ...engine,
    name: 'faulty',
    open: async (wishes) => {
      const bench = await engine.open(wishes)
      const runs: typeof bench.runs = async () =>
        (await bench.runs()).map((run) => ({ ...run, records: change(run.records) }))
      return { ...bench, runs }
    },
  }
}

async function found(name: string, change: Change): Promise<readonly EntryDifference[]> {
  const entries = CORPUS.filter((entry) => entry.name === name)
  const [right, wrong] = [await engineOf('mock'), await faulty(change)]
  const [one, other] = [
    await compareEngines([right, wrong], entries, PLAYING),
    await compareEngines([wrong, right], entries, PLAYING),
  ]
  expect([one.plans, one.equal, one.different, other.different]).toEqual([1, 0, 1, 1])
  return [...one.differences, ...other.differences]
}

const isOf =
  (eventType: string, stepId?: string) =>
  (record: LogRecord): boolean =>
    record.eventType === eventType && stepSlotOf(record) === stepId

/** Puts the first before the second. */
function moved(records: readonly LogRecord[], first: Finder, second: Finder): readonly LogRecord[] {
  const event = records.find(first)
  if (event === undefined) return records
  const rest = records.filter((one) => one !== event)
  return rest.toSpliced(rest.findIndex(second), 0, event)
}
type Finder = (record: LogRecord) => boolean

describe('an engine that', () => {
  it('starts a step before what it depends on is found out', async () => {
    const [difference] = await found('diamond', (records) =>
      moved(records, isOf('StepStarted', 'end'), isOf('StepCompleted', 'left')),
    )
    expect(difference).toMatchObject({ entry: 'diamond', engines: ['mock', 'faulty'], kind: 'order' })
    expect(difference?.left.found).toBe('StepCompleted left#1 < StepStarted end#1')
    expect(difference?.right.found).toBe('StepCompleted left#1 > StepStarted end#1')
    expect(difference?.left.around.length).toBeGreaterThan(3)
    expect(difference?.right.around.length).toBeGreaterThan(3)
  })

  it('forgets an event is found out', async () => {
    const [difference] = await found('continue-with-skips', (records) =>
      records.filter((record) => !isOf('StepSkipped', 'never')(record)),
    )
    expect(difference).toMatchObject({ kind: 'event', slot: 'never' })
    expect(difference?.message).toBe('StepSkipped never#1 is in the left log only')
    expect(difference?.left.around.some((line) => line.startsWith('>') && line.includes('StepSkipped never'))).toBe(
      true,
    )
    expect(difference?.right.around.length).toBeGreaterThan(0)
  })

  it('gives a step another output is found out', async () => {
    const [difference] = await found('sequence', (records) =>
      records.map((record) =>
        isOf('StepCompleted', 'a')(record) ? { ...record, data: { result: { n: 2 } } } : record,
      ),
    )
    expect(difference).toMatchObject({ kind: 'payload', message: 'StepCompleted a#1 differs in data.result.n' })
    expect(difference?.left.found).toContain('"result":{"n":1}')
    expect(difference?.right.found).toContain('"result":{"n":2}')
  })

  it('undoes things in another order is found out', async () => {
    const [difference] = await found('compensation', (records) =>
      moved(records, isOf('CompensationStarted', 'reserve'), isOf('CompensationStarted', 'charge')),
    )
    expect(difference?.kind).toBe('order')
    expect(difference?.left.found).toBe('CompensationStarted COMP:charge#1 < CompensationStarted COMP:reserve#1')
  })
})
