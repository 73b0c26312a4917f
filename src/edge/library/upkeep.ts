/** What a program does for the long run: receipts, verification, erasure, bundles, archival, backup. */
import {
  archiveRun,
  archiveRuns,
  exportRun,
  type Archive,
  type ArchiveOptions,
  type ArchiveProgress,
  type KeptBundle,
} from '../../app/archive-run.ts'
import type { RunAdvancer } from '../../app/advance-run.ts'
import { eraseRun, type EraseAnswer } from '../../app/erase-run.ts'
import type { Follower } from '../../app/follow-feed.ts'
import { LOCAL_PRINCIPAL } from '../../app/principal.ts'
import { receiptKeyOf } from '../../app/receipts.ts'
import { recoverRuns, witnessRestore, type Recovered } from '../../app/recover-runs.ts'
import { bundleLines } from '../../app/run-bundle.ts'
import type { Services } from '../../app/services.ts'
import { verifyRun, type RunProof } from '../../app/verify-run.ts'
import { fail } from '../../core/problems/problem.ts'
import type { BundleShelf } from '../../ports/bundles.ts'
import type { ReceiptBook, ReceiptKey, ReceiptLines } from '../../ports/receipts.ts'
import type { RunRow } from '../../ports/run-store.ts'

export interface UpkeepParts {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly book: ReceiptBook
  /** Follows the log and issues receipts. */
  readonly issuer: Follower
  /** Bundles in a folder; by default in the one of archived runs. */
  readonly shelf: (folder?: string) => BundleShelf
  /** Receipts kept in another folder, such as a copy. */
  readonly receiptsIn: (folder: string) => ReceiptLines
  readonly backup: (file: string) => Promise<void>
}

/** `key`: a public key noted elsewhere; only receipts of it count, and there must be some. */
export interface VerifyOptions {
  readonly key?: string
  /** A folder with receipts, instead of the one beside the database. */
  readonly receipts?: string
}

const ARCHIVABLE_SHOWN = 10_000

export class Upkeep {
  readonly #parts: UpkeepParts

  constructor(parts: UpkeepParts) {
    this.#parts = parts
  }

  /** Signs what is new since the last time. Answers how many events it looked at; stops after `withinMs`. */
  issueReceipts(withinMs = Infinity): Promise<number> {
    return this.#parts.issuer.drain(withinMs)
  }

  /** The key that signs receipts here. Note its public part where others cannot change it. */
  async receiptKey(): Promise<ReceiptKey> {
    const { keyId, publicKey } = await this.#parts.book.keys.current()
    return { keyId, publicKey }
  }

  verify(row: RunRow, options: VerifyOptions = {}): Promise<RunProof> {
    const { services, book, receiptsIn } = this.#parts
    const { receipts } = options
    const lines = receipts === undefined ? book.lines : receiptsIn(receipts)
    return verifyRun(services.store, row, { ...book, lines }, demandedKey(options))
  }

  erase(row: RunRow, request: { readonly reason: string; readonly actorId?: string }): Promise<EraseAnswer> {
    const { services, advancer } = this.#parts
    return eraseRun(services, advancer, { runKey: row.runKey, ...request })
  }

  /** A run's bundle, line by line. */
  bundle(row: RunRow): AsyncIterable<string> {
    return bundleLines(this.#parts.services.store, row, this.#parts.book)
  }

  /** A run's bundle as a proved file. */
  export(row: RunRow, folder: string, name: string): Promise<KeptBundle> {
    return exportRun(this.#archive(folder), row.runKey, name)
  }

  /** Refused while a subscriber has not read all of it (ARCHIVE_UNREAD), unless `force` says that it need not. */
  async archive(row: RunRow, folder?: string, options: ArchiveOptions = {}): Promise<KeptBundle> {
    await this.issueReceipts()
    return archiveRun(this.#archive(folder), row.runKey, options)
  }

  /** Ended runs that are old enough, oldest first, at most 10,000. */
  archivable(olderThanMs: number): Promise<readonly RunRow[]> {
    const { store, clock } = this.#parts.services
    return store.archivableRuns(clock.now() - olderThanMs, ARCHIVABLE_SHOWN)
  }

  async archiveOlderThan(olderThanMs: number, folder?: string, progress: ArchiveProgress = {}): Promise<void> {
    await this.issueReceipts()
    await archiveRuns(this.#archive(folder), this.#parts.services.clock.now() - olderThanMs, progress)
  }

  /**
   * After the database itself was restored or failed over: what was written last may be lost. Every run that has not ended
   * gets a new epoch, irreversible attempts in flight count as begun and their runs hold; with `witness`, receipts say so.
   */
  async recover({ witness = true }: { readonly witness?: boolean } = {}): Promise<Recovered> {
    const { services, advancer, book } = this.#parts
    const recovered = await recoverRuns(services, advancer)
    if (witness) await witnessRestore(services.store, LOCAL_PRINCIPAL.tenantId, book, services.clock.now())
    return recovered
  }

  /** A consistent copy of the database while it is in use. Keys and receipts are files beside it: copy those yourself. */
  backup(file: string): Promise<void> {
    return this.#parts.backup(file)
  }

  #archive(folder?: string): Archive {
    const { services, shelf, book } = this.#parts
    return { store: services.store, shelf: shelf(folder), book }
  }
}

export function demandedKey({ key }: VerifyOptions): ReceiptKey | undefined {
  if (key === undefined) return undefined
  return receiptKeyOf(key) ?? fail('USAGE', `'${key}' is not a public key: that has 64 hexadecimal digits`)
}
