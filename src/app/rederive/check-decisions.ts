/**
 * Re-derives a log from a store or a bundle. When the plan is gone or was changed, the decisions stay unchecked, and
 * that is reported instead of a result.
 */
import { isImportedLog } from '../../core/events/imported.ts'
import { unwrap } from '../../core/result.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { StoredEvent } from '../../ports/run-store.ts'
import { checkFacts, type FactReport } from './check-facts.ts'
import type { LoadedPlan } from '../plans/load.ts'
import { recordOf } from '../log/read-events.ts'
import type { BlobReader } from '../values/recorded-values.ts'
import type { AskedFacts } from './rederive-decision.ts'
import { verifyDecisions, type DecisionReport } from './verify-decisions.ts'

export interface DecisionCheck extends Partial<DecisionReport> {
  /** Every decision follows, or cannot be repeated for a reason that is no fault of the log. */
  readonly follows: boolean
  /** The facts of the decisions, derived again from the recorded values; their differences are among the others. */
  readonly facts?: Omit<FactReport, 'differences'>
  /** Why nothing was checked. */
  readonly unchecked?: { readonly code: string; readonly message: string }
}

const MADE_ELSEWHERE = { code: 'RUN_FOREIGN', message: 'the log was imported, and others made its decisions' }

/** The whole log of the run, in order of runSeq; its chain should have been verified before. */
export async function checkDecisions(
  events: readonly StoredEvent[],
  plan: () => LoadedPlan | Promise<LoadedPlan>,
  blob: BlobReader,
): Promise<DecisionCheck> {
  try {
    const records = events.map((stored) => unwrap(recordOf(stored)))
    if (isImportedLog(records)) return { follows: true, unchecked: MADE_ELSEWHERE }
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
