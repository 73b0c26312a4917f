/** Whoever reads a log by the text of the contract alone sees what we see, on the whole corpus. */
import { describe, expect, it } from 'vitest'
import { playEntry } from '../../src/app/conformance/play-entry.ts'
import { PLAYING } from '../../src/compose/conformance-engines.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { runMetaOf } from '../../src/core/view/fold/run-meta.ts'
import { projectRun } from '../../src/core/view/project/project-run.ts'
import { itemsOf, snapshotOf } from '../../src/core/view/show/snapshot-of.ts'
import type { BenchRun, ConformanceEngine } from '../../src/ports/conformance.ts'
import { literalDifferences, readLiterally } from '../fixtures/literal-reader.ts'
import { CORPUS, engineOf } from './played.ts'

const MINUTES = 120_000

/** The engine as it is, with its runs as they were last read. */
function watched(engine: ConformanceEngine, seen: { runs: readonly BenchRun[] }): ConformanceEngine {
  return {
    name: engine.name,
    open: async (wishes) => {
      const bench = await engine.open(wishes)
      const runs = async (): Promise<readonly BenchRun[]> => (seen.runs = await bench.runs())
      const { hold } = bench
      return {
        start: (plan, others, input) => bench.start(plan, others, input),
        signal: (runId, signal) => bench.signal(runId, signal),
        sendEvent: (event) => bench.sendEvent(event),
        complete: (runId, completion) => bench.complete(runId, completion),
        fork: (runId, options) => bench.fork(runId, options),
        close: () => bench.close(),
        runs,
        ...(hold === undefined ? {} : { hold: () => hold.call(bench) }),
      }
    },
    close: () => engine.close(),
  }
}

/** Step by step, and item by item. */
function differences({ runId, plan, records }: BenchRun): readonly string[] {
  const { view } = projectRun(runMetaOf(runId, compileGraph(plan), 'mock'), records)
  const snapshot = snapshotOf(view)
  const items = snapshot.steps.flatMap(({ stepId, items: counts }) =>
    counts === undefined ? [] : itemsOf(view, stepId, 0, counts.total),
  )
  const seen = { ...snapshot, steps: [...snapshot.steps, ...items] }
  return literalDifferences(records as readonly object[] as readonly Record<string, unknown>[], seen)
}

describe('a reader that knows the text of the contract and nothing else', () => {
  it(
    'gives every step, item and fallback its right status and every run its right end, on the whole corpus [X-105, P-52]',
    { timeout: MINUTES },
    async () => {
      const wrong: string[] = []
      let runs = 0
      for (const entry of CORPUS) {
        const seen: { runs: readonly BenchRun[] } = { runs: [] }
        await playEntry(watched(await engineOf('mock'), seen), entry, PLAYING)
        runs += seen.runs.length
        for (const run of seen.runs) wrong.push(...differences(run).map((what) => `${entry.name}: ${what}`))
      }
      expect(wrong).toEqual([])
      expect(runs).toBeGreaterThan(CORPUS.length)
    },
  )

  it('would close a step with its first item where items had the stepId of their step [X-105]', () => {
    const started = { eventType: 'StepStarted', stepId: 'f', logicalAttemptId: 1 }
    const { broken } = readLiterally([
      { ...started, runSeq: 1 },
      { ...started, runSeq: 2, itemIndex: 0 },
    ])
    expect(broken.filter((what) => !what.endsWith('another key'))).toEqual([
      '#2 StepStarted of ["f",1], which was RUNNING',
    ])
  })
})
