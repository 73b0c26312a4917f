/**
 * Reports runs that were set aside one by one: why, and what can be done. A run that was forked since then needs
 * nothing more.
 */
import type { RunRow } from '../../../ports/run-store.ts'
import type { Options } from '../terminal/command.ts'
import { tellProblems } from '../output/problems.ts'
import { openExisting } from '../open/session.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Returns how many still need attention. */
export async function tellSetAside(rows: readonly RunRow[], options: Options, terminal: Terminal): Promise<number> {
  if (rows.length === 0) return 0
  const keelson = await openExisting(options)
  let told = 0
  try {
    for (const { runId } of rows) {
      const forks = await keelson.list({ originalRunId: runId }, { limit: 1 })
      const trouble = forks.runs.length > 0 ? undefined : await (await keelson.run(runId)).trouble()
      if (trouble === undefined) continue
      tellProblems(terminal, trouble.error, options)
      told += 1
    }
    return told
  } finally {
    await keelson.close()
  }
}
