/** Who asks for work, and for what: for people who wonder why a step waits. */
import { LIMITS } from '../../core/limits.ts'
import type { WorkStore } from '../../ports/work.ts'

export interface KnownWorker {
  readonly worker: string
  readonly actorId: string
  readonly build?: string
  readonly queues: readonly string[]
  readonly handlers: readonly string[]
  readonly askedAt: number
}

export async function listWorkers(
  store: Pick<WorkStore, 'listWorkers'>,
  tenantId: string,
): Promise<readonly KnownWorker[]> {
  const rows = await store.listWorkers(tenantId, LIMITS.workersShown)
  return rows.map(({ worker, actorId, askedAt, body }) => ({
    worker,
    actorId,
    askedAt,
    ...(JSON.parse(body) as Pick<KnownWorker, 'build' | 'queues' | 'handlers'>),
  }))
}
