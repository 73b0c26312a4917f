/**
 * The RunDriver that an engine receives: advance and execute, bound to one process's services. Child runs it starts are
 * reported to the engine, which drives them beside their parents.
 */
import { fail } from '../../core/problems/problem.ts'
import type { Effect } from '../../core/run/effect.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import { locate } from '../../core/run/state/units.ts'
import type { TurnResult, EffectOutcome, RunDriver } from '../../ports/engine.ts'
import type { RunKey, RunRow } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { BeginClaims } from '../execute/begin-claim.ts'
import { childRunId, sentSignalId } from '../log/derived-uuid.ts'
import { parentSignalRow } from '../inbox/parent-signal-row.ts'
import { leaveReport } from '../inbox/report-inbox-row.ts'
import { effectTraits } from './effect-traits.ts'
import { executeStep } from '../execute/execute-step.ts'
import type { StepCall } from '../execute/step-call.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { TroubleParts } from '../loaded/run-trouble.ts'
import type { Services } from '../services.ts'
import { isDamage, setAside } from '../loaded/set-aside.ts'
import { startChild } from '../start/start-child.ts'
import { SuspectTurns } from '../execute/suspect-turns.ts'
import { isPutApart, mayBeSuspect, wantsAlone } from '../execute/suspects.ts'
import { signalRun } from '../signals/signal-run.ts'
import { compensatedChild } from '../loaded/compensation-run-id.ts'
import type { StartRequest } from '../start/start-request.ts'

export interface DriverOptions {
  /** A child run was started (or found): it needs a driver. */
  readonly onChild?: (row: RunRow, report: TurnResult | undefined) => void
  /** The lease for a child run that is about to be created: without a lease the child would look like a run without a driver. */
  readonly lease?: (engineType: string) => StartRequest['lease']
  readonly onManualTask?: (run: RunRow, slot: string, attempt: number) => void
}

export function createRunDriver(services: Services, advancer: RunAdvancer, options: DriverOptions = {}): RunDriver {
  const claims = new BeginClaims(services)
  const turns = new SuspectTurns()
  return {
    advance: async (runKey, reports = [], asked = {}) => {
      const report = await advancer.advance(runKey, { ...asked, reports })
      if (report.terminal) claims.forget(runKey)
      return report
    },
    adopt: async (runKey) => {
      const report = await advancer.advance(runKey, { adopt: true })
      claims.forget(runKey)
      return report
    },
    execute: async (runKey, effect, signal, handedOver) => {
      try {
        const run = await advancer.current(runKey)
        return await execute({ services, advancer, options, claims, turns, handedOver }, run, effect, signal)
      } catch (thrown) {
        await setAsideDamaged({ store: services.store, plans: advancer.plans }, runKey, thrown)
        throw thrown
      }
    },
    wantsAlone: (runKey, effect) =>
      mayBeSuspect(effect) && advancer.current(runKey).then((run) => wantsAlone({ services, run, effect })),
    traits: async (runKey, effect) => effectTraits(await advancer.current(runKey), effect),
    see: (runKey, headSeq) => advancer.see(runKey, headSeq),
    cancel: (runKey, reason) => cancelNatively(services, runKey, reason),
    leave: async (runKey, report) => {
      const row = await leaveReport(services, runKey, report)
      // Nobody drives an ended run: what came too late for it is recorded here (P-48).
      if (isTerminalRun(row.status)) await advancer.advance(runKey)
    },
    forget: (runKey) => {
      advancer.release(runKey)
      claims.forget(runKey)
    },
  }
}

/** The part of the log that an effect needs may be damaged too, which shows only when the effect is carried out. */
async function setAsideDamaged(parts: TroubleParts, runKey: RunKey, thrown: unknown): Promise<void> {
  if (isDamage(thrown)) await setAside(parts, runKey, 'RUN_QUARANTINED', thrown)
}

interface Parts {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly options: DriverOptions
  readonly claims: BeginClaims
  readonly turns: SuspectTurns
  readonly handedOver: (() => void) | undefined
}

