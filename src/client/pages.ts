/** Page after page as one iteration. */
export interface Page<T, P> {
  readonly items: readonly T[]
  /** Absent on the last page. */
  readonly next?: P | undefined
}

export async function* cursorPages<T, P>(first: P, read: (cursor: P) => Promise<Page<T, P>>): AsyncGenerator<T, void> {
  for (let cursor = first; ;) {
    const { items, next } = await read(cursor)
    yield* items
    if (next === undefined || next === cursor) return
    cursor = next
  }
}
