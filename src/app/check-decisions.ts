/**
 * Re-derivation of a log as it lies in a store or a bundle. A plan that is gone or was changed leaves the decisions
 * unchecked, and that is said instead of a result.
 */
import { KeelsonError, problem } from '../core/problems/problem.ts'
import type { StoredEvent } from '../ports/run-store.ts'
import { checkFacts, type FactReport } from './check-facts.ts'
import type { LoadedPlan } from './load-plan.ts'
import { recordOf } from './read-events.ts'
import type { BlobReader } from './recorded-values.ts'
import type { AskedFacts } from './rederive-decision.ts'
import { verifyDecisions, type DecisionReport } from './verify-decisions.ts'

export interface DecisionCheck extends Partial<DecisionReport> {
  /** Every decision follows, or cannot be made again for a reason that is no fault of the log. */
  readonly follows: boolean
  /** What the decisions rest on, derived again from the recorded values; differences are among the others. */
  readonly facts?: Omit<FactReport, 'differences'>
  /** Why nothing was checked. */
  readonly unchecked?: { readonly code: string; readonly message: string }
}

/** The whole log of the run, in order of runSeq; its chain should have been verified before. */
export async function checkDecisions(
  events: readonly StoredEvent[],
  plan: () => LoadedPlan | Promise<LoadedPlan>,
  blob: BlobReader,
): Promise<DecisionCheck> {
  try {
    const records = events.map((stored) => {
      const record = recordOf(stored)
      if (record.ok) return record.value
      throw new KeelsonError([record.problems[0] ?? problem('RUN_QUARANTINED', 'an event cannot be read')])
    })
    const asked: AskedFacts[] = []
    const loaded = await plan()
    const report = verifyDecisions(records, loaded, (one) => asked.push(one))
    const { differences: wrong, ...facts } = await checkFacts({ events, records, plan: loaded, asked, blob })
    const differences = [...report.differences, ...wrong].sort((a, b) => a.runSeq - b.runSeq)
    return { follows: differences.length === 0, ...report, differences, facts }
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    return { follows: false, unchecked: { code: thrown.code, message: thrown.message } }
  }
}
