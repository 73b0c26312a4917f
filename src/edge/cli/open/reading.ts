/** Runs with their logs, for commands that drive none: without an engine, and never created. */
import { openReader, openSender, type ReaderOptions, type Sender } from '../../../compose/open-reader.ts'
import type { Reader } from '../../../library/reader.ts'
import { needDatabase, needKeys, storeUrl, type Place } from '../files/place.ts'
import { serverStore } from './look.ts'

/** A folder that cannot be written can still be read. */
export async function openToRead(place: Place): Promise<Reader> {
  return openReader(await readerOptions(place))
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
