/**
 * A persistent index from a name to its number, in layers that never change. A layer is merged into the previous one
 * when it has the same size, so adding n names one by one costs O(n log n) and a look-up O(log n).
 */
export interface NameIndex {
  readonly size: number
  readonly layers: readonly ReadonlyMap<string, number>[]
}

export function nameIndex(names: readonly string[]): NameIndex {
  const first = new Map<string, number>()
  names.forEach((name, number) => {
    if (!first.has(name)) first.set(name, number)
  })
  return { size: names.length, layers: [first] }
}

export function numberOf(index: NameIndex, name: string): number | undefined {
  for (const layer of index.layers) {
    const number = layer.get(name)
    if (number !== undefined) return number
  }
  return undefined
}

/** The name gets the number `size`. */
export function addName(index: NameIndex, name: string): NameIndex {
  const layers = index.layers.slice()
  let added: ReadonlyMap<string, number> = new Map([[name, index.size]])
  for (let last = layers.at(-1); last !== undefined && last.size <= added.size; last = layers.at(-1)) {
    added = new Map([...last, ...added])
    layers.pop()
  }
  return { size: index.size + 1, layers: [...layers, added] }
}
