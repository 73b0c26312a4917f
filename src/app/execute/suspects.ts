/**
 * Attempts that may be the cause when their process dies: those that were at work at three deaths of their driver in a row, and
 * those that follow such an attempt. They run in a process of their own. Functions that cannot be loaded from a file run here,
 * alone, and count as the cause only of a death at which nothing else was at work (P-27: a death itself is no event).
 */
import { actionKind, type Isolation } from '../../core/plan/plan.ts'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import type { Effect } from '../../core/run/effect.ts'
import type { Unit } from '../../core/run/state/unit.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { Services } from '../services.ts'
import { farFunction, workOf, type Executable, type Work } from './step-work.ts'

const DEATHS_OF_A_SUSPECT = 3

/** Where an attempt is to run. `alone`: here, with nothing else at work. */
export type Whereabouts = Isolation | 'alone'

interface Asked {
  readonly services: Pick<Services, 'store' | 'handlers'>
  readonly run: LoadedRun
  readonly effect: Executable
}

/** At hand for all but the few attempts that may be suspects. */
export function whereabouts({ services, run, effect }: Asked, work: Work): Whereabouts | Promise<Whereabouts> {
  const { step, action } = work
  const { isolation } = step
  // What a remote worker does ends no process here.
  if (farFunction(work) !== undefined) return isolation
  // Requests and programs are carried out by our own code, which does not end its process.
  if (!mayBeSuspect(effect) || actionKind(action) !== 'run' || isolation === 'process') return isolation
  return whereaboutsOfSuspect({ services, run, effect }, work)
}

async function whereaboutsOfSuspect({ services, run, effect }: Asked, { step, unit }: Work): Promise<Whereabouts> {
  const isGuilty = isSuspect(run, effect) || (await hasKilled(services.store, run, effect, unit))
  if (!isGuilty) return step.isolation
  return services.handlers.isolates === true ? 'process' : 'alone'
}

/** Must the attempt run alone in this process? Where no separate process is possible, this finds the attempt that kills it. */
export async function wantsAlone(asked: Asked): Promise<boolean> {
  const work = workOf(asked.run, asked.effect)
  return work !== undefined && (await whereabouts(asked, work)) === 'alone'
}

/** Is the attempt put into a process of its own although its plan does not ask for one? */
export async function isPutApart(asked: Asked): Promise<boolean> {
  const work = workOf(asked.run, asked.effect)
  return work !== undefined && work.step.isolation !== 'process' && (await whereabouts(asked, work)) === 'process'
}

/** Did an attempt of it before this one end its process? */
async function hasKilled(store: RunStore, run: LoadedRun, effect: Executable, unit: Unit): Promise<boolean> {
  if (effect.attempt === 1) return false
  return effect.kind === 'Compensate' ? wasSuspect(store, run, effect) : unit.errorCode === 'PROCESS_DIED'
}

/** Every driver since the attempt began has vanished, and there were three of them at least. */
function isSuspect({ row }: Pick<LoadedRun, 'row'>, effect: Executable): boolean {
  return (row.deaths ?? 0) >= DEATHS_OF_A_SUSPECT && effect.engineAttempt > DEATHS_OF_A_SUSPECT
}

/** Can the attempt be a suspect at all? Asked for every step, so without a look at the run. */
export function mayBeSuspect(effect: Effect): effect is Executable {
  if (effect.kind !== 'ExecuteStep' && effect.kind !== 'Compensate') return false
  return effect.engineAttempt > DEATHS_OF_A_SUSPECT || effect.attempt > 1
}

/** No step has such a slot name, so an adoption finds nothing under these marks. */
const markOf = (epoch: number, slot: string): string => `SUSPECT:${epoch}:${slot}`

/** The fold keeps no error of a compensation; the mark of an earlier attempt tells as much. */
async function wasSuspect(store: RunStore, { row }: LoadedRun, { slot }: Executable): Promise<boolean> {
  const claims = await store.readClaims(row.runKey)
  return claims.some((one) => one.slot.startsWith('SUSPECT:') && one.slot.endsWith(`:${slot}`))
}

/**
 * Notes that a suspect is about to start. Returns the reason to fail it instead if it must run alone and was alone at an earlier
 * death: then nothing else can have been the cause.
 */
export async function blameOrMark(
  store: RunStore,
  run: LoadedRun,
  { slot, attempt }: Executable,
  isAlone: boolean,
): Promise<KeelsonError | undefined> {
  const { runKey, deaths = 0 } = run.row
  if (isAlone) {
    const claims = await store.readClaims(runKey)
    const marks = new Set(claims.flatMap((one) => (one.attempt === attempt ? [one.slot] : [])))
    for (let epoch = run.epoch - deaths; epoch < run.epoch; epoch++)
      if (marks.has(markOf(epoch, slot))) return diedAlone(slot)
  }
  await store.claimAttempt(runKey, { slot: markOf(run.epoch, slot), attempt, claimant: String(run.epoch) })
  return undefined
}

function diedAlone(slot: string): KeelsonError {
  const message = `'${slot}' was at work each time its process died, the last time alone`
  return new KeelsonError([problem('PROCESS_DIED', message)])
}
