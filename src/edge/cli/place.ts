/**
 * Where a command's runs are kept: in the state folder, or in a PostgreSQL database that `--store` or KEELSON_STORE names.
 * The address may hold a password, so what is shown of it is host, port and database alone.
 */
import { join } from 'node:path'
import { fail } from '../../core/problems/problem.ts'
import type { Options } from './command.ts'

export type Place = Pick<Options, 'dir' | 'store' | 'keys'>

const POSTGRES = /^postgres(ql)?:\/\//

/** The file of a state folder. */
export function databaseFile({ dir }: Place): string {
  return join(dir, 'keelson.db')
}

/** The address of a server, or undefined when runs are kept in the state folder. It is never part of a message. */
export function storeUrl({ store }: Place): string | undefined {
  if (store === undefined) return undefined
  if (!POSTGRES.test(store) || !URL.canParse(store))
    fail('USAGE', 'what --store or KEELSON_STORE names is no address such as postgres://user@host/database')
  return store
}

export function placeName(place: Place): string {
  const url = storeUrl(place)
  if (url === undefined) return databaseFile(place)
  const { hostname, port, pathname } = new URL(url)
  return `postgres ${hostname === '' ? 'localhost' : hostname}${port === '' ? '' : `:${port}`}${pathname}`
}

export function signsReceipts({ store, keys }: Place): boolean {
  return store === undefined || keys !== undefined
}
