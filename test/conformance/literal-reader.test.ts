/** Whoever reads a log by the text of the contract alone sees what we see, on the whole corpus. */
import { describe, expect, it } from 'vitest'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { runMetaOf } from '../../src/core/view/fold/run-meta.ts'
import { projectRun } from '../../src/core/view/project/project-run.ts'
import { itemsOf, snapshotOf } from '../../src/core/view/show/snapshot-of.ts'
import type { BenchRun } from '../../src/ports/conformance.ts'
import { literalDifferences, readLiterally } from '../fixtures/literal-reader.ts'
import { CORPUS, runsOf } from './played.ts'

const MINUTES = 120_000

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
        const seen = await runsOf(entry)
        runs += seen.length
        for (const run of seen) wrong.push(...differences(run).map((what) => `${entry.name}: ${what}`))
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
