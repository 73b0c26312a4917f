/** Runs with their logs, for commands that drive none: here without an engine, and never created, or behind a server. */
import { openReader, openSender, type ReaderOptions, type Sender } from '../../../compose/open-reader.ts'
import type { RemoteRuns } from '../remote/remote-runs.ts'
import type { ReadableRun, ReadableRuns } from '../../../library/read/readable-runs.ts'
import { needDatabase, needKeys, serverUrl, storeUrl, type Place } from '../files/place.ts'
import { serverStore } from './look.ts'

/** A folder that cannot be written can still be read. */
export async function openToRead(place: Place): Promise<ReadableRuns> {
  if (serverUrl(place) !== undefined) return (await import('../remote/remote-runs.ts')).openRemote(place)
  return openReader(await readerOptions(place))
}

/** Whether a command that is shown to be typed may have `--as`: a server that knows its callers refuses it. */
export async function takesActors(runs: ReadableRuns): Promise<boolean> {
  const afar: Partial<Pick<RemoteRuns, 'takesActors'>> = runs as Partial<RemoteRuns>
  return (await afar.takesActors?.()) ?? true
}

/** For a look that is repeated until something has happened; of a run behind a server, what arrives is kept. */
export async function asItIsWritten(run: ReadableRun, place: Place): Promise<ReadableRun & Partial<Disposable>> {
  return serverUrl(place) === undefined ? run : (await import('../remote/followed-run.ts')).followed(run)
}

/** For signals: whoever drives the run finds them in its inbox. */
export async function openToSend(place: Place): Promise<Sender> {
  return openSender(await readerOptions(place))
}

async function readerOptions(place: Place): Promise<ReaderOptions> {
  if (storeUrl(place) === undefined) needDatabase(place)
  const keysDirectory = needKeys(place)
  const store = await serverStore(place)
  return {
    directory: place.dir,
    ...(keysDirectory === undefined ? {} : { keysDirectory }),
    ...(store === undefined ? {} : { store }),
  }
}
