/** What a program does for the long run: receipts, verification, erasure, bundles, archival, backup. */
import type { Duration } from '../../core/duration.ts'
import { readTime } from '../../core/option-durations.ts'
import {
  archiveRun,
  archiveRuns,
  exportRun,
  type Archive,
  type ArchiveOptions,
  type ArchiveProgress,
  type KeptBundle,
} from '../../app/archive/archive-run.ts'
import type { RunAdvancer } from '../../app/advance/advance-run.ts'
import type { BundleReport } from '../../app/verify/check-bundle.ts'
import { eraseRun, type EraseAnswer } from '../../app/archive/erase-run.ts'
import type { ReceiptIssuer } from '../../app/receipts/issue.ts'
import { LOCAL_PRINCIPAL } from '../../app/principal.ts'
import { receiptKeyOf } from '../../app/receipts/receipts.ts'
import { recoverRuns, witnessRestore, type Recovered } from '../../app/archive/recover-runs.ts'
import { bundleLines } from '../../app/log/run-bundle.ts'
import type { Services } from '../../app/services.ts'
import { verifyRun, type RunProof } from '../../app/verify/verify-run.ts'
import { verifyStore, type StoreCheck, type StoreProof } from '../../app/verify/verify-store.ts'
import { needKnown, type OptionNames } from '../../core/known-options.ts'
import { either, FLAG, FUNCTION, needKind, NUMBER, OBJECT, PATH, TEXT, type Kind } from '../../core/option-kinds.ts'
import { fail } from '../../core/problems/problem.ts'
import type { BundleShelf } from '../../ports/bundles.ts'
import type { ReceiptBook, ReceiptKey, ReceiptLines } from '../../ports/receipts.ts'
import type { RunRow } from '../../ports/run-store.ts'
import { withSource } from '../plans/with-source.ts'

export interface MaintenanceParts {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly book: ReceiptBook
  /** Follows the log and issues receipts. */
  readonly issuer: ReceiptIssuer
  /** Bundles in a folder; by default in the one of archived runs. */
  readonly shelf: (folder?: string) => BundleShelf
  /** Receipts kept in another folder, such as a copy. */
  readonly receiptsIn: (folder: string) => ReceiptLines
  readonly backup: (file: string) => Promise<void>
  /** Proves the bundle of an archived run where it was put. */
  readonly bundle: (place: string, demanded?: ReceiptKey) => Promise<BundleReport>
}

/** `key`: a public key noted elsewhere; only receipts of it count, and there must be some. */
export interface VerifyOptions {
  readonly key?: string
  /** A folder with receipts, instead of the one beside the database. */
  readonly receipts?: string
}

export interface VerifyRunOptions extends VerifyOptions {
  /** What its plan is said to be made of: it must be what the run has on record, and give its plan. */
  readonly source?: string | Uint8Array
}

export interface Erasure {
  readonly reason: string
  /** Who erases, for the log. */
  readonly actorId?: string
}

export interface RecoverOptions {
  readonly witness?: boolean
}

const VERIFY_OPTIONS: OptionNames<VerifyOptions> = { key: true, receipts: true }
export const VERIFY_RUN_OPTIONS: OptionNames<VerifyRunOptions> = {
  ...VERIFY_OPTIONS,
  source: either(TEXT, { what: 'bytes', is: (value) => value instanceof Uint8Array }),
}
const STORE_CHECK: OptionNames<VerifyOptions & Pick<StoreCheck, 'onRun'>> = { ...VERIFY_OPTIONS, onRun: FUNCTION }
const ERASURE: OptionNames<Erasure> = { reason: true, actorId: TEXT }
const ARCHIVE_OPTIONS: OptionNames<ArchiveOptions> = { force: FLAG }
const ARCHIVE_PROGRESS: OptionNames<ArchiveProgress> = { force: FLAG, onArchived: FUNCTION, onFailed: FUNCTION }
const RECOVER_OPTIONS: OptionNames<RecoverOptions> = { witness: FLAG }

const ROW: Kind = {
  what: 'the row of a run, as `run.row` has it',
  is: (value) => OBJECT.is(value) && Object.hasOwn(value as object, 'runKey'),
}

const ARCHIVABLE_SHOWN = 10_000

export class Maintenance {
  readonly #parts: MaintenanceParts

  constructor(parts: MaintenanceParts) {
    this.#parts = parts
  }

  /** Signs what is new since the last time. Answers how many events and publications it looked at; stops after `withinMs`. */
  async issueReceipts(withinMs = Infinity): Promise<number> {
    needKind('issueReceipts: its argument', withinMs, NUMBER)
    return this.#parts.issuer.drain(withinMs)
  }

  /** The key that signs receipts here. Note its public part where others cannot change it. */
  async receiptKey(): Promise<ReceiptKey> {
    const { keyId, publicKey } = await this.#parts.book.keys.current()
    return { keyId, publicKey }
  }

