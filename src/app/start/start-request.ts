/** What a start asks for, and what it is answered. */
import type { ValidationReport } from '../../core/engine/check-capabilities.ts'
import type { Payload } from '../../core/events/event.ts'
import type { ChildPlan } from '../../core/plan/compile/child-plans.ts'
import type { People } from '../../core/run/state/people.ts'
import type { ReusedResult } from '../../core/run/input.ts'
import type { ApprovedAbove, NamesAsked, RunLock } from '../../core/run/state/state.ts'
import type { TurnResult, EngineCapabilities } from '../../ports/engine.ts'
import type { RunKey, RunParent, RunRow } from '../../ports/run-store.ts'
import type { AdmittedPlan, PlanToStart } from '../plans/admit.ts'
import type { Principal } from '../principal.ts'
import type { ContextChange } from '../values/run-context.ts'

export interface StartRequest {
  readonly plan: PlanToStart
  /** Child plans as another run has them pinned; null or absent: as they are published now. */
  readonly children?: readonly ChildPlan[] | null
  /** Another plan under the same id and version is no obstacle. */
  readonly replaceVersion?: boolean
  readonly input?: unknown
  readonly principal: Principal
  readonly engine: EngineCapabilities
  readonly triggerSource?: 'manual' | 'schedule' | 'webhook' | 'api'
  /** The client's own id for this request: the same id starts one run (BPQ-10). */
  readonly runRequestId?: string
  readonly runId?: string
  readonly parent?: RunParent
  readonly originalRunId?: string
  /** Who did what in the run it is made from or belongs to; read from the log of `originalRunId` where it is not at hand. */
  readonly before?: People
  readonly reuse?: readonly ReusedResult[]
  readonly admission?: {
    readonly policy: 'QUEUE' | 'DELAY'
    readonly notBefore?: number
    readonly autoApprove: boolean
  }
  readonly lease?: { readonly owner: string; readonly until: number } | undefined
  /** What was approved in the run it belongs to. */
  readonly approved?: ApprovedAbove | undefined
  /** The rule of a run above that asks for names in this one. */
  readonly namesAsked?: NamesAsked | undefined
  /** It may touch what is named here, and nothing else. */
  readonly lock?: RunLock | undefined
  /** Ties the run to the request that caused it; default: its own id (CTX-05). */
  readonly correlationId?: string
  /** What was found when the plan was held against its engine; the run keeps it, and with errors it ends before it began. */
  readonly report?: ValidationReport
  /** What taken-over results name by hash, written with the run. */
  readonly blobs?: readonly { readonly sha256: string; readonly text: string }[]
  /** The variables that taken-over results leave behind, by slot. */
  readonly captured?: ReadonlyMap<string, readonly ContextChange[]>
}

export type StartAnswer =
  | {
      readonly kind: 'started'
      readonly row: RunRow
      readonly report: TurnResult
      /** A limit had no room: it waits in the queue, and nobody drives it. */
      readonly isQueued?: true
      /** Runs that were asked to end in its favour. */
      readonly replaced?: readonly RunKey[]
    }
  | { readonly kind: 'exists'; readonly row: RunRow }

/** The request with its plan as it was read. */
export type AdmittedRequest = Omit<StartRequest, 'plan' | 'children' | 'report'> &
  Omit<AdmittedPlan, 'altered'> & { readonly report?: Payload<'RunValidated'> }
