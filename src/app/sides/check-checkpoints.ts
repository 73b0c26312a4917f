/**
 * Stored checkpoints compared with the fold of the log. A checkpoint only saves its reader some folding (P-51), but whoever can
 * write it can make a driver or a view believe what no event says.
 */
import type { LogRecord } from '../../core/events/event.ts'
import { packState } from '../../core/run/state/checkpoint.ts'
import { RULES_VERSION } from '../../core/run/state/state.ts'
import { incrementalProject } from '../../core/view/project/project-run.ts'
import type { RunMeta } from '../../core/view/fold/run-meta.ts'
import { emptyView } from '../../core/view/fold/run-view.ts'
import { VIEW_VERSION, viewToText } from '../../core/view/project/stored-view.ts'
import type { StoredCheckpoint } from '../../ports/run-store.ts'
import { altered, type EvidenceFinding } from './finding.ts'
import type { FoldedLog } from '../log/fold.ts'
import { checkpointText } from '../loaded/load-run.ts'
import { keptViewOf } from '../project/stored-views.ts'
import { sameJson } from './same-json.ts'

/** Nobody reads checkpoints of other versions. `goneUpTo`: checkpoints up to this event were erased. */
export function checkCheckpoints(
  snapshots: readonly StoredCheckpoint[],
  records: readonly LogRecord[],
  folded: FoldedLog,
  meta: RunMeta,
  goneUpTo: number,
): readonly EvidenceFinding[] {
  return snapshots.flatMap((snapshot) => {
    const wrong =
      snapshot.seq <= goneUpTo ? 'still exists, though it was erased' : unlike(snapshot, records, folded, meta)
    return wrong === undefined ? [] : [altered(`the ${snapshot.kind} checkpoint as of event ${snapshot.seq} ${wrong}`)]
  })
}

function unlike(
  snapshot: StoredCheckpoint,
  records: readonly LogRecord[],
  folded: FoldedLog,
  meta: RunMeta,
): string | undefined {
  const { kind, seq, rulesVersion, body } = snapshot
  if (kind !== 'state' && kind !== 'view') return 'is of an unknown kind'
  const known = kind === 'state' ? RULES_VERSION : VIEW_VERSION
  if (rulesVersion !== known)
    return rulesVersion > known ? `is of version ${rulesVersion}, which is not known` : undefined
  const last = records.find(({ runSeq }) => runSeq === seq)
  if (last === undefined) return 'is of no event of the log'
  const expected = kind === 'state' ? stateText(folded, seq) : viewText(records, meta, seq)
  const kept = kind === 'state' ? undefined : keptViewOf(snapshot)
  if (kept !== undefined && kept.chainHash !== last.chainHash) return 'is of another event than the log has there'
  const found = kind === 'state' ? checkpointText(body) : kept?.text
  return found !== undefined && sameJson(found, expected) ? undefined : 'is not the fold of its log'
}

function stateText({ at }: FoldedLog, seq: number): string {
  const state = at.get(seq)
  return state === undefined ? '' : JSON.stringify(packState(state))
}

function viewText(records: readonly LogRecord[], meta: RunMeta, seq: number): string {
  const upTo = records.filter(({ runSeq }) => runSeq <= seq)
  return viewToText(incrementalProject(emptyView(meta), upTo).view)
}