  async verify(row: RunRow, options: VerifyRunOptions = {}): Promise<RunProof> {
    needKnown('maintenance.verify', options, VERIFY_RUN_OPTIONS)
    needKind('maintenance.verify: the run', row, ROW)
    const { services, book, receiptsIn } = this.#parts
    const { receipts } = options
    const lines = receipts === undefined ? book.lines : receiptsIn(receipts)
    const proof = await verifyRun(services.store, row, { ...book, lines }, demandedKey(options))
    return withSource(proof, row.planSha256, options.source)
  }

  /**
   * Every run of the store with all that hangs on it, bundles of archived ones, plans, rows that belong to nobody, the rules
   * that guard the log, and runs that receipts know and the store does not.
   */
  async verifyStore(options: VerifyOptions & Pick<StoreCheck, 'onRun'> = {}): Promise<StoreProof> {
    needKnown('maintenance.verifyStore', options, STORE_CHECK)
    const { services, book, receiptsIn, bundle } = this.#parts
    const { receipts, onRun } = options
    const demanded = demandedKey(options)
    return verifyStore({
      store: services.store,
      book: { ...book, lines: receipts === undefined ? book.lines : receiptsIn(receipts) },
      bundle: (place) => bundle(place, demanded),
      ...(demanded === undefined ? {} : { demanded }),
      ...(onRun === undefined ? {} : { onRun }),
    })
  }

  async erase(row: RunRow, request: Erasure): Promise<EraseAnswer> {
    needKnown('maintenance.erase', request, ERASURE)
    needKind('maintenance.erase: the run', row, ROW)
    const { services, advancer } = this.#parts
    return eraseRun(services, advancer, { runKey: row.runKey, ...request, keys: this.#parts.book.keys })
  }

  /** A run's bundle, line by line. */
  bundle(row: RunRow): AsyncIterable<string> {
    needKind('maintenance.bundle: the run', row, ROW)
    return bundleLines(this.#parts.services.store, row, this.#parts.book)
  }

  /** A run's bundle as a proved file. */
  async export(row: RunRow, folder: string, name: string): Promise<KeptBundle> {
    needKind('maintenance.export: the run', row, ROW)
    needKind('maintenance.export: the folder', folder, PATH)
    needKind('maintenance.export: the name', name, PATH)
    return exportRun(this.#archive(folder), row.runKey, name)
  }

  /** Refused while a subscriber has not read all of it (ARCHIVE_UNREAD), unless `force` says that it need not. */
  async archive(row: RunRow, folder?: string, options: ArchiveOptions = {}): Promise<KeptBundle> {
    needKnown('maintenance.archive', options, ARCHIVE_OPTIONS)
    needKind('maintenance.archive: the run', row, ROW)
    if (folder !== undefined) needKind('maintenance.archive: the folder', folder, PATH)
    await this.issueReceipts()
    return archiveRun(this.#archive(folder), row.runKey, options)
  }

  /** Ended runs that are old enough (milliseconds, or a text such as `90d`), oldest first, at most 10,000. */
  async archivable(olderThan: number | Duration): Promise<readonly RunRow[]> {
    const ageMs = readTime('maintenance.archivable: its argument', olderThan, NUMBER)
    const { store, clock } = this.#parts.services
    return store.archivableRuns(clock.now() - ageMs, ARCHIVABLE_SHOWN)
  }

  async archiveOlderThan(olderThan: number | Duration, folder?: string, progress: ArchiveProgress = {}): Promise<void> {
    needKnown('maintenance.archiveOlderThan', progress, ARCHIVE_PROGRESS)
    const ageMs = readTime('maintenance.archiveOlderThan: its argument', olderThan, NUMBER)
    if (folder !== undefined) needKind('maintenance.archiveOlderThan: the folder', folder, PATH)
    await this.issueReceipts()
    await archiveRuns(this.#archive(folder), this.#parts.services.clock.now() - ageMs, progress)
  }

  /**
   * After the database itself was restored or failed over: what was written last may be lost. Every run that has not ended
   * gets a new epoch, irreversible attempts in flight count as begun and their runs hold; with `witness`, receipts say so.
   */
  async recover(options: RecoverOptions = {}): Promise<Recovered> {
    needKnown('maintenance.recover', options, RECOVER_OPTIONS)
    const { witness = true } = options
    const { services, advancer, book } = this.#parts
    const recovered = await recoverRuns(services, advancer)
    if (witness) await witnessRestore(services.store, LOCAL_PRINCIPAL.tenantId, book, services.clock.now())
    return recovered
  }

  /** A consistent copy of the database while it is in use. Keys and receipts are files beside it: copy those yourself. */
  async backup(file: string): Promise<void> {
    needKind('maintenance.backup: the file', file, PATH)
    return this.#parts.backup(file)
  }

  #archive(folder?: string): Archive {
    const { services, shelf, book } = this.#parts
    return { store: services.store, shelf: shelf(folder), book }
  }
}

export function demandedKey({ key }: VerifyOptions): ReceiptKey | undefined {
  if (key === undefined) return undefined
  return receiptKeyOf(key) ?? fail('USAGE', `'${key}' is not a public key: it must have 64 hexadecimal digits`)
}
