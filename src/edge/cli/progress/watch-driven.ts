/**
 * The watch over a run that this process itself drives. Reading the plan and folding the log for the picture is as
 * risky as driving: for a run whose drivers died it is noted, too (see last-words.ts).
 */
import { noting } from '../../../app/deaths/last-words.ts'
import type { SignalType } from '../../../core/run/signals/catalogue.ts'
import type { ReadableRun } from '../../../library/read/readable-runs.ts'
import { servicesOf } from '../../../library/services-of.ts'
import type { Keelson, RunHandle } from '../../../main.ts'
import { watchRun, type RunWatch } from './run-watch.ts'

/** One that can be sent signals. */
export type DrivenWatch = RunWatch<ReadableRun & Sendable>

export interface Sendable {
  signal(signalType: SignalType, payload: Readonly<Record<string, unknown>>): Promise<unknown>
}

export async function watchDriven(keelson: Keelson, handle: RunHandle): Promise<DrivenWatch> {
  const services = servicesOf(keelson)
  // The row now holds what the adoption has found.
  const row = (await services.store.getRun(handle.row.runKey)) ?? handle.row
  const around = <T>(work: () => Promise<T>): Promise<T> => noting(services, row, 'folding its log', work)
  return around(() => watchRun(handle, Infinity, around))
}
