/** Store calls that are made for each of many runs, with a limit on how many are made at the same time. */
const AT_ONCE = 32

export async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE)
    await Promise.all(items.slice(from, from + AT_ONCE).map(work))
}
