/** Setting one run aside, so that a bad row stops that run and no other. */
import type { MemoryRun } from './connect.ts'

export function quarantine(run: MemoryRun | undefined, code: string): void {
  if (run !== undefined) run.row = Object.freeze({ ...run.row, quarantine: code })
}
