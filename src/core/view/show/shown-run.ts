/** A run as a screen shows it: the snapshot of the reader's copy, and whether that copy is known to be behind (UIC-03). */
import { isTerminalRun } from '../../run/state/transitions.ts'
import type { RunSnapshot } from '../fold/run-snapshot.ts'

export interface Staleness {
  /** Events are known to be missing; they are being read. */
  readonly stale: boolean
}

export type ShownRun = RunSnapshot & Staleness

/** `engineSubstatus` is what only the engine knows; it is shown word for word (UIC-04), and only where the log says nothing. */
export function shownRun(snapshot: RunSnapshot, stale: boolean, engineSubstatus?: string): ShownRun {
  const substatus = snapshot.substatus ?? (isTerminalRun(snapshot.status) ? undefined : engineWord(engineSubstatus))
  return { ...snapshot, ...(substatus === undefined ? {} : { substatus }), stale }
}

/** What the reader folds itself; it may have passed since the run was asked for. Of the bare words the engine alone knows the others (STO-27). */
const OF_THE_LOG: ReadonlySet<string> = new Set(['DRAINING', 'RETRYING', 'WAITING_APPROVAL'])

function engineWord(word: string | undefined): string | undefined {
  return word === undefined || OF_THE_LOG.has(word) ? undefined : word
}
