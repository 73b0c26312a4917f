/**
 * After a restore or failover (P-28): what was written since the backup is lost, including begin-claims. So every run
 * gets a new epoch, every irreversible attempt in flight counts as begun, and its run is held; everything else runs
 * again.
 */
import { appendAll } from '../../core/collections/append-all.ts'
import { openEffects } from '../../core/run/open-effects.ts'
import { locate, stepAt } from '../../core/run/state/units.ts'
import { isoFromMs } from '../../core/time.ts'
import type { ReceiptBook } from '../../ports/receipts.ts'
import type { RunKey, RunRow, RunStore } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { issue } from '../receipts/issue.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { witnessPublications } from '../receipts/published.ts'
import type { ReceiptHead } from '../receipts/receipts.ts'
import type { Services } from '../services.ts'
import { hexOf } from '../log/sha256.ts'

export interface Recovered {
  /** Runs that had not ended; all got a new epoch. */
  readonly live: number
  /** Those with work in flight: adopted, to be driven again. */
  readonly adopted: readonly RunRow[]
  /** Irreversible attempts that may have happened after the backup: a person must decide about their runs. */
  readonly indeterminate: readonly { readonly runId: string; readonly slot: string; readonly attempt: number }[]
}

const PAGE = 200
const LEASE_MS = 10 * 60_000
const CLAIMANT = 'restore'

export async function recoverRuns(services: Services, advancer: RunAdvancer): Promise<Recovered> {
  const { store, clock, random } = services
  const live = await store.raiseEpochs()
  // Our own lease removes a run from the next page, and keeps others away until all are done.
  const owner = `restore#${random.uuid()}`
  const leased: RunKey[] = []
  const adopted: RunRow[] = []
  const indeterminate: { runId: string; slot: string; attempt: number }[] = []
  try {
    for (;;) {
      const now = clock.now()
      const page = await store.dueRuns(now, `${owner}#asks`, PAGE)
      if (page.length === 0) break
      for (const row of page) {
        if ((await store.acquireLease(row.runKey, owner, now, now + LEASE_MS)) === undefined) continue
        leased.push(row.runKey)
        if (row.owed !== true) continue
        const claims = await claimAll(store, await freshly(advancer, row.runKey))
        appendAll(
          indeterminate,
          claims.map((claim) => ({ runId: row.runId, ...claim })),
        )
        await advancer.advance(row.runKey, { adopt: true })
        adopted.push(row)
      }
    }
  } finally {
    for (const runKey of leased) {
      await store.releaseLease(runKey, owner)
      advancer.release(runKey)
    }
  }
  return { live, adopted, indeterminate }
}

async function freshly(advancer: RunAdvancer, runKey: RunKey): Promise<LoadedRun> {
  advancer.forget(runKey)
  return advancer.current(runKey)
}

interface Claim {
  readonly slot: string
  readonly attempt: number
}

/** Adoption checks the claim: written before adoption, it holds even if this process dies in between. */
async function claimAll(store: RunStore, { row, plan, state, epoch }: LoadedRun): Promise<readonly Claim[]> {
  const claims: Claim[] = []
  for (const effect of openEffects(plan.graph, state, epoch)) {
    if (effect.kind !== 'ExecuteStep' && effect.kind !== 'CancelStep') continue
    const unit = locate(state, effect.slot)?.unit
    if (unit === undefined || stepAt(plan.graph, unit.step).effect !== 'irreversible') continue
    const { slot, attempt } = effect
    await store.claimAttempt(row.runKey, { slot, attempt, claimant: CLAIMANT })
    claims.push({ slot, attempt })
  }
  return claims
}

const HEADS_PER_RECEIPT = 1_000

/**
 * Records by receipts where the restored log continues: after these heads live runs will write other events than
 * before, and earlier receipts about the lost ones must not count as proof of forgery.
 */
export async function witnessRestore(store: RunStore, tenantId: string, book: ReceiptBook, now: number): Promise<void> {
  const status = ['PENDING', 'APPROVED', 'RUNNING', 'PAUSED'] as const
  for (let cursor: string | undefined; ;) {
    const page = await store.listRuns(
      tenantId,
      { status },
      { limit: HEADS_PER_RECEIPT, ...(cursor === undefined ? {} : { cursor }) },
    )
    const heads = page.runs.map((row) => headOf(row, now))
    if (heads.length > 0) await issue(book, 'restore', heads, now)
    if (page.next === undefined) break
    cursor = page.next
  }
  await witnessPublications(store, book, now)
}

function headOf({ tenantId, runId, nextSeq, headHash }: RunRow, now: number): ReceiptHead {
  return { tenantId, runId, runSeq: nextSeq - 1, chainHash: hexOf(headHash), eventType: 'restored', at: isoFromMs(now) }
}
