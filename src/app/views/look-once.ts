/** One look at a run for several questions: what lies beside its log is read once, however many slots are asked about. */
import type { RunStore } from '../../ports/run-store.ts'

/** What is read to explain a slot or to show a step. */
export type RunLook = Pick<
  RunStore,
  | 'readEvents'
  | 'readContext'
  | 'getBlob'
  | 'readInbox'
  | 'readGrants'
  | 'readPool'
  | 'listPools'
  | 'findWork'
  | 'listWorkers'
>

export function lookOnce(store: RunLook): RunLook {
  const seen = new Map<string, Promise<unknown>>()
  const once = <T>(name: string, read: () => Promise<T>): Promise<T> => {
    const known = seen.get(name) as Promise<T> | undefined
    const reading = known ?? read()
    if (known === undefined) seen.set(name, reading)
    return reading
  }
  return {
    readEvents: (runKey, range) =>
      once(`events ${runKey} ${range.afterSeq} ${range.limit}`, () => store.readEvents(runKey, range)),
    readContext: (runKey, atSeq) => once(`context ${runKey} ${atSeq}`, () => store.readContext(runKey, atSeq)),
    getBlob: (runKey, sha256) => store.getBlob(runKey, sha256),
    readInbox: (runKey) => once(`inbox ${runKey}`, () => store.readInbox(runKey)),
    readGrants: (runKey) => once(`grants ${runKey}`, () => store.readGrants(runKey)),
    readPool: (pool, limit) => once(`pool ${limit} ${pool}`, () => store.readPool(pool, limit)),
    findWork: (ref) => store.findWork(ref),
    listWorkers: (tenantId, limit) => once(`workers ${tenantId} ${limit}`, () => store.listWorkers(tenantId, limit)),
    listPools: (pools) => once(`pools ${JSON.stringify(pools)}`, () => store.listPools(pools)),
  }
}
