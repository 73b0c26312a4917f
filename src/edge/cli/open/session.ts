/**
 * Opens the place of the runs for a command. Commands that only read never create one; only `run` does. Other users'
 * runs are left alone here: a command adopts them by name (P-30).
 */
import { openKeelson, type Keelson, type OpenOptions, type RunHandle } from '../../../main.ts'
import { openServerStore } from '../../../compose/open-store.ts'
import type { ReadableRun } from '../../../library/read/readable-runs.ts'
import type { RunQueue } from '../../../library/act/run-queue.ts'
import { asSteps } from '../terminal/at-work.ts'
import { needDatabase, needKeys, storeUrl, type Place } from '../files/place.ts'
import { RemoteRuns } from '../remote/remote-runs.ts'
import { serverClient } from '../remote/server-client.ts'
import type { Options } from '../terminal/command.ts'
import { reachable } from './engine-choice.ts'
import type { RunSource } from './find-run.ts'

type Opening = Omit<OpenOptions, 'directory' | 'store' | 'keysDirectory' | 'adopt' | 'around' | 'smallHeap'>

export async function openExisting(place: Place, options: Opening = {}): Promise<Keelson> {
  if (storeUrl(place) === undefined) needDatabase(place)
  return open(place, options, true)
}

/** For what only a whole Keelson can tell; a folder that cannot be written can still be read. */
export function openToExamine(place: Place): Promise<Keelson> {
  return openExisting(place, { readOnly: 'if-needed' })
}

/** Creates the database, or its tables, if they do not exist. */
export function openOrCreate(place: Place, options: Opening = {}): Promise<Keelson> {
  return open(place, options, false)
}

async function open(place: Place, options: Opening, mustExist: boolean): Promise<Keelson> {
  const { dir: directory } = place
  const keys = needKeys(place)
  const kept = {
    ...options,
    adopt: false,
    smallHeap: true,
    around: asSteps,
    directory,
    ...(keys === undefined ? {} : { keysDirectory: keys }),
  }
  const url = storeUrl(place)
  if (url === undefined) return openKeelson(kept)
  return openKeelson({ ...kept, store: await openServerStore(url, { mustExist }) })
}

export type MovableRun = ReadableRun & Pick<RunHandle, 'completeTask'>

export interface MovableRuns extends RunSource<MovableRun> {
  readonly queue: Pick<RunQueue, 'approve' | 'reject'>
  close(): Promise<void>
}

/**
 * For a person who moves runs: here with a whole Keelson, or behind a server, which does it for whoever it takes them for.
 * `reachesEngines`: a run on an outside engine is woken at once.
 */
export async function openToMove(
  options: Options,
  { reachesEngines }: { readonly reachesEngines: boolean },
): Promise<MovableRuns> {
  const client = await serverClient(options, options.text('as'))
  if (client !== undefined) return new RemoteRuns(client)
  return openExisting(options, reachesEngines ? await reachable(options) : {})
}
