/** What can be read of runs, apart from the classes that read it from a store: whoever reads them elsewhere offers the same. */
import type { TaskFor } from '../../app/steer/tasks-for.ts'
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
> & {
  /** A server gives the token of a task only to who may complete it; to others it says why not. */
  tasks(): Promise<readonly TaskFor[]>
}

export interface ReadableRuns extends Pick<Reader, 'list' | 'counts' | 'runs' | 'alerts' | 'close'> {
  run(runId: string): Promise<ReadableRun>
}
