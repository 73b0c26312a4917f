/**
 * Opens the place of the runs for a command. Commands that only read never create one; only `run` does. Other users'
 * runs are left alone here: a command adopts them by name (P-30).
 */
import { openKeelson, type Keelson, type OpenOptions } from '../../../main.ts'
import { openServerStore } from '../../../compose/open-store.ts'
import { asSteps } from '../terminal/at-work.ts'
import { needDatabase, needKeys, storeUrl, type Place } from '../files/place.ts'

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
