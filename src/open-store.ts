/**
 * The small door: the store of a state folder by itself, without engine, compiler or validators. Commands that only look
 * come through here, because loading all the rest takes longer than their answer.
 */
import { join } from 'node:path'
import { examine, type DatabaseReport } from './adapters/stores/sqlite/examine.ts'
import type { PostgresStore } from './adapters/stores/postgres/store.ts'
import { openSqliteStore } from './adapters/stores/sqlite/store.ts'
import { systemClock } from './adapters/system/clock.ts'
import type { RunStore } from './ports/run-store.ts'

export type { DatabaseReport } from './adapters/stores/sqlite/examine.ts'

const DATABASE = 'keelson.db'

/** For looking: a folder that cannot be written can still be read. */
export function openFolderStore(directory: string): Promise<RunStore> {
  return openSqliteStore({ path: join(directory, DATABASE), clock: systemClock, readOnly: 'if-needed' })
}

/** A store on a PostgreSQL server; its code and its driver are loaded here and not before. */
export async function openServerStore(
  connectionString: string,
  options: { readonly mustExist: boolean },
): Promise<PostgresStore> {
  const { openPostgresStore } = await import('./adapters/stores/postgres/store.ts')
  return openPostgresStore({ connectionString, ...options })
}

/** Looks at the folder's database and changes nothing; throws a KeelsonError when it cannot be read. */
export function examineFolder(directory: string): DatabaseReport {
  return examine(join(directory, DATABASE), systemClock.now())
}
