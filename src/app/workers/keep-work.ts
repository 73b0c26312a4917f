/**
 * Heartbeats and reports of remote workers. A report is masked before it is stored; what comes after the attempt's end, or after the step
 * was handed out again, is late.
 */
import type { ArtifactRef } from '../../core/events/event.ts'
import type { EffectOutcome } from '../../ports/engine.ts'
import type { RunKey } from '../../ports/run-store.ts'
import type { EndedClaim, StoredWork } from '../../ports/work.ts'
import { fail } from '../../core/problems/problem.ts'
import { HeldSecrets } from '../execute/resolve-secrets.ts'
import { leaveReport } from '../inbox/report-inbox-row.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { canonicalText } from '../log/canonical.ts'
import { sha256Hex } from '../log/sha256.ts'
import { bodyOf, reportOf, thrownBy, type GivenReport, type WorkReport } from '../work/record.ts'
import { changeWork, claimAt, heldClaim, notHeld, stillWanted, type WantedWork, type Working } from './working.ts'

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
  /** Only where there were lines to keep. */
  readonly logKept?: boolean
  readonly runKey: RunKey
  readonly runId: string
}

export async function takeReport(by: Working, token: string, given: GivenReport): Promise<TakenReport> {
  for (;;) {
    const row = await claimAt(by, token)
    if (row === undefined) return takeLateReport(by, token, given)
    const { runKey } = row
    const { runId } = bodyOf(row)
    const wanted = await stillWanted(by, row)
    const { report, ...log } = await masked(by, row, wanted, given)
    const recorded = row.state === 'closed' || (wanted === undefined && row.state !== 'reported') ? 'late' : 'outcome'
    const repeated = row.report !== undefined
    if (repeated && row.report !== report) anotherReport()
    const state = recorded === 'late' ? 'closed' : 'reported'
    if (!repeated && !(await changeWork(by, { ...row, state, report }))) continue
    // A repeat leaves it again: a process may have died in between. The inbox takes it once.
    if (recorded === 'late')
      await leaveReport(by.services, runKey, lateOutcome({ ...row, ...givenUnder(row) }, report, row.touchedAt))
    return { recorded, repeated, ...log, runKey, runId }
  }
}

/** Under a claim whose lease was over: another worker was given the step, and its report alone can be the outcome. */
async function takeLateReport(by: Working, token: string, given: GivenReport): Promise<TakenReport> {
  const { services, tenantId } = by
  const { store, clock } = services
  const claim = (await store.findEndedClaim(tenantId, sha256Hex(token))) ?? notHeld()
  const row = (await store.findWork(claim)) ?? notHeld()
  const { runKey } = row
  const { runId } = bodyOf(row)
  const { report, ...log } = await masked(by, row, await stillWanted(by, row), given)
  // The claim says which of several reports counts, also of two in the same moment: only that one goes to the log.
  const isFirst = claim.report === undefined && (await store.reportEndedClaim(tenantId, sha256Hex(token), report))
  const known = isFirst ? report : (claim.report ?? (await store.findEndedClaim(tenantId, sha256Hex(token)))?.report)
  if (known !== report) anotherReport()
  // A repeat leaves it again, as above.
  await leaveReport(services, runKey, { ...lateOutcome(claim, report, clock.now()), stale: true as const })
  return { recorded: 'late', repeated: !isFirst, ...log, runKey, runId }
}

function anotherReport(): never {
  return fail('WORK_REPORTED', 'another report was made under this claim before')
}

/** Nobody stores a secret that the worker was given, not even on the way to the log. */
async function masked(
  by: Working,
  row: StoredWork,
  wanted: WantedWork | undefined,
  given: GivenReport,
): Promise<{ readonly report: string; readonly logKept?: boolean }> {
  const { services, current } = by
  const run = wanted?.run ?? (await current(row.runKey))
  const held = new HeldSecrets(services, run)
  try {
    const { stepId } = bodyOf(row)
    const step = row.secrets ? run.plan.graph.steps.find((one) => one.stepId === stepId) : undefined
    if (step !== undefined) await held.resolve(step)
    const { log = [], ...rest } = given
    const redactor = services.redactors?.of(row.runKey)
    const report = (redactor?.value(rest) ?? rest) as WorkReport
    if (log.length === 0) return { report: canonicalText(report) }
    // As one text: a secret may have line ends of its own.
    const text = `${log.join('\n')}\n`
    const kept = await keptLog(by, run, { text: redactor?.text(text) ?? text, stepId, attempt: row.attempt })
    const artifacts = [...(report.artifacts ?? []), ...kept]
    return { report: canonicalText(kept.length === 0 ? report : { ...report, artifacts }), logKept: kept.length > 0 }
  } finally {
    held.release()
  }
}

interface Lines {
  readonly text: string
  readonly stepId: string
  readonly attempt: number
}

/** A store in memory keeps none. The same lines give the same pointer, so a report that is sent again is the same one. */
async function keptLog(
  { services: { artifacts } }: Pick<Working, 'services'>,
  { identity: { tenantId, runId } }: LoadedRun,
  { text, stepId, attempt }: Lines,
): Promise<readonly ArtifactRef[]> {
  if (artifacts === undefined) return []
  return [await artifacts.put({ tenantId, runId }, text, { kind: 'log-bundle', name: `${stepId}-${attempt}.log` })]
}

/** The claim that the row has now, as one that has ended. */
function givenUnder({ engineAttempt, claims, claim, touchedAt }: StoredWork): Pick<EndedClaim, 'engineAttempt' | 'at'> {
  return { engineAttempt: engineAttempt + claims - 1, at: claim?.at ?? touchedAt }
}

/** For the decider it is one more report about an attempt that has ended. */
function lateOutcome(claim: EndedClaim, given: string, until: number): EffectOutcome {
  const { slot, attempt, engineAttempt, at } = claim
  const report = reportOf({ report: given })
  const durationMs = Math.max(0, until - at)
  const artifactRefs = report.artifacts ?? []
  return {
    slot,
    attempt,
    engineAttempt,
    result:
      report.outcome === 'completed'
        ? { kind: 'completed', output: report.output ?? null, artifactRefs, durationMs }
        : { kind: 'failed', thrown: thrownBy(report), artifactRefs, durationMs },
  }
}
