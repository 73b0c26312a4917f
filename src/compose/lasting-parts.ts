/** What outlives the process: the store, its backups, bundles and receipts. */
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileBundleShelf } from '../adapters/files/bundle-shelf.ts'
import { readLines } from '../adapters/files/read-lines.ts'
import { fileReceiptLines } from '../adapters/files/receipt-lines.ts'
import { openMemoryStore } from '../adapters/stores/memory/store.ts'
import { openSqliteStore, type SqliteStore } from '../adapters/stores/sqlite/store.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { receiptBookIn } from './restore-keelson.ts'
import type { RunAdvancer } from '../app/advance/advance-run.ts'
import { checkBundle, type BundleReport } from '../app/verify/check-bundle.ts'
import { receiptFollower } from '../app/receipts/issue.ts'
import type { Services } from '../app/services.ts'
import { STORE_FILE } from '../core/state-folder.ts'
import { needKind, PATH } from '../core/option-kinds.ts'
import { needKnown } from '../core/known-options.ts'
import { fail } from '../core/problems/problem.ts'
import type { Clock } from '../ports/clock.ts'
import type { RunStore } from '../ports/run-store.ts'
import type { Parts } from '../library/parts.ts'
import { startReceipts, warnOfProblem } from '../library/tell/receipt-service.ts'
import { demandedKey, Maintenance, VERIFY_RUN_OPTIONS, type VerifyRunOptions } from '../library/keelson/maintenance.ts'
import { withSource } from '../library/plans/with-source.ts'
import type { OpenOptions } from './open-options.ts'

type Backup = SqliteStore['backup']

export function lastingParts(
  directory: string,
  services: Services,
  advancer: RunAdvancer,
  backup: Backup,
  { receipts = false, keysDirectory, follows = true }: OpenOptions,
): Pick<Parts, 'maintenance' | 'receipts'> {
  const book = receiptBookIn(directory, keysDirectory)
  const tell = typeof receipts === 'object' ? receipts.onProblem : warnOfProblem
  const issuer = receiptFollower(services, book, tell)
  const maintenance = new Maintenance({
    services,
    advancer,
    book,
    issuer,
    backup,
    shelf: (folder) => fileBundleShelf(resolve(folder ?? join(directory, 'archive')), systemRandom),
    receiptsIn: fileReceiptLines,
    bundle: (place, demanded) => checkBundle(bundleAt(place), demanded === undefined ? {} : { demanded }),
  })
  return receipts === false || follows === false
    ? { maintenance }
    : { maintenance, receipts: startReceipts(issuer, tell) }
}

function bundleAt(place: string): AsyncIterable<string> {
  const found = statSync(place, { throwIfNoEntry: false })
  if (found === undefined) fail('FILE_NOT_FOUND', `there is no file ${place}`)
  return found.isDirectory() ? fail('FILE_UNUSABLE', `${place} is a folder`) : readLines(place)
}

/** Proves a bundle file by itself: no store, no folder. */
export async function verifyBundleFile(file: string, options: VerifyRunOptions = {}): Promise<BundleReport> {
  needKnown('verifyBundleFile', options, VERIFY_RUN_OPTIONS)
  needKind('verifyBundleFile: the file', file, PATH)
  return verifyBundleLines(bundleAt(file), options)
}

/** The same of a bundle that comes from elsewhere. */
export async function verifyBundleLines(
  lines: AsyncIterable<string>,
  options: VerifyRunOptions,
): Promise<BundleReport> {
  const demanded = demandedKey(options)
  const report = await checkBundle(lines, demanded === undefined ? {} : { demanded })
  return withSource(report, report.run.planSha256, options.source)
}

/** A store in memory has no backup, nor any other durable part. */
export async function openStore(
  directory: string,
  clock: Clock,
  { readOnly = false }: OpenOptions,
): Promise<{ readonly store: RunStore; readonly backup?: Backup }> {
  if (directory === ':memory:') return { store: openMemoryStore({ clock }) }
  const commitThread = clock === systemClock
  const store = await openSqliteStore({ path: join(directory, STORE_FILE), clock, readOnly, commitThread })
  return { store, backup: (file) => store.backup(file) }
}

export function givenStore(store: RunStore): { readonly store: RunStore; readonly backup: Backup } {
  const why = 'this store is backed up by its own server, with pg_dump or pg_basebackup'
  return { store, backup: async () => fail('BACKUP_ELSEWHERE', why) }
}
