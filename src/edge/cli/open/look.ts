/** The store alone, for commands that only need rows: faster to open than everything, and never created. */
import { openFolderStore, openServerStore } from '../../../compose/open-store.ts'
import type { RunStore } from '../../../ports/run-store.ts'
import { needDatabase, storeUrl, type Place } from '../files/place.ts'

export async function openToLook(place: Place): Promise<RunStore> {
  return (await serverStore(place)) ?? openFolderStore(place.dir)
}

/** Undefined where the folder itself has the runs. */
export async function serverStore(place: Place): Promise<RunStore | undefined> {
  const url = storeUrl(place)
  if (url !== undefined) return openServerStore(url, { mustExist: true })
  needDatabase(place)
  return undefined
}