function execute(
  parts: Parts,
  run: LoadedRun,
  effect: Effect,
  signal: AbortSignal,
): Promise<EffectOutcome | undefined> {
  if (effect.kind !== 'ExecuteStep' && effect.kind !== 'Compensate') return tell(parts, run, effect)
  const { services, advancer, claims, handedOver } = parts
  const latest = (): Promise<LoadedRun> => advancer.current(run.row.runKey)
  const call = { services, claims, run, effect, signal, latest, ...(handedOver && { handedOver }) }
  return mayBeSuspect(effect) ? executeSuspect(parts, call) : executeStep(call)
}

/** Before its time limit begins: waiting for a turn does not count as time of the step. */
async function executeSuspect({ turns }: Parts, call: StepCall): Promise<EffectOutcome | undefined> {
  return (await isPutApart(call)) ? turns.during(call.signal, () => executeStep(call)) : executeStep(call)
}

type Told = Exclude<Effect, { kind: 'ExecuteStep' | 'Compensate' }>

async function tell(
  { services, advancer, options }: Parts,
  run: LoadedRun,
  effect: Told,
): Promise<EffectOutcome | undefined> {
  switch (effect.kind) {
    case 'StartChild': {
      const started = await startChild(services, advancer, run, effect, options.lease?.(run.state.engineType))
      if (started.kind === 'answered') return started.report
      if (started.kind === 'child')
        options.onChild?.(started.answer.row, started.answer.kind === 'started' ? started.answer.report : undefined)
      return undefined
    }
    case 'SignalChild':
      await signalChild(services, run, effect)
      return undefined
    case 'OpenManualTask':
      options.onManualTask?.(run.row, effect.slot, effect.attempt)
      return undefined
    case 'CancelStep':
      return undefined
  }
}

type SignalChild = Extract<Effect, { kind: 'SignalChild' }>

/**
 * Sends the parent's signal to its child run, through the child's inbox. A child that does not exist yet is told later.
 */
async function signalChild(services: Services, run: LoadedRun, effect: SignalChild): Promise<void> {
  if (!isStillMeant(run, effect)) return
  const { tenantId, runId } = run.identity
  const child =
    compensatedChild(runId, run.state, effect.slot)?.compensationRunId ?? childRunId(runId, effect.slot, effect.attempt)
  const { signalType, cycle } = effect
  const row = parentSignalRow({ parentRunId: runId, childRunId: child, signalType, cycle })
  const answer = await services.store.insertInbox({ tenantId, runId: child }, row)
  if (answer.kind === 'no-run' && isOpen(run, effect))
    fail('RUN_NOT_FOUND', `the child run of '${effect.slot}' has not been created yet`)
}

function isOpen(run: LoadedRun, effect: SignalChild): boolean {
  const unit = locate(run.state, effect.slot)?.unit
  return unit?.status === 'RUNNING' && unit.attempt === effect.attempt
}

/** A pause or resume must still be in force: a delayed old signal must not overtake a new one. */
function isStillMeant(run: LoadedRun, effect: SignalChild): boolean {
  if (effect.signalType === 'CANCEL' || effect.signalType === 'EMERGENCY_STOP') return true
  const paused = run.state.status === 'PAUSED'
  return isOpen(run, effect) && run.state.pauseCycle === effect.cycle && paused === (effect.signalType === 'PAUSE')
}

/** One signal per run, however often the engine reports it; an earlier cancellation with a reason says more. */
async function cancelNatively(services: Services, runKey: RunKey, reason: string): Promise<void> {
  const row = await services.store.getRun(runKey)
  if (row === undefined || row.substatus?.endsWith('/CANCELLING') === true) return
  const asked = (await services.store.readInbox(runKey)).some(({ kind, body }) => kind === 'signal' && isCancel(body))
  if (asked) return
  const signalId = sentSignalId(row.runId, 'native-cancel', 1)
  const sender = { actorId: row.engineType, actorRole: 'System', allowed: true }
  await signalRun(services, row, { signalId, signalType: 'CANCEL', payload: { reason } }, sender)
}

function isCancel(body: string): boolean {
  const { signalType } = JSON.parse(body) as { readonly signalType?: unknown }
  return signalType === 'CANCEL' || signalType === 'EMERGENCY_STOP'
}
