/**
 * Where a command's runs are stored: in the state folder, in a PostgreSQL database that `--store` or KEELSON_STORE
 * names, or behind a server that `--server` or KEELSON_SERVER names. The address of a database may hold a password, so only host, port and database are shown.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { STORE_FILE } from '../../../core/state-folder.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { Options } from '../terminal/command.ts'

export type Place = Pick<Options, 'dir' | 'store' | 'keys'> & Partial<Pick<Options, 'server' | 'apiKeyFile'>>

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

/** Undefined when the runs are here. */
export function serverUrl({ server }: Place): string | undefined {
  if (server === undefined) return undefined
  const isHttp = /^https?:\/\//.test(server) && URL.canParse(server)
  if (!isHttp || new URL(server).username !== '')
    fail('USAGE', '--server or KEELSON_SERVER must be an address such as https://keelson.example.com, without a user')
  return server
}

export function placeName(place: Place): string {
  const server = serverUrl(place)
  if (server !== undefined) return `server ${new URL(server).host}`
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
