/** An operation on many runs, and its preview, as they are shown. */
import type { OperationProgress } from '../../../app/fleet/manage-operations.ts'
import type { OperationPreview, PreviewedRun } from '../../../app/fleet/preview-operation.ts'
import type { AnswerOf } from '../../../core/api/contract.ts'
import type * as api from '../../../core/api/fleet.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { FleetCount } from '../../../ports/fleet.ts'

export type ShownOperation = AnswerOf<typeof api.abortOperation>
export type ShownPreview = AnswerOf<typeof api.previewOperation>

const SAMPLE = 20

export function shownOperation({ operation, counts }: OperationProgress): ShownOperation {
  const { operationId, createdAt, record } = operation
  const { state, signalType, payload, filter, previewSha256, matched, by, endedAt, abortedBy, abortReason } = record
  const runs = (outcome: FleetCount['outcome']): number =>
    counts.filter((one) => one.outcome === outcome).reduce((sum, one) => sum + one.runs, 0)
  const refusals = counts.flatMap(({ outcome, code, runs: many }) =>
    outcome === 'REFUSED' ? [[code ?? 'INTERNAL', many] as const] : [],
  )
  return {
    operationId,
    state,
    signalType,
    payload,
    filter,
    previewSha256,
    matched,
    open: runs('OPEN'),
    done: runs('DONE'),
    left: runs('LEFT'),
    approval: runs('APPROVAL'),
    refused: Object.fromEntries(refusals),
    createdAt: isoFromMs(createdAt),
    createdBy: by.actorId,
    ...(endedAt === undefined ? {} : { endedAt: isoFromMs(endedAt) }),
    ...(abortedBy === undefined ? {} : { abortedBy }),
    ...(abortReason === undefined ? {} : { abortReason }),
  }
}

export function shownPreview({ matched, examined, previewSha256 }: OperationPreview): ShownPreview {
  const many = (would: PreviewedRun['would']): number => examined.filter((run) => run.would === would).length
  const refused: Record<string, number> = {}
  for (const { code } of examined) if (code !== undefined) refused[code] = (refused[code] ?? 0) + 1
  return {
    matched,
    examined: examined.length,
    wouldApply: many('apply'),
    wouldChangeNothing: many('nothing'),
    wouldWait: many('wait'),
    refused,
    sample: sampleOf(examined).map(({ row, would, code, reason }) => ({
      executionId: row.runId,
      planId: row.planId,
      status: row.status,
      would,
      ...(code === undefined ? {} : { code }),
      ...(reason === undefined ? {} : { reason }),
    })),
    previewSha256,
  }
}

/** What would be refused comes first: it is what a person has to look at. */
function sampleOf(examined: readonly PreviewedRun[]): readonly PreviewedRun[] {
  const isRefused = ({ would }: PreviewedRun): boolean => would === 'refuse'
  return [...examined.filter(isRefused), ...examined.filter((run) => !isRefused(run))].slice(0, SAMPLE)
}
