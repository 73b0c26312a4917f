/**
 * Where a command's runs are stored: in the state folder, or in a PostgreSQL database that `--store` or KEELSON_STORE
 * names. The address may hold a password, so only host, port and database are shown.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { STORE_FILE } from '../../../core/state-folder.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { Options } from '../terminal/command.ts'

export type Place = Pick<Options, 'dir' | 'store' | 'keys'>

const POSTGRES = /^postgres(ql)?:\/\//

/** The file of a state folder. */
export function databaseFile({ dir }: Place): string {
  return join(dir, STORE_FILE)
}

/** The address of a server, or undefined when runs are stored in the state folder. It is never part of a message. */
export function storeUrl({ store }: Place): string | undefined {
  if (store === undefined) return undefined
  if (!POSTGRES.test(store) || !URL.canParse(store))
    fail('USAGE', '--store or KEELSON_STORE must be an address such as postgres://user@host/database')
  return store
}

export function placeName(place: Place): string {
  const url = storeUrl(place)
  if (url === undefined) return databaseFile(place)
  const { hostname, port, pathname } = new URL(url)
  return `postgres ${hostname === '' ? 'localhost' : hostname}${port === '' ? '' : `:${port}`}${pathname}`
}

/** Of a state folder: commands that do not start runs never create one. */
export function needDatabase(place: Place): void {
  const file = databaseFile(place)
  if (!existsSync(file)) fail('STORE_NOT_FOUND', `there is no ${file}`)
}

/** The folder of `--keys-dir`; it is never made. */
export function needKeys({ keys }: Place): string | undefined {
  if (keys !== undefined && !existsSync(keys)) fail('FILE_NOT_FOUND', `there is no folder ${keys} for signing keys`)
  return keys
}

export function signsReceipts({ store, keys }: Place): boolean {
  return store === undefined || keys !== undefined
}
