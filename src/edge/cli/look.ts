/** The store alone, for commands that only look at rows: quicker to open than everything, and it never creates one. */
import { existsSync } from 'node:fs'
import { fail } from '../../core/problems/problem.ts'
import { openFolderStore, openServerStore } from '../../open-store.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { databaseFile, storeUrl, type Place } from './place.ts'

export async function openToLook(place: Place): Promise<RunStore> {
  const url = storeUrl(place)
  if (url !== undefined) return openServerStore(url, { mustExist: true })
  const file = databaseFile(place)
  if (!existsSync(file)) fail('STORE_NOT_FOUND', `there is no ${file}`)
  return openFolderStore(place.dir)
}
