/** What can be read of runs, apart from the classes that read it from a store: whoever reads them elsewhere offers the same. */
import type { Reader } from './reader.ts'
import type { RunReader } from './run-reader.ts'

export type ReadableRun = Pick<
  RunReader,
  | 'row'
  | 'runId'
  | 'hasEnded'
  | 'trouble'
  | 'damage'
  | 'records'
  | 'page'
  | 'journal'
  | 'evidence'
  | 'result'
  | 'tasks'
  | 'snapshot'
  | 'stepDetail'
  | 'why'
  | 'look'
  | 'signalDecisions'
  | 'signalDecision'
  | 'plan'
  | 'grantWaits'
  | 'related'
  | 'planSource'
  | 'validationReport'
  | 'bounds'
>

export interface ReadableRuns extends Pick<Reader, 'list' | 'counts' | 'runs' | 'alerts' | 'close'> {
  run(runId: string): Promise<ReadableRun>
}
