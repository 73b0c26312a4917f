/** Heartbeats and reports of remote workers. A report is masked before it is stored; what comes after the attempt's end is late. */
import type { EffectOutcome } from '../../ports/engine.ts'
import type { RunKey } from '../../ports/run-store.ts'
import type { StoredWork } from '../../ports/work.ts'
import { fail } from '../../core/problems/problem.ts'
import { HeldSecrets } from '../execute/resolve-secrets.ts'
import { leaveReport } from '../inbox/report-inbox-row.ts'
import { canonicalText } from '../log/canonical.ts'
import { bodyOf, reportOf, thrownBy, type WorkReport } from '../work/record.ts'
import { changeWork, heldClaim, stillWanted, type WantedWork, type Working } from './working.ts'

export interface Beat {
  readonly answer: 'go-on' | 'cancel'
  readonly leaseUntil: number
}

export async function heartbeat(by: Working, token: string): Promise<Beat> {
  for (;;) {
    const row = await heldClaim(by, token)
    const { claim } = row
    const wanted = await stillWanted(by, row)
    const until = claim?.until ?? 0
    if (wanted === undefined || row.state !== 'claimed' || claim === undefined)
      return { answer: 'cancel', leaseUntil: until }
    const kept = { ...claim, until: by.services.clock.now() + claim.leaseMs }
    if (await changeWork(by, { ...row, claim: kept }))
      return { answer: wanted.isStopping ? 'cancel' : 'go-on', leaseUntil: kept.until }
  }
}

export interface TakenReport {
  readonly recorded: 'outcome' | 'late'
  readonly repeated: boolean
  readonly runKey: RunKey
  readonly runId: string
}

export async function takeReport(by: Working, token: string, given: WorkReport): Promise<TakenReport> {
  for (;;) {
    const row = await heldClaim(by, token)
    const { runKey } = row
    const { runId } = bodyOf(row)
    const wanted = await stillWanted(by, row)
    const report = await masked(by, row, wanted, given)
    const recorded = row.state === 'closed' || (wanted === undefined && row.state !== 'reported') ? 'late' : 'outcome'
    if (row.report !== undefined) {
      if (row.report !== report) fail('WORK_REPORTED', 'another report was made under this claim before')
      return { recorded, repeated: true, runKey, runId }
    }
    if (!(await changeWork(by, { ...row, state: recorded === 'late' ? 'closed' : 'reported', report }))) continue
    if (recorded === 'late') await leaveReport(by.services, runKey, lateOutcome({ ...row, report }))
    return { recorded, repeated: false, runKey, runId }
  }
}

/** Nobody stores a secret that the worker was given, not even on the way to the log. */
async function masked(
  by: Working,
  row: StoredWork,
  wanted: WantedWork | undefined,
  given: WorkReport,
): Promise<string> {
  const { services, current } = by
  const run = wanted?.run ?? (await current(row.runKey))
  const held = new HeldSecrets(services, run)
  try {
    const step = row.secrets ? run.plan.graph.steps.find(({ stepId }) => stepId === bodyOf(row).stepId) : undefined
    if (step !== undefined) await held.resolve(step)
    return canonicalText(services.redactors?.of(row.runKey)?.value(given) ?? given)
  } finally {
    held.release()
  }
}

/** For the decider it is one more report about an attempt that has ended. */
function lateOutcome(row: StoredWork): EffectOutcome {
  const { slot, attempt, engineAttempt, claims, claim, touchedAt } = row
  const report = reportOf(row)
  const durationMs = Math.max(0, touchedAt - (claim?.at ?? touchedAt))
  const artifactRefs = report.artifacts ?? []
  return {
    slot,
    attempt,
    engineAttempt: engineAttempt + claims - 1,
    result:
      report.outcome === 'completed'
        ? { kind: 'completed', output: report.output ?? null, artifactRefs, durationMs }
        : { kind: 'failed', thrown: thrownBy(report), artifactRefs, durationMs },
  }
}
