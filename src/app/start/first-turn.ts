/** The first turn of a run: its admission and, where it starts at once, RunStarted and the first StepStarteds (P-45). */
import { appendAll } from '../../core/collections/append-all.ts'
import type { InputBody } from '../../core/run/input.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import { commitTurn, type CommittedTurn, type DecidedTurn } from '../advance/commit-turn.ts'
import { DecisionRound } from '../advance/decision-round.ts'
import { UNREAD, type Seen } from '../inbox/seen.ts'
import { startInput } from '../advance/start-input.ts'
import { decidedTurn, type GrantParts } from '../advance/turn-commit.ts'
import type { Turn } from '../advance/turn.ts'
import type { CommitQueue } from '../commit/queue.ts'
import { nothingAtHand } from '../grants/run-grants.ts'
import { scopePauseFor } from '../inbox/scope-pauses.ts'
import type { RunLabels } from '../../ports/run-store.ts'
import type { Services } from '../services.ts'
import { startsHere, willStart, type Admission } from './admission.ts'
import type { PreparedRun } from './new-run.ts'
import type { AdmittedRequest } from './start-request.ts'

export interface FirstTurn {
  readonly admission: Admission
  /** It runs no step: it undoes another run. */
  readonly undoes: boolean
  readonly labels: RunLabels | undefined
  /** What it claims of the limits for starts, or waits for. */
  readonly grants?: GrantParts
  /** Why its plan cannot be believed; the run then fails as it starts. */
  readonly altered: string | undefined
}

export interface WrittenTurn {
  readonly turn: Turn
  readonly decided: DecidedTurn
  readonly written: CommittedTurn
}

/** Decided as if nothing were paused, and once more where the store says that something is (P-53). */
export async function writeFirstTurn(
  services: Services,
  queue: CommitQueue,
  prepared: PreparedRun,
  request: AdmittedRequest,
  first: FirstTurn,
): Promise<WrittenTurn> {
  const { store, failOpen } = services
  const pausesOf = async (): Promise<Seen> => ({
    inboxRows: [],
    pauses: await store.readScopePauses(request.principal.tenantId),
  })
  let seen = failOpen === undefined ? UNREAD : await pausesOf()
  for (;;) {
    const unread = seen === UNREAD
    const turn = { ...(await decideFirstTurn(services, prepared, request, first, seen)), unread }
    const decided = decidedTurn(prepared.run, turn, first.grants)
    const written = await commitTurn(services, queue, prepared.run, decided)
    if (!unread || written.result.kind !== 'unread') return { turn, decided, written }
    seen = written.result
  }
}

async function decideFirstTurn(
  services: Services,
  { run, newRun }: PreparedRun,
  request: AdmittedRequest,
  { admission: { admit, blobs }, undoes, labels, altered }: FirstTurn,
  { pauses }: Seen,
): Promise<Turn> {
  const { store, clock, failOpen } = services
  const grants = undoes ? undefined : nothingAtHand(run.plan.graph)
  const round = new DecisionRound(store, run, { now: clock.now(), lead: 0 }, 1, grants)
  appendAll(round.blobs, blobs)
  await round.take(admit)
  if (willStart(request, altered)) {
    const pause = scopePauseFor(pauses, run.identity, run.state)
    const start = {
      ...startInput({ ...request, intentLate: failOpen !== undefined }, newRun),
      ...(pause === undefined ? {} : { pausedBy: pausedBy(pause) }),
      ...(altered === undefined ? {} : { integrityFailure: { message: altered } }),
    }
    await round.take(start, { facts: false })
    round.noteTakenOver(request.captured ?? new Map())
    // What wants grants starts with the first advance, which is due at once.
    if (grants !== undefined && !isTerminalRun(round.state.status)) round.cut = true
  }
  // Due from now on, so that a workflow that could not be started is made up for.
  if (request.admission === undefined && !startsHere(request, altered) && !isTerminalRun(round.state.status))
    round.cut = true
  const { lease } = request
  return {
    round,
    create: newRun,
    ...(labels === undefined ? {} : { labels }),
    consumed: [],
    grants: undefined,
    ...(lease === undefined ? {} : { lease }),
  }
}

function pausedBy({ scope, reason }: Extract<InputBody, { kind: 'scope' }>): { scope: string; reason?: string } {
  return { scope, ...(reason === undefined ? {} : { reason }) }
}
