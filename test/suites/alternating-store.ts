/** Wrappers that make a store awkward on purpose: every call through another handle, every batch one run at a time. */
import type { CommitResult, RunStore } from '../../src/ports/run-store.ts'

/** Calls go to the handles in turn, so that each must see what the others wrote. */
export function alternating(handles: readonly RunStore[]): RunStore {
  let turn = 0
  const next = (): RunStore => {
    const store = handles[turn++ % handles.length]
    if (store === undefined) throw new Error('an alternating store needs a handle')
    return store
  }
  return new Proxy(next(), {
    get: (first, name) => {
      if (name === 'close') return async () => void (await Promise.all(handles.map((handle) => handle.close())))
      const value: unknown = Reflect.get(first, name)
      if (typeof value !== 'function') return value
      return (...args: readonly unknown[]) => {
        const method: unknown = Reflect.get(next(), name)
        return typeof method === 'function' ? Reflect.apply(method, undefined, args) : undefined
      }
    },
  })
}

/** Batches of one, pages of one. */
export function oneAtATime(store: RunStore): RunStore {
  return {
    ...store,
    commit: async (batch) => {
      const results: CommitResult[] = []
      for (const one of batch) results.push(...(await store.commit([one])))
      return results
    },
    readEvents: async (runKey, range) => {
      const { limit = 1000 } = range
      const events = []
      for (let afterSeq = range.afterSeq ?? 0; events.length < limit;) {
        const [event] = await store.readEvents(runKey, { afterSeq, limit: 1 })
        if (event === undefined) break
        events.push(event)
        afterSeq = event.runSeq
      }
      return events
    },
  }
}
