/**
 * The store of a state folder alone, without engine, compiler or validators. Commands that only read use it, because
 * loading the rest would take longer than their answer.
 */
import { STORE_FILE } from '../core/state-folder.ts'
import { join } from 'node:path'
import { refuseStateLinks } from '../adapters/files/guard-state.ts'
import { examine, type DatabaseReport } from '../adapters/stores/sqlite/examine.ts'
import type { PostgresStore } from '../adapters/stores/postgres/store.ts'
import { openSqliteStore } from '../adapters/stores/sqlite/store.ts'
import { systemClock } from '../adapters/system/clock.ts'
import type { RunStore } from '../ports/run-store.ts'

export type { DatabaseReport } from '../adapters/stores/sqlite/examine.ts'

/** By default for looking: a folder that cannot be written can still be read. */
export async function openFolderStore(
  directory: string,
  readOnly: 'if-needed' | false = 'if-needed',
): Promise<RunStore> {
  refuseStateLinks(directory)
  return openSqliteStore({ path: join(directory, STORE_FILE), clock: systemClock, readOnly })
}

/** A store on a PostgreSQL server; its code and its driver are loaded only here. */
export async function openServerStore(
  connectionString: string,
  options: { readonly mustExist: boolean },
): Promise<PostgresStore> {
  const { openPostgresStore } = await import('../adapters/stores/postgres/store.ts')
  return openPostgresStore({ connectionString, ...options })
}

/** Examines the folder's database and changes nothing; throws a KeelsonError when it cannot be read. */
export function examineFolder(directory: string): DatabaseReport {
  refuseStateLinks(directory)
  return examine(join(directory, STORE_FILE), systemClock.now())
}
