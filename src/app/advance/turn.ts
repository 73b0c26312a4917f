/**
 * One turn of `advance`: what it is asked to take in, what it decided, and what it says of the run afterwards.
 */
import { engineTypeOf, type EngineType } from '../../core/engine/engine-type.ts'
import type { KeelsonError } from '../../core/problems/problem.ts'
import type { InputBody } from '../../core/run/input.ts'
import type { AdvanceOptions, TurnResult, EffectOutcome } from '../../ports/engine.ts'
import type { EventWaitRow } from '../../ports/events.ts'
import type { NewRun, RunCommit, RunLabels, RunStore } from '../../ports/run-store.ts'
import type { DecisionRound } from './decision-round.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { RunGrants } from '../grants/run-grants.ts'
import type { Services } from '../services.ts'

export interface AdvanceRequest extends AdvanceOptions {
  readonly reports?: readonly EffectOutcome[]
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

/** The run gets a new epoch: it is taken over, or given to another engine. */
export function isTaking({ adopt, handoff }: AdvanceRequest): boolean {
  return adopt === true || handoff !== undefined
}

/**
 * A turn that brings outcomes nearly always writes, and nearly always nobody has written to the run. The intents of a run that
 * goes on without its store cannot be refused later, so there everything is read first (P-13).
 */
export function mayStayUnread(
  { failOpen }: Services,
  { state }: LoadedRun,
  request: AdvanceRequest,
  grants: RunGrants | undefined,
): boolean {
  const { reports = [], inputs = [] } = request
  const bringsOutcomes = reports.length > 0 && inputs.length === 0 && !isTaking(request)
  return bringsOutcomes && grants === undefined && failOpen === undefined && state.status !== 'PAUSED'
}

/** Nothing is told: only time has passed. */
export function isBare(request: AdvanceRequest): boolean {
  const { reports = [], inputs = [] } = request
  return reports.length === 0 && inputs.length === 0 && !isTaking(request)
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
 * What a hand-off leaves besides its event: the new holder's lease, and an inbox row that says nothing. Whoever has the new
 * engine takes the run up for the inbox row's sake, also when the process that handed it over dies at once (P-22).
 */
export function handedOver(
  run: LoadedRun,
  { handoff }: AdvanceRequest,
  epoch: number,
): Pick<Turn, 'lease' | 'inboxRows'> {
  if (handoff === undefined) return {}
  const { tenantId, runId } = run.identity
  const row = { inboxId: `handoff:${epoch}`, kind: 'wake', body: '{}' }
  const inboxRows = [{ run: { tenantId, runId }, row }]
  return { inboxRows, ...(handoff.lease === undefined ? {} : { lease: handoff.lease }) }
}

/** What came of an effect, and of a person's word how often the run had been changed when they were asked. */
export interface Told {
  readonly report: EffectOutcome
  readonly seenChanges?: number
}

/** What decisions left behind for one commit. */
export interface Turn {
  readonly round: DecisionRound
  /** The run that this turn brings into being. */
  readonly create?: NewRun
  readonly labels?: RunLabels
  readonly engine?: NonNullable<RunCommit['engine']>
  readonly lease?: NonNullable<RunCommit['lease']>
  /** For the run's own inbox. */
  readonly inboxRows?: NonNullable<RunCommit['notify']>
  readonly consumed: readonly { readonly inboxId: string; readonly seq: number }[]
  readonly grants: RunGrants | undefined
  /** Of a run that is taken over: the waits for events that were open before. */
  readonly owedEventWaits?: readonly EventWaitRow[]
  /** Why the store was not asked; absent when it was. Then the turn may only produce intents. */
  readonly blind?: KeelsonError | undefined
  /** A limit holds its start up: when to try again. */
  readonly heldUntil?: number | undefined
  /** Neither inbox nor pauses were read (P-53). */
  readonly unread?: boolean
}

/** A turn of `advance`. */
export interface AdvanceTurn extends Turn {
  /** Reports that did not fit into this append. */
  readonly left: readonly EffectOutcome[]
}

export interface Done {
  readonly report: TurnResult
  readonly left: readonly EffectOutcome[]
}

/** Without anything to write there is no compare-and-set, and a driver that lost its run would never notice. */
export async function isCurrent(store: RunStore, run: LoadedRun): Promise<boolean> {
  const row = await store.getRun(run.row.runKey)
  return row !== undefined && row.epoch === run.epoch && row.nextSeq === run.nextSeq
}
