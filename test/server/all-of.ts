/** Everything that an iteration gives. */
export async function allOf<T>(from: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = []
  for await (const one of from) found.push(one)
  return found
}
