/**
 * Puts a backup in place of the local database, and records that in the folder's receipts. It opens stores by itself,
 * because nobody else may use them meanwhile.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { copyDurably, dropDatabase, hasDatabase, hasLog, moveDatabase } from '../adapters/files/database-file.ts'
import { closeToOthers, refuseStateLinks } from '../adapters/files/guard-state.ts'
import { fileReceiptLines } from '../adapters/files/receipt-lines.ts'
import { functionHandlers } from '../adapters/handlers/functions.ts'
import { fileReceiptKeys } from '../adapters/keys/receipt-keys.ts'
import { examine } from '../adapters/stores/sqlite/examine.ts'
import { openSqliteStore } from '../adapters/stores/sqlite/store.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { isOwnerGone } from '../adapters/system/process-owner.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import { RunAdvancer } from '../app/advance/advance-run.ts'
import { LOCAL_PRINCIPAL } from '../app/principal.ts'
import { recoverRuns, witnessRestore, type Recovered } from '../app/archive/recover-runs.ts'
import type { Services } from '../app/services.ts'
import { STORE_FILE } from '../core/state-folder.ts'
import { needKnown, type OptionNames } from '../core/known-options.ts'
import { FLAG, PATH, TEXT } from '../core/option-kinds.ts'
import { fail } from '../core/problems/problem.ts'
import { isoFromMs } from '../core/time.ts'
import type { ReceiptBook } from '../ports/receipts.ts'
import type { RunStore } from '../ports/run-store.ts'

export function receiptBookIn(directory: string, keysFolder = join(directory, 'keys')): ReceiptBook {
  return {
    keys: fileReceiptKeys(keysFolder, systemRandom),
    lines: fileReceiptLines(join(directory, 'receipts')),
  }
}

export interface RestoreOptions {
  /** A file that `backup` wrote. */
  readonly file: string
  readonly directory?: string
  /** Replace an existing database; it is kept beside the new one. */
  readonly force?: boolean
}

const RESTORE_OPTIONS: OptionNames<RestoreOptions> = { file: PATH, directory: TEXT, force: FLAG }

export interface Restored extends Recovered {
  /** Where the previous database is. */
  readonly keptAt?: string
}

/**
 * Puts a backup in place. Epochs are raised and irreversible attempts are set aside in the copy, before it can be
 * opened; so a crash at any point leaves the old state or the recovered one, never a restored database without
 * recovery.
 */
export async function restoreKeelson(options: RestoreOptions): Promise<Restored> {
  needKnown('restoreKeelson', options, RESTORE_OPTIONS)
  const { file, directory = '.keelson', force = false } = options
  const place = join(directory, STORE_FILE)
  refuseStateLinks(directory)
  if (!hasDatabase(file)) fail('FILE_NOT_FOUND', `there is no file ${file}`)
  if (statSync(file).size === 0) fail('RESTORE_REFUSED', `${file} is empty; use a file that a backup wrote`)
  if (hasLog(file))
    fail('RESTORE_REFUSED', `${file} is in use or was copied while in use; use a file that a backup wrote`)
  refuseAltered(file)
  if (hasDatabase(place)) {
    if (!force) fail('RESTORE_REFUSED', `there is already a database ${place}`)
    await refuseDriven(place)
  }
  const draft = `${place}.restoring`
  await copyDurably(file, draft)
  let recovered: Recovered
  try {
    recovered = await inStore(draft, (services) => recoverRuns(services, new RunAdvancer(services)))
  } catch (thrown) {
    await dropDatabase(draft)
    throw thrown
  }
  const now = systemClock.now()
  const keptAt = `${place}.before-${isoFromMs(now).replaceAll(/[:.]/g, '-')}`
  const hadOne = await moveDatabase(place, keptAt)
  await moveDatabase(draft, place)
  closeToOthers(directory)
  await inStore(place, ({ store }) => witnessRestore(store, LOCAL_PRINCIPAL.tenantId, receiptBookIn(directory), now))
  return { ...recovered, ...(hadOne ? { keptAt } : {}) }
}

/** Without its triggers a database may hold anything, and foreign triggers act on every write. */
function refuseAltered(file: string): void {
  const [first, ...others] = examine(file, systemClock.now()).schemaFaults
  if (first === undefined) return
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`
  fail('STORE_ALTERED', `${file} is not as Keelson made it: ${first}${more}`, {
    details: { faults: [first, ...others] },
  })
}

async function inStore<T>(path: string, work: (services: Services) => Promise<T>): Promise<T> {
  const store = await openSqliteStore({ path, clock: systemClock })
  try {
    return await work({
      store,
      clock: systemClock,
      random: systemRandom,
      timers: systemTimers,
      handlers: functionHandlers({}),
    })
  } finally {
    await store.close()
  }
}

const LIVE_PAGE = 500

/** A driver of runs in the old database would continue them beside the restored ones. */
async function refuseDriven(path: string): Promise<void> {
  let store: RunStore
  try {
    store = await openSqliteStore({ path, clock: systemClock, readOnly: true })
  } catch {
    // The reason of the restore may be a database that cannot be read: it is kept as it is.
    return
  }
  try {
    const page = await store.listRuns(LOCAL_PRINCIPAL.tenantId, { status: ['RUNNING', 'PAUSED'] }, { limit: LIVE_PAGE })
    const now = systemClock.now()
    const driven = page.runs.find(({ lease }) => lease !== undefined && lease.until > now && !isOwnerGone(lease.owner))
    if (driven !== undefined) fail('RESTORE_REFUSED', `run ${driven.runId} is being driven by a living process`)
  } finally {
    await store.close()
  }
}
