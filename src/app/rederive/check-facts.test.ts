/**
 * Logs with a valid chain whose decisions follow from their facts, but with a fact that does not follow from the
 * values.
 */
import { receiptKeys } from '../../../test/fixtures/receipt-book.ts'
import { describe, expect, it } from 'vitest'
import { eraseRun } from '../archive/erase-run.ts'
import { checkBundle } from '../verify/check-bundle.ts'
import { bundleLines } from '../log/run-bundle.ts'
import { checkDecisions, type DecisionCheck } from './check-decisions.ts'
import type { LogRecord } from '../../core/events/event.ts'
import type { StoredEvent } from '../../ports/run-store.ts'
import { readAll, reseal, type Edit } from '../../../test/fixtures/reseal.ts'
import { changed, loaded, told, type Told } from '../../../test/fixtures/told-run.ts'
import { World } from '../../../test/fixtures/virtual-world.ts'

const PLAN = `
context: { seen: [], last: 0 }
output: { n: '\${steps.a.output.n}', twice: '\${steps.fan.output[].k}', seen: '\${context.seen}' }
steps:
  - { id: a, run: a, capture: [{ destination: seen, merge: append, transform: n }, { destination: last, transform: name }] }
  - { id: b, run: b, if: 'steps.a.output.go == \`3\`', unless: 'context.last == \`9\`' }
  - { id: fan, run: c, forEach: steps.a.output.list, with: { k: '\${item}' } }
  - { id: w, wait: { forMs: '\${steps.a.output.ms}' } }
  - { id: skipped, run: b, if: 'steps.a.output.no' }
  - { id: m, run: b, forEach: steps.fan.output, with: { k: '\${item.k}' } }
`
const SCRIPT = {
  a: () => ({ n: 3, go: 3, name: 'Ada', list: [1, 2], ms: 20, no: false }),
  c: ({ input }: { readonly input: unknown }) => input,
}

async function checked({ world, key, yaml }: Told, events: readonly StoredEvent[]): Promise<DecisionCheck> {
  const blobs = world.disk.runs[key - 1]?.blobs
  return checkDecisions(
    events,
    () => loaded(yaml),
    (sha256) => Promise.resolve(blobs?.get(sha256)),
  )
}

const withData =
  (change: (data: Record<string, unknown>) => Record<string, unknown>) =>
  (record: LogRecord): LogRecord => ({ ...record, data: change({ ...record.data }) })

const withResult = (change: object): ((record: LogRecord) => LogRecord) =>
  withData((data) => ({ ...data, result: { ...(data['result'] as object), ...change } }))

