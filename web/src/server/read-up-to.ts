/** Reads as many of a list as are shown, page by page, however many they are. */
import { appendAll } from '../../../src/core/collections/append-all.ts'

/** How many a page asks the server for at once. */
export const PAGE = 100

export interface ReadItems<T> {
  readonly items: readonly T[]
  readonly hasMore: boolean
}

export async function readUpTo<T>(
  most: number,
  pageAt: (where: {
    readonly limit: number
    readonly cursor?: string
  }) => Promise<readonly [readonly T[], string | undefined]>,
): Promise<ReadItems<T>> {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const [page, next] = await pageAt({ limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    appendAll(items, page)
    cursor = next
  } while (cursor !== undefined && items.length < most)
  return { items, hasMore: cursor !== undefined }
}
