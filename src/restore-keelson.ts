/**
 * Putting a backup in place of the local database, and the folder's book of receipts, which witnesses it. Part of the front
 * door: it opens stores by itself, because nobody may use them meanwhile.
 */
import { join } from 'node:path'
import { copyDurably, dropDatabase, hasDatabase, hasLog, moveDatabase } from './adapters/files/database-file.ts'
import { fileReceiptLines } from './adapters/files/receipt-lines.ts'
import { functionHandlers } from './adapters/handlers/functions.ts'
import { fileReceiptKeys } from './adapters/keys/receipt-keys.ts'
import { openSqliteStore } from './adapters/stores/sqlite/store.ts'
import { systemClock } from './adapters/system/clock.ts'
import { isOwnerGone } from './adapters/system/process-owner.ts'
import { systemRandom } from './adapters/system/random.ts'
import { systemTimers } from './adapters/system/timers.ts'
import { RunAdvancer } from './app/advance-run.ts'
import { LOCAL_PRINCIPAL } from './app/principal.ts'
import { recoverRuns, witnessRestore, type Recovered } from './app/recover-runs.ts'
import type { Services } from './app/services.ts'
import { fail } from './core/problems/problem.ts'
import { isoFromMs } from './core/time.ts'
import type { ReceiptBook } from './ports/receipts.ts'
import type { RunStore } from './ports/run-store.ts'

export const DATABASE = 'keelson.db'

export function receiptBookIn(directory: string, keysFolder = join(directory, 'keys')): ReceiptBook {
  return {
    keys: fileReceiptKeys(keysFolder, systemRandom),
    lines: fileReceiptLines(join(directory, 'receipts')),
  }
}

export interface RestoreOptions {
  /** What `backup` wrote. */
  readonly file: string
  readonly directory?: string
  /** Replace a database that is there; it is kept beside the new one. */
  readonly force?: boolean
}

export interface Restored extends Recovered {
  /** Where the database lies that was there before. */
  readonly keptAt?: string
}

/**
 * Puts a backup in place. Epochs are raised and irreversible attempts set aside in the copy, before anybody can open it;
 * so a crash at any point leaves the old state or the recovered one, never a restored database that nobody recovered.
 */
export async function restoreKeelson(options: RestoreOptions): Promise<Restored> {
  const { file, directory = '.keelson', force = false } = options
  const place = join(directory, DATABASE)
  if (!hasDatabase(file)) fail('FILE_NOT_FOUND', `there is no file ${file}`)
  if (hasLog(file)) fail('RESTORE_REFUSED', `${file} is in use or was copied while in use; take what a backup wrote`)
  if (hasDatabase(place)) {
    if (!force) fail('RESTORE_REFUSED', `there is a database ${place}`)
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
  await inStore(place, ({ store }) => witnessRestore(store, LOCAL_PRINCIPAL.tenantId, receiptBookIn(directory), now))
  return { ...recovered, ...(hadOne ? { keptAt } : {}) }
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

/** Who drives runs of the old database would go on with them beside the restored ones. */
async function refuseDriven(path: string): Promise<void> {
  let store: RunStore
  try {
    store = await openSqliteStore({ path, clock: systemClock, readOnly: true })
  } catch {
    // It may be why there is a restore: a database that cannot be read tells nothing, and is kept as it is.
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
