/** Setting one run aside, so that a bad row stops that run and no other. */
import type { MemoryRun } from './connect.ts'

export function quarantine(run: MemoryRun | undefined, code: string): void {
  if (run !== undefined) run.row = Object.freeze({ ...run.row, quarantine: code })
}

export function liftQuarantine(run: MemoryRun | undefined, code: string): boolean {
  if (run === undefined || run.row.quarantine !== code) return false
  const { quarantine: _code, deaths: _deaths, doing: _doing, diedDoing: _died, lease: _lease, ...row } = run.row
  run.row = Object.freeze(row)
  return true
}
