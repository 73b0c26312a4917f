/** Starts queued runs, each with the functions it was admitted with, and drives them to their end. */
import type { RunStatus } from '../../../core/run/state/transitions.ts'
import type { Keelson } from '../../../main.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Adopted } from '../open/adopt-when-free.ts'
import { anchorHeads } from '../open/anchor-heads.ts'
import type { Options } from '../terminal/command.ts'
import { driveRuns } from './drive-many.ts'
import { EXIT, exitOfStatus } from '../terminal/exit-codes.ts'
import { Doorbell } from '../progress/follow.ts'
import { Keelsons } from '../open/keelsons.ts'
import { tellLeftOut } from '../output/left-out.ts'
import { shortId } from '../terminal/format.ts'
import type { Terminal } from '../terminal/terminal.ts'

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
    const ends: RunStatus[] = []
    let skipped = 0
    for (const [keelson, runIds] of byKeelson) {
      for (const { runId, status, error, ended } of await keelson.queue.start({ runIds, limit: runIds.length })) {
        if (status === 'STARTED') started.push({ keelson, handle: await keelson.run(runId) })
        else if (ended === undefined)
          terminal.errorLine(
            `run ${shortId(runId)} stays queued: ${error ?? 'it is not approved, not due, or another process has it'}`,
          )
        else {
          terminal.errorLine(`run ${shortId(runId)} does not start: it is ${ended}`)
          ends.push(ended)
        }
        if (status === 'FAILED') failures += 1
        if (status === 'SKIPPED' && ended === undefined) skipped += 1
      }
    }
    const [first] = started
    if (first === undefined && failures === 0 && skipped === 0)
      return ends[0] === undefined ? EXIT.detached : exitOfStatus(ends[0])
    if (first === undefined) return failures > 0 ? EXIT.failed : EXIT.detached
    const code = await driveRuns({ runs: started, doorbell, options, terminal })
    await anchorHeads(first.keelson, options, terminal)
    return code === EXIT.completed && failures > 0 ? EXIT.failed : code
  } finally {
    await keelsons.close()
  }
}
