/** A reader who knows only the text of the contract sees what we see, of every run of every history (P-52). */
import type { LogRecord } from '../../src/core/events/event.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import { runMetaOf } from '../../src/core/view/fold/run-meta.ts'
import { projectRun } from '../../src/core/view/project/project-run.ts'
import { snapshotOf } from '../../src/core/view/show/snapshot-of.ts'
import { literalDifferences } from '../fixtures/literal-reader.ts'
import type { RunTrack } from './run-track.ts'

export function checkLiterally(track: RunTrack, records: readonly LogRecord[], say: (what: string) => void): void {
  const { view } = projectRun(runMetaOf(track.runId, compileGraph(track.plan.plan), 'embedded'), records)
  const raw = records as readonly object[] as readonly Readonly<Record<string, unknown>>[]
  for (const what of literalDifferences(raw, snapshotOf(view))) say(`I20 a literal reader differs: ${what}`)
}
