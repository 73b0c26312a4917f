/** Drops rows of work that is over. Only the log says so; what it still wants stays, however old it is. */
import { LIMITS } from '../../core/limits.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { StoredWork } from '../../ports/work.ts'
import { changeWork, stillWanted, type Working } from './working.ts'

const PAGE = 100

export async function sweepWork(by: Pick<Working, 'services' | 'desk' | 'current'>): Promise<void> {
  const { store, clock } = by.services
  const now = clock.now()
  for (const row of await store.untouchedWork(now - LIMITS.workKeptMs, PAGE)) {
    if (await isOver(by, row)) await store.deleteWork(row)
    else await changeWork(by, row)
  }
  await store.dropWorkers(now - LIMITS.workersKeptMs)
}

/** A run that cannot be read now is looked at again later. */
async function isOver(by: Pick<Working, 'current'>, row: StoredWork): Promise<boolean> {
  try {
    return (await stillWanted(by, row)) === undefined
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    return thrown.code === 'RUN_NOT_FOUND' || thrown.code === 'RUN_ARCHIVED'
  }
}
