/**
 * What the start of one run claims within a turn of `advance`, and that an ended run counts no more. A start that was refused stays
 * undecided in that turn, and the run waits in the queue of the pool.
 */
import { RUN_SLOT } from '../../core/events/slot.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { RunState } from '../../core/run/state/state.ts'
import type { Draft } from '../../core/run/draft.ts'
import type { GrantRefusal, GrantRequest } from '../../ports/grants.ts'
import type { RunCommit } from '../../ports/run-store.ts'
import { compensationOf } from '../loaded/compensation-run-id.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { runInput } from '../loaded/run-outputs.ts'
import type { Services } from '../services.ts'
import { RETRY_MS } from './start-limits.ts'

type GrantParts = Pick<RunCommit, 'claims' | 'releases' | 'waits'>

/** The run in its own name; attempts of its steps have names of their own. */
const OWN_RELEASE = { slot: RUN_SLOT, attempt: 1, result: 'neutral' } as const

export class StartClaim {
  readonly #request: GrantRequest | undefined
  /** An end frees a place for others. */
  readonly isLimited: boolean
  #refusal: GrantRefusal | undefined

  constructor(request: GrantRequest | undefined, isLimited: boolean) {
    this.#request = request
    this.isLimited = isLimited
  }

  /** The turn is decided as if nobody had asked for the start. */
  get isHeld(): boolean {
    return this.#refusal !== undefined
  }

  /** When a start that is held is tried again, if nothing is offered before. */
  heldUntil(state: RunState, wall: number): number | undefined {
    if (this.#refusal === undefined || state.notBefore < 0 || state.notBefore > wall) return undefined
    return Math.max(this.#refusal.retryAt ?? 0, wall + RETRY_MS)
  }

  commitParts(parts: GrantParts, drafts: readonly Draft[], state: RunState): GrantParts {
    if (isTerminalRun(state.status)) return this.isLimited ? afterEnd(parts) : parts
    const request = this.#request
    if (request === undefined) return parts
    if (this.#refusal !== undefined) return { ...parts, waits: [...(parts.waits ?? []), request] }
    const isStarted = drafts.some(({ eventType }) => eventType === 'RunStarted')
    return isStarted ? { ...parts, claims: [...(parts.claims ?? []), request] } : parts
  }

  refused(refusals: readonly GrantRefusal[]): void {
    this.#refusal = refusals.find(({ slot }) => slot === RUN_SLOT) ?? this.#refusal
  }
}

function afterEnd(parts: GrantParts): GrantParts {
  const { releases = [] } = parts
  return { ...parts, waits: parts.waits ?? [], releases: releases === 'all' ? releases : [...releases, OWN_RELEASE] }
}

const FREE = new StartClaim(undefined, false)

/** Children run in the place of their parent; what undoes a run is never held up. */
export async function startClaimOf(services: Services, run: LoadedRun): Promise<StartClaim> {
  const { limits, store } = services
  const { row, state, plan } = run
  if (limits === undefined || row.parent !== undefined || compensationOf(row) !== undefined) return FREE
  const isLimited = (await limits.of(row.tenantId)).length > 0
  const isWaiting = state.status === 'PENDING' || state.status === 'APPROVED'
  if (!isLimited || !isWaiting) return isLimited ? new StartClaim(undefined, true) : FREE
  const gate = await limits.gateOf(row.tenantId, plan.plan, () => runInput(store, run))
  return new StartClaim(gate?.request, true)
}
