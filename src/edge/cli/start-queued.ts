/** Starts queued runs, each with the functions it was admitted with, and drives them to their end. */
import type { Keelson } from '../../main.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { Adopted } from './adopt-when-free.ts'
import { anchorHeads } from './anchor-heads.ts'
import type { Options } from './command.ts'
import { driveRuns } from './drive-runs.ts'
import { EXIT } from './exit-codes.ts'
import { Doorbell } from './follow.ts'
import { Keelsons } from './keelsons.ts'
import { tellLeftOut } from './left-out.ts'
import { shortId } from './output/format.ts'
import type { Terminal } from './terminal.ts'

export async function startQueued(rows: readonly RunRow[], options: Options, terminal: Terminal): Promise<number> {
  const doorbell = new Doorbell()
  const keelsons = new Keelsons(options, doorbell)
  try {
    const { wanted, left } = await keelsons.open(rows)
    const [broken] = left
    if (broken !== undefined && wanted.length === 0) throw broken.error
    tellLeftOut(left, options, terminal)
    const byKeelson = new Map<Keelson, string[]>()
    for (const { keelson, row } of wanted) byKeelson.set(keelson, [...(byKeelson.get(keelson) ?? []), row.runId])
    const started: Adopted[] = []
    let failures = left.length
    for (const [keelson, runIds] of byKeelson) {
      for (const { runId, status, error } of await keelson.queue.start({ runIds, limit: runIds.length })) {
        if (status === 'STARTED') started.push({ keelson, handle: await keelson.run(runId) })
        else
          terminal.errorLine(
            `run ${shortId(runId)} stays queued: ${error ?? 'it is not approved, not due, or another process has it'}`,
          )
        if (status === 'FAILED') failures += 1
      }
    }
    const [first] = started
    if (first === undefined) return failures > 0 ? EXIT.failed : EXIT.detached
    const code = await driveRuns({ runs: started, doorbell, options, terminal })
    await anchorHeads(first.keelson, options, terminal)
    return code === EXIT.completed && failures > 0 ? EXIT.failed : code
  } finally {
    await keelsons.close()
  }
}
