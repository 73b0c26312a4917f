/**
 * The one door to a run's log: what a turn decided is sealed into bytes and handed to the store as one commit (P-08, P-14).
 * `advance`, `start` and the failing of an altered run all come through here.
 */
import type { Decision, RunIdentity } from '../../core/events/event.ts'
import type { KeelsonError } from '../../core/problems/problem.ts'
import type { Draft } from '../../core/run/draft.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { isoFromMs } from '../../core/time.ts'
import type { WrittenEvent } from '../../ports/engine.ts'
import type { CommitResult, RunCommit } from '../../ports/run-store.ts'
import type { Diverted } from '../commit/fail-open.ts'
import type { CommitQueue } from '../commit/queue.ts'
import { sealEvents } from '../log/seal.ts'
import type { Services } from '../services.ts'

/** Where a run's log ends: the next event gets this number and is chained to this hash. */
export interface LogEnd {
  readonly identity: RunIdentity
  readonly nextSeq: number
  readonly headHash: Uint8Array
}

/** What the store writes together with the events. */
export type BesideEvents = Omit<RunCommit, 'events'>

export interface DecidedTurn {
  readonly drafts: readonly { readonly draft: Draft; readonly decision: Decision }[]
  /** The run's time. */
  readonly now: number
  readonly beside: BesideEvents
  /** The state that the drafts lead to. Left out: none of them may be written late (P-13). */
  readonly state?: RunState
  /** Why the store is not asked. Then the turn may only produce events that may be written late. */
  readonly blind?: KeelsonError | undefined
}

export interface CommittedTurn {
  readonly result: CommitResult | Diverted
  readonly written: readonly WrittenEvent[]
  /** The end of the log once the turn is committed. */
  readonly headHash: Uint8Array
}

/** Throws, and writes nothing, when a draft does not fit its schema; throws when the fate of the commit is unknown (P-10). */
export async function commitTurn(
  { random, failOpen }: Pick<Services, 'random' | 'failOpen'>,
  queue: CommitQueue,
  { identity, nextSeq: firstSeq, headHash: previousHash }: LogEnd,
  { drafts, now, beside, state, blind }: DecidedTurn,
): Promise<CommittedTurn> {
  const sealed = sealEvents({ identity, drafts, firstSeq, previousHash, emittedAt: isoFromMs(now), random })
  const commit: RunCommit = { ...beside, events: sealed.events }
  const result =
    failOpen === undefined || state === undefined
      ? await queue.submit(commit)
      : await failOpen.submit(queue, { run: identity, state, drafts: drafts.map(({ draft }) => draft), commit }, blind)
  return { result, written: sealed.written, headHash: sealed.headHash }
}
