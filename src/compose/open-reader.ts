/**
 * Opens runs to be read, or to be sent a signal, without an engine: no lease is taken, no thread is started, and the code that
 * drives runs is not loaded.
 */
import { isOwnerGone } from '../adapters/system/process-owner.ts'
import { signingKeysIn } from '../adapters/keys/signing-keys.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import { ReadRuns } from '../app/loaded/read-runs.ts'
import { LOCAL_PRINCIPAL } from '../app/principal.ts'
import type { leaveSignal, LeftSignal } from '../library/act/leave-signal.ts'
import { Moves } from '../library/tell/moves.ts'
import { Reader } from '../library/read/reader.ts'
import type { RunRow, RunStore } from '../ports/run-store.ts'
import { guardedFolder, keysFolderOf } from './guarded-folder.ts'
import { openFolderStore } from './open-store.ts'

export interface ReaderOptions {
  readonly directory: string
  readonly keysDirectory?: string
  /** In place of the folder's own. */
  readonly store?: RunStore
}

export interface Sender {
  readonly reader: Reader
  readonly leave: (row: RunRow, signal: LeftSignal) => ReturnType<typeof leaveSignal>
}

export async function openReader(options: ReaderOptions): Promise<Reader> {
  return (await open(options, 'if-needed')).reader
}

/** The same store, open for writing. */
export async function openSender(options: ReaderOptions): Promise<Sender> {
  return open(options, false)
}

async function open(options: ReaderOptions, readOnly: 'if-needed' | false): Promise<Sender> {
  const directory = guardedFolder({ directory: options.directory, readOnly })
  const store = options.store ?? (await openFolderStore(directory, readOnly))
  const services = { store, clock: systemClock, random: systemRandom }
  const advancer = new ReadRuns(store)
  const keys = signingKeysIn(keysFolderOf(directory, options), systemRandom)
  const moves = new Moves(systemTimers)
  const reader = new Reader({ services, advancer, keys, moves, principal: LOCAL_PRINCIPAL, isOwnerGone })
  const leave: Sender['leave'] = async (row, signal) => {
    const { leaveSignal } = await import('../library/act/leave-signal.ts')
    return leaveSignal({ services, plans: advancer.plans }, row, signal)
  }
  return { reader, leave }
}
