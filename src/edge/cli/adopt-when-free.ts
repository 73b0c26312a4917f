/**
 * Takes runs over whose driver is gone. A lease that still runs is watched: if its holder renews it, the run is left to
 * that process; if not, the run is taken when the lease is over.
 */
import { KeelsonError } from '../../core/problems/problem.ts'
import type { ProblemCode } from '../../core/problems/registry.ts'
import type { Keelson, RunHandle } from '../../main.ts'
import type { RunRow } from '../../ports/run-store.ts'
import { shortId } from './output/format.ts'
import type { Terminal } from './terminal.ts'

const LOOK_MS = 200

export interface Adopted {
  readonly keelson: Keelson
  readonly handle: RunHandle
}

export interface Wanted {
  readonly keelson: Keelson
  readonly row: RunRow
}

export interface Taken {
  readonly runs: readonly Adopted[]
  /** Why others were left out. */
  readonly refused: readonly ProblemCode[]
}

/** With `strict`, a run that cannot be taken is an error; otherwise it is told and left out. */
export async function adoptWhenFree(wanted: readonly Wanted[], strict: boolean, terminal: Terminal): Promise<Taken> {
  const refused: ProblemCode[] = []
  const taken = await Promise.all(
    wanted.map(async ({ keelson, row }) => {
      try {
        return [{ keelson, handle: await adopt(keelson, row) }]
      } catch (thrown) {
        if (strict || !(thrown instanceof KeelsonError)) throw thrown
        const [problem] = thrown.problems
        refused.push(thrown.code)
        terminal.errorLine(`run ${shortId(row.runId)} is left out: ${problem?.code ?? ''}  ${problem?.message ?? ''}`)
        return []
      }
    }),
  )
  return { runs: taken.flat(), refused }
}

async function adopt(keelson: Keelson, row: RunRow): Promise<RunHandle> {
  let until = row.lease?.until
  for (;;) {
    try {
      return await keelson.adopt(row.runId)
    } catch (thrown) {
      const driven = thrown instanceof KeelsonError && thrown.code === 'RUN_DRIVEN_ELSEWHERE'
      const { lease } = (await keelson.run(row.runId)).row
      const renewed = until !== undefined && lease !== undefined && lease.until > until
      if (!driven || renewed) throw thrown
      until = lease?.until ?? until
    }
    await new Promise<void>((resolve) => void setTimeout(resolve, LOOK_MS))
  }
}
