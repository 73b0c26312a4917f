/**
 * Archival of ended runs (STO-15): a bundle is written, flushed, read back and verified; only then the store deletes
 * the run's log, and only if its head is still the one in the bundle. A crash at any point leaves the log, or a whole
 * bundle.
 */
import { shownSubscriber } from '../../core/feed/subscriber.ts'
import { fail, KeelsonError, type Problem } from '../../core/problems/problem.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { BundleDraft, BundleShelf } from '../../ports/bundles.ts'
import type { ReceiptBook } from '../../ports/receipts.ts'
import type { RunKey, RunRow, RunStore } from '../../ports/run-store.ts'
import { checkBundle, readBundle } from '../verify/check-bundle.ts'
import { bundleLines, bundleName, type BundledRun } from '../log/run-bundle.ts'
import { archivedError } from '../loaded/run-trouble.ts'
import { hexOf } from '../log/sha256.ts'

export interface Archive {
  readonly store: RunStore
  readonly shelf: BundleShelf
  readonly book?: ReceiptBook
}

export interface KeptBundle {
  readonly row: RunRow
  /** Where the bundle is stored. */
  readonly place: string
  readonly events: number
  /** Why it does not verify: the stored log is damaged, and was exported as it is. Never set for an archived run. */
  readonly damage?: string
}

const TRIES = 3

/** Exports a run as a verified bundle, or as evidence that its log is damaged, under a name. Nothing is deleted. */
export async function exportRun(archive: Archive, runKey: RunKey, name: string): Promise<KeptBundle> {
  return bundleRun(archive, runKey, { name, isEvidence: true })
}

async function bundleRun(
  archive: Archive,
  runKey: RunKey,
  { name, isEvidence = false }: { readonly name?: string; readonly isEvidence?: boolean } = {},
): Promise<KeptBundle> {
  const { store, shelf, book } = archive
  const row = (await store.getRun(runKey)) ?? fail('RUN_NOT_FOUND', `no run has the key ${runKey}`)
  if (row.archivedAt !== undefined) throw archivedError(row)
  const draft = await shelf.draft(bundleLines(store, row, book))
  try {
    const { run, events, damage } = await proved(draft, isEvidence)
    if (run.tenantId !== row.tenantId || run.runId !== row.runId || run.headHash !== hexOf(row.headHash))
      fail('BUNDLE_BROKEN', 'line 1: what was written is not what was read back')
    const place = await draft.keep(name ?? bundleName(row))
    return { row, events, place, ...(damage === undefined ? {} : { damage }) }
  } catch (thrown) {
    await draft.drop()
    throw thrown
  }
}

/** The bundle must always equal what was written; whether the log in it verifies is a separate question. */
async function proved(
  draft: BundleDraft,
  isEvidence: boolean,
): Promise<{ readonly run: BundledRun; readonly events: number; readonly damage?: string }> {
  try {
    const { run, chain } = await checkBundle(draft.read())
    return { run, events: chain.checked }
  } catch (thrown) {
    if (!isEvidence || !(thrown instanceof KeelsonError) || thrown.code !== 'BUNDLE_BROKEN') throw thrown
    return { ...(await readBundle(draft.read())), damage: thrown.problems[0].message }
  }
}

export interface ArchiveOptions {
  /** Also archives events that subscribers have not read: they never will. */
  readonly force?: boolean
}

/** It will not end by itself, so waiting for it is no advice. */
function refuseSetAside({ runId, quarantine = '' }: RunRow): never {
  return fail('RUN_QUARANTINED', `run ${runId} was set aside (${quarantine}) before it ended, and is kept as it is`, {
    hint: 'see what is wrong with it, and how to go on, with `keelson why`; its log can be exported: keelson export',
  })
}

export async function archiveRun(
  archive: Archive,
  runKey: RunKey,
  { force = false }: ArchiveOptions = {},
): Promise<KeptBundle> {
  const row = (await archive.store.getRun(runKey)) ?? fail('RUN_NOT_FOUND', `no run has the key ${runKey}`)
  if (row.quarantine !== undefined && !isTerminalRun(row.status)) refuseSetAside(row)
  if (!isTerminalRun(row.status)) fail('RUN_NOT_TERMINAL', `run ${row.runId} has not ended`)
  for (let tries = 0; tries < TRIES; tries += 1) {
    const kept = await bundleRun(archive, runKey)
    // After the head is known: a later append moves the head, and the ticket no longer fits.
    if (!force) await requireRead(archive.store, kept.row)
    if ((await archive.store.archiveRun(runKey, kept.row.headHash, kept.place)) === 'archived') return kept
    // Something was appended after the end, such as a refused signal: the bundle must hold that too.
  }
  return fail('STORE_UNAVAILABLE', `the log of run ${row.runId} grew while it was being archived`)
}

/** The log is the outbox: a deleted event no longer reaches any subscriber. */
async function requireRead(store: RunStore, { runKey, runId }: RunRow): Promise<void> {
  const behind = (await store.subscribersBehind(runKey)).map(shownSubscriber)
  if (behind.length === 0) return
  const names = behind.map((name) => `'${name}'`).join(', ')
  fail('ARCHIVE_UNREAD', `events of run ${runId} have not been read by ${names}`, { details: { subscribers: behind } })
}

export interface ArchiveProgress extends ArchiveOptions {
  readonly onArchived?: (kept: KeptBundle) => void
  readonly onFailed?: (row: RunRow, problem: Problem) => void
}

const PAGE = 100
/** A fault of one run is no reason to skip the others. */
const LEFT: ReadonlySet<string> = new Set(['BUNDLE_BROKEN', 'ARCHIVE_UNREAD'])

/**
 * Archives all runs that ended before an instant, oldest first. A run that fails is reported and left; the others go
 * on.
 */
export async function archiveRuns(
  archive: Archive,
  endedBefore: number,
  progress: ArchiveProgress = {},
): Promise<void> {
  const failed = new Set<RunKey>()
  for (;;) {
    const page = await archive.store.archivableRuns(endedBefore, PAGE + failed.size)
    const rows = page.filter((row) => !failed.has(row.runKey))
    if (rows.length === 0) return
    for (const row of rows) {
      try {
        const kept = await archiveRun(archive, row.runKey, progress)
        progress.onArchived?.(kept)
      } catch (thrown) {
        const [problem] = thrown instanceof KeelsonError ? thrown.problems : []
        failed.add(row.runKey)
        // Another process was faster: the run is already archived.
        if ((await archive.store.getRun(row.runKey))?.archivedAt !== undefined) continue
        if (problem === undefined || !LEFT.has(problem.code)) throw thrown
        progress.onFailed?.(row, problem)
      }
    }
  }
}
