/** A value that changes, and those who want to know: the way from what is loaded outside React to what is shown. */
import { useSyncExternalStore } from 'react'

export class Watched<T> {
  #value: T
  readonly #watchers = new Set<() => void>()

  constructor(value: T) {
    this.#value = value
  }

  readonly get = (): T => this.#value

  readonly set = (value: T): void => {
    if (Object.is(value, this.#value)) return
    this.#value = value
    for (const told of this.#watchers) told()
  }

  readonly subscribe = (told: () => void): (() => void) => {
    this.#watchers.add(told)
    return () => void this.#watchers.delete(told)
  }
}

export function useWatched<T>(watched: Watched<T>): T {
  return useSyncExternalStore(watched.subscribe, watched.get)
}
