/**
 * The request and the answer of a resync (PRJ-12, PRJ-13). The answer says which mode was really served: without a
 * usable snapshot it is FULL whatever was requested (STO-16, PRJ-28).
 */
import type { LogRecord } from '../../events/event.ts'
import { incrementalProject, projectRun, type Projection } from './project-run.ts'
import type { RunMeta } from '../fold/run-meta.ts'
import { viewFromText } from './stored-view.ts'

export type ResyncRequest =
  | { readonly mode: 'FULL'; readonly runId: string }
  | { readonly mode: 'FROM_SNAPSHOT'; readonly runId: string; readonly checkpointSeq: number }

export interface ResyncResponse {
  /** The mode served. */
  readonly mode: 'FULL' | 'FROM_SNAPSHOT'
  readonly runId: string
  readonly snapshot?: { readonly lastEventSeq: number; readonly body: string }
  /** Every event after the snapshot, or from the lowest number on, up to the head. */
  readonly events: readonly LogRecord[]
}

/** The projection after a resync. Undefined when its snapshot cannot be used: ask again for FULL. */
export function replay(meta: RunMeta, response: ResyncResponse): Projection | undefined {
  if (response.snapshot === undefined) return projectRun(meta, response.events)
  const view = viewFromText(response.snapshot.body, meta)
  return view === undefined ? undefined : incrementalProject(view, response.events)
}
