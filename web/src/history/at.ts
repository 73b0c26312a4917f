/** The run at one moment: all that the panes of the page are made from. */
import type { ExecutionState } from '../../../src/client/connect.ts'
import type { RunSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import type { RunView } from '../../../src/core/view/fold/run-view.ts'
import type { RunFile } from './load-run.ts'
import type { RunHistory } from './run-history.ts'
import type { Moment } from './use-moment.ts'

export interface At {
  readonly execution: ExecutionState
  readonly history: RunHistory
  readonly moment: Moment
  readonly view: RunView
  readonly snapshot: RunSnapshot
  /** The instant that open waits are counted up to: that of the event, or the clock's while the run is live. */
  readonly asOf: number
  readonly hasEnded: boolean
  /** Events are known to be missing; they are being read. */
  readonly isStale: boolean
  /** Present where the run was read from a file: then nothing is asked of a server, and nobody acts on it. */
  readonly file?: RunFile | undefined
}
