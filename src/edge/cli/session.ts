/**
 * Opening the place where runs are kept for a command. Commands that look at runs never create one; only `run` does. Others'
 * runs are left alone here: who wants them adopts them by name (P-30).
 */
import { existsSync } from 'node:fs'
import { fail } from '../../core/problems/problem.ts'
import { openKeelson, type Keelson, type OpenOptions } from '../../main.ts'
import { openServerStore } from '../../open-store.ts'
import { asSteps } from './at-work.ts'
import { databaseFile, storeUrl, type Place } from './place.ts'

type Opening = Omit<OpenOptions, 'directory' | 'store' | 'keysDirectory' | 'adopt' | 'around'>

export async function openExisting(place: Place, options: Opening = {}): Promise<Keelson> {
  if (storeUrl(place) === undefined) requireDatabase(place)
  return open(place, options, true)
}

/** For commands that only look: a folder that cannot be written can still be read. */
export function openToRead(place: Place): Promise<Keelson> {
  return openExisting(place, { readOnly: 'if-needed' })
}

/** Makes the database, or its tables, where they are not there yet. */
export function openOrCreate(place: Place, options: Opening = {}): Promise<Keelson> {
  return open(place, options, false)
}

function requireDatabase(place: Place): void {
  const file = databaseFile(place)
  if (!existsSync(file)) fail('STORE_NOT_FOUND', `there is no ${file}`)
}

async function open(place: Place, options: Opening, mustExist: boolean): Promise<Keelson> {
  const { dir: directory, keys } = place
  if (keys !== undefined && !existsSync(keys)) fail('FILE_NOT_FOUND', `there is no folder ${keys} for signing keys`)
  // Plans of the command line are their user's own, and so is the environment.
  const kept = {
    environmentSecrets: true,
    ...options,
    adopt: false,
    around: asSteps,
    directory,
    ...(keys === undefined ? {} : { keysDirectory: keys }),
  }
  const url = storeUrl(place)
  if (url === undefined) return openKeelson(kept)
  return openKeelson({ ...kept, store: await openServerStore(url, { mustExist }) })
}
