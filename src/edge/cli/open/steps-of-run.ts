/**
 * The functions with which a run continues: those of its original file, unless it is locked and code is not allowed.
 * Then no file is loaded at all, whatever is in the folder.
 */
import { lockOfRun } from '../../../app/plans/run-lock.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Options } from '../terminal/command.ts'
import { openToLook } from './look.ts'
import type { Source } from '../files/sources.ts'
import { findStepsFile, loadSteps, NO_STEPS, type StepsFile } from '../files/steps-file.ts'

/** The ids of the runs for which no code may be loaded, according to their logs. */
export async function closedToCode(rows: readonly RunRow[], options: Options): Promise<ReadonlySet<string>> {
  const closed = new Set<string>()
  if (rows.length === 0) return closed
  const store = await openToLook(options)
  try {
    for (const row of rows) if ((await lockOfRun(store, row))?.code === false) closed.add(row.runId)
    return closed
  } finally {
    await store.close()
  }
}

export async function stepsOfRun(row: RunRow, options: Options, source: Source | undefined): Promise<StepsFile> {
  if ((await closedToCode([row], options)).size > 0) return NO_STEPS
  return loadSteps(findStepsFile(options.text('steps') ?? source?.steps, ['.']))
}
