/**
 * A store whose run keys are counted from 1 in the order the runs were created, as the oracle counts them: a database may
 * burn numbers of its own on runs it refused.
 */
import type { CommitResult, RunCommit, RunKey, RunStore } from '../../src/ports/run-store.ts'

/** The database's keys in the order of creation; outlives a reopening. */
export type KeyTable = RunKey[]

/** Far from any number that a database gives. */
const UNKNOWN = 900_000_000

export function renumbered(store: RunStore, keys: KeyTable): RunStore {
  const inward = (ours: RunKey): RunKey => keys[ours - 1] ?? UNKNOWN + ours
  const outward = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(outward)
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array || value instanceof Map) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, part]: readonly [string, unknown]) =>
        name === 'runKey' && typeof part === 'number' ? [name, keys.indexOf(part) + 1] : [name, outward(part)],
      ),
    )
  }
  const commit = async (batch: readonly RunCommit[]): Promise<unknown> => {
    const results = await store.commit(
      batch.map((one) => (one.runKey === undefined ? one : { ...one, runKey: inward(one.runKey) })),
    )
    for (const [index, result] of results.entries()) learn(batch[index], result)
    return outward(results)
  }
  const learn = (one: RunCommit | undefined, result: CommitResult): void => {
    if (one?.create !== undefined && result.kind === 'committed') keys.push(result.runKey)
  }
  const settleFeed: RunStore['settleFeed'] = (name, { position, deliveries }) =>
    store.settleFeed(name, {
      position,
      deliveries: deliveries.map((one) => ({ ...one, runKey: inward(one.runKey) })),
    })
  const dropDeadLetter: RunStore['dropDeadLetter'] = (name, runKey, runSeq) =>
    store.dropDeadLetter(name, inward(runKey), runSeq)
  const own: Readonly<Record<string, unknown>> = { commit, settleFeed, dropDeadLetter }
  return new Proxy(store, {
    get: (target, name) => {
      if (typeof name === 'string' && name in own) return own[name]
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return async (...[first, ...rest]: readonly unknown[]) => {
        const key = typeof first === 'number' && BY_KEY.has(String(name)) ? inward(first) : first
        return outward(await Reflect.apply(method, target, [key, ...rest]))
      }
    },
  })
}

/** Methods whose first argument is a run's key. */
const BY_KEY: ReadonlySet<string> = new Set([
  'getRun',
  'quarantine',
  'liftQuarantine',
  'noteDoing',
  'readEvents',
  'eraseData',
  'readContext',
  'readInbox',
  'findInbox',
  'putBlob',
  'getBlob',
  'putCheckpoint',
  'getCheckpoint',
  'acquireLease',
  'releaseLease',
  'claimAttempt',
  'readClaims',
  'readGrants',
  'archiveRun',
])
