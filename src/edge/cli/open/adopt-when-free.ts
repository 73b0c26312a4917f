/**
 * Adopts runs whose driver is gone. A lease that is still valid is watched: if its holder renews it, the run is left to
 * that process; if not, the run is taken when the lease expires.
 */
import { KeelsonError } from '../../../core/problems/problem.ts'
import type { Keelson, RunHandle } from '../../../main.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { LeftOut } from '../output/left-out.ts'

const LOOK_MS = 200

export interface Adopted {
  readonly keelson: Keelson
  readonly handle: RunHandle
}

export interface Wanted {
  readonly keelson: Keelson
  readonly row: RunRow
}

/** Runs that cannot be adopted are left out, with the reason. */
export async function adoptWhenFree(
  wanted: readonly Wanted[],
): Promise<{ readonly runs: readonly Adopted[]; readonly left: readonly LeftOut[] }> {
  const left: LeftOut[] = []
  const taken = await Promise.all(
    wanted.map(async ({ keelson, row }) => {
      try {
        return [{ keelson, handle: await adopt(keelson, row) }]
      } catch (thrown) {
        if (!(thrown instanceof KeelsonError)) throw thrown
        left.push({ row, error: thrown })
        return []
      }
    }),
  )
  return { runs: taken.flat(), left }
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