describe('the facts of a log', () => {
  it('follow from what it recorded [P-05]', async () => {
    const run = await told(PLAN, SCRIPT)
    const report = await checked(run, reseal(run.records))
    expect(report).toMatchObject({ follows: true, differences: [] })
    // Two conditions, two lists, a wait, a capture, the output.
    expect(report.facts).toEqual({ checked: 7, erased: [] })
  })

  it.each<readonly [string, Edit, string, string, string]>([
    [
      'a condition',
      changed('StepCompleted', 'a', withResult({ go: 4 })),
      'StepStarted b',
      "if steps.a.output.go == `3` and unless context.last == `9` of 'b' gives condition false",
      'condition true',
    ],
    [
      'a condition that was false',
      changed('StepCompleted', 'a', withResult({ no: 1 })),
      'StepSkipped skipped',
      "if steps.a.output.no of 'skipped' gives condition true",
      'condition false',
    ],
    [
      'a list',
      changed('StepCompleted', 'a', withResult({ list: [1, 2, 3] })),
      'StepStarted fan',
      'forEach steps.a.output.list of \'fan\' gives items {"count":3',
      'items {"count":2',
    ],
    [
      'the order of a list',
      changed('StepCompleted', 'a', withResult({ list: [2, 1] })),
      'StepStarted fan',
      'forEach steps.a.output.list of \'fan\' gives items {"count":2',
      'items {"count":2',
    ],
    [
      'a wait',
      changed('StepCompleted', 'a', withResult({ ms: 21 })),
      'StepStarted w',
      "wait of 'w' gives waitForMs 21",
      'waitForMs 20',
    ],
    [
      'the output of an item',
      (records) =>
        records.map((one) =>
          one.itemIndex === 1 && one.eventType === 'StepCompleted' && one.stepId?.startsWith('fan') === true
            ? withResult({ k: 5 })(one)
            : one,
        ),
      'StepStarted m',
      "forEach steps.fan.output of 'm' gives items",
      'items',
    ],
    [
      'a captured value',
      changed(
        'StepCompleted',
        'a',
        withData((data) => ({ ...data, captureValues: [3, 'Eva'] })),
      ),
      'StepCompleted a',
      'the captures of a to be',
      '"(3 characters)"',
    ],
    [
      "the run's output",
      changed(
        'RunCompleted',
        undefined,
        withData(() => ({ output: { n: null, seen: [3], twice: [1, 2] } })),
      ),
      'RunCompleted',
      'gives output {"n":3',
      'output {"n":null',
    ],
  ])(
    '%s that does not follow is named with its expression (I6) [P-05]',
    async (_what, edit, where, expected, found) => {
      const run = await told(PLAN, SCRIPT)
      const events = reseal(run.records, edit)
      const report = await checked(run, events)
      expect(report.follows).toBe(false)
      const [first] = report.differences ?? []
      const at = readAll(events).find(({ runSeq }) => runSeq === first?.runSeq)
      expect(`${at?.eventType ?? ''} ${at?.stepId ?? ''}`.trim()).toBe(where)
      expect(first).toMatchObject({ code: 'FACT_MISMATCH' })
      expect(first?.expected).toContain(expected)
      expect(first?.found).toContain(found)
    },
  )

  it('are derived again from a bundle alone, with the values that lie beside its events [P-43]', async () => {
    const world = new World()
    const large = 'x'.repeat(70_000)
    const process = world.process('p', { script: { ...SCRIPT, a: () => ({ ...SCRIPT.a(), large }) } })
    const key = await process.start(PLAN)
    await world.runUntil(() => world.hasEnded(key))
    const { decisions, blobs } = await checkBundle(bundleLines(process.store, world.row(key)))
    expect(decisions).toMatchObject({ follows: true, facts: { checked: 7, erased: [] } })
    expect(blobs).toBe(3)
  })

  it('name no text of anybody [SEC-03]', async () => {
    const run = await told(PLAN, SCRIPT)
    const edit = changed('StepCompleted', 'a', withResult({ name: 'Somebody Else' }))
    const report = await checked(run, reseal(run.records, edit))
    expect(report.differences).toHaveLength(1)
    expect(JSON.stringify(report.differences)).not.toMatch(/Ada|Somebody/)
  })

  it('of a value that is not in its place any more are not taken for right [P-43]', async () => {
    const run = await told("steps: [{ id: a, run: a }, { id: b, run: b, if: 'steps.a.output.ok' }]", {
      a: () => ({ ok: true, text: 'x'.repeat(70_000) }),
    })
    const events = reseal(run.records)
    expect((await checked(run, events)).follows).toBe(true)
    const gone = await checkDecisions(
      events,
      () => loaded(run.yaml),
      () => Promise.resolve(undefined),
    )
    expect(gone.differences).toMatchObject([{ code: 'FACT_MISMATCH', found: 'none' }])
    const other = await checkDecisions(
      events,
      () => loaded(run.yaml),
      () => Promise.resolve('{"ok":true}'),
    )
    expect(other.differences).toMatchObject([{ code: 'FACT_MISMATCH', found: 'none' }])
  })

  it('that were erased are said to be erased, and nothing is said of them [P-34]', async () => {
    const world = new World()
    const process = world.process('p', { script: SCRIPT })
    const key = await process.start(PLAN)
    await world.runUntil(() => world.hasEnded(key))
    await eraseRun(process.services, process.advancer, { runKey: key, reason: 'asked for', keys: await receiptKeys() })
    const report = await checked({ world, key, yaml: PLAN, records: [] }, world.disk.runs[key - 1]?.events ?? [])
    expect(report).toMatchObject({ follows: true, differences: [], facts: { checked: 0 } })
    expect(report.facts?.erased).toHaveLength(7)
  })

  it.each([true, false])(
    'rest on changes of parameters as earlier versions counted them, where they may (%s) have been of one append [SIG-13]',
    async (together) => {
      const world = new World()
      const process = world.process('p', { script: { a: 'hold' } })
      const yaml = 'steps: [{ id: a, run: a }, { id: b, run: b, if: "input.n == `1`" }]'
      const key = await process.start(yaml, { input: { n: 1 } })
      await world.runUntil(() => world.calls.length === 1)
      const change = { params: { n: 1 }, reason: 'a mistake' }
      if (!together) await process.signal(key, 'UPDATE_PARAMS', change)
      if (!together) await world.advanceBy(5)
      await process.signal(key, 'PAUSE')
      world.calls[0]?.resolve(1)
      await world.advanceBy(5)
      if (together) await process.signal(key, 'UPDATE_PARAMS', change)
      await process.signal(key, 'RESUME')
      await world.runUntil(() => world.hasEnded(key))
      expect(world.called('b')).toEqual(['b#1/1'])
      // As if it had been another number that the condition did not see.
      const edit: Edit = (records) =>
        records.map((one) =>
          one.payload?.['signalType'] === 'UPDATE_PARAMS'
            ? withData(() => ({ signalPayload: { params: { n: 2 }, reason: 'a mistake' } }))(one)
            : one,
        )
      const records = world.records(key)
      const report = await checked({ world, key, yaml, records }, reseal(records, edit))
      expect(report.follows).toBe(together)
    },
  )
})
