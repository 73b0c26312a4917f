/**
 * One turn of `advance`: what it is asked to take in, what it decided, and what it says of the run afterwards.
 */
import { engineTypeOf, type EngineType } from '../core/run/engines.ts'
import type { KeelsonError } from '../core/problems/problem.ts'
import type { InputBody } from '../core/run/input.ts'
import type { AdvanceOptions, AdvanceReport, EffectReport } from '../ports/engine.ts'
import type { RunCommit } from '../ports/run-store.ts'
import type { DecisionRound } from './decision-round.ts'
import type { LoadedRun } from './load-run.ts'
import type { RunGrants } from './run-grants.ts'

const END_EVENTS: ReadonlySet<string> = new Set(['RunCompleted', 'RunFailed', 'RunCancelled'])

export interface AdvanceRequest extends AdvanceOptions {
  readonly reports?: readonly EffectReport[]
  readonly inputs?: readonly InputBody[]
  /** Take the run over under the next epoch. */
  readonly adopt?: boolean
  /** Give the run to another engine, under the next epoch. */
  readonly handoff?: EngineTarget
}

/** The engine a run goes to. */
export interface EngineTarget {
  readonly toEngine: EngineType
  readonly engineRunRef: string
  readonly maxInFlight: number
  readonly forced?: boolean
  /** Who holds the run from the hand-off on; a lease of the old driver must not outlive it. */
  readonly lease?: NonNullable<RunCommit['lease']>
  /** Refuses, by throwing, a run that moved since it was looked at. Asked on the very state that is handed over. */
  readonly check?: (run: LoadedRun) => void
}

/** Nothing is told: only time has passed. */
export function isBare({ reports = [], inputs = [], adopt = false, handoff }: AdvanceRequest): boolean {
  return reports.length === 0 && inputs.length === 0 && !adopt && handoff === undefined
}

/** The run's terminal event, when this turn wrote it: whoever waits for the end need not read the log for it. */
export function endOf({ drafts }: DecisionRound): Pick<AdvanceReport, 'end'> {
  const last = drafts.findLast(({ draft }) => END_EVENTS.has(draft.eventType))?.draft
  if (last === undefined) return {}
  const { eventType, payload, data } = last
  return { end: { eventType, payload, ...(data === undefined ? {} : { data }) } }
}

export function handoffInput(run: LoadedRun, target: EngineTarget): InputBody {
  target.check?.(run)
  const { toEngine, engineRunRef, maxInFlight, forced } = target
  const fromEngine = engineTypeOf(run.state.engineType)
  const payload = { fromEngine, toEngine, engineRunRef, maxInFlight, ...(forced === true ? { forced } : {}) }
  return { kind: 'handoff', payload }
}

/** The engine's name for the run enters its row with the event that tells of it. */
export function engineOf({ drafts, state }: DecisionRound, request: AdvanceRequest): Pick<Turn, 'engine'> {
  const engineRunRef = request.handoff?.engineRunRef ?? request.startAs
  const isTold = drafts.some(({ draft }) => draft.eventType === 'EngineHandoff' || draft.eventType === 'RunStarted')
  return engineRunRef === undefined || !isTold ? {} : { engine: { engineType: state.engineType, engineRunRef } }
}

/**
 * What a hand-off leaves besides its event: the new holder's lease, and a letter that says nothing. Whoever has the new
 * engine takes the run up for the letter's sake, also when the process that handed it over dies at once (P-22).
 */
export function handedOver(
  run: LoadedRun,
  { handoff }: AdvanceRequest,
  epoch: number,
): Pick<Turn, 'lease' | 'letters'> {
  if (handoff === undefined) return {}
  const { tenantId, runId } = run.identity
  const row = { inboxId: `handoff:${epoch}`, kind: 'wake', body: '{}' }
  const letters = [{ run: { tenantId, runId }, row }]
  return { letters, ...(handoff.lease === undefined ? {} : { lease: handoff.lease }) }
}

export interface Turn {
  readonly round: DecisionRound
  readonly engine?: NonNullable<RunCommit['engine']>
  readonly lease?: NonNullable<RunCommit['lease']>
  /** For the run's own inbox. */
  readonly letters?: NonNullable<RunCommit['notify']>
  readonly consumed: readonly { readonly inboxId: string; readonly seq: number }[]
  /** Reports there was no room for. */
  readonly left: readonly EffectReport[]
  readonly grants: RunGrants | undefined
  /** Why the store was not asked, where it was not: nothing but intents may come of it. */
  readonly blind: KeelsonError | undefined
}

export interface Done {
  readonly report: AdvanceReport
  readonly left: readonly EffectReport[]
}
