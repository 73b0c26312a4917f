/**
 * Answers many questions "must this step have ended before that one starts?" at once. Thirty-two ancestors are followed
 * together as bits over the relevant part of the graph, so that large plans stay cheap.
 */
export interface AncestorQuery {
  readonly of: number
  readonly ancestor: number
}

/** One answer per query. Steps on a cycle, or behind one, are reported elsewhere: for them the answer is yes. */
export function areAncestors(
  dependencies: readonly (readonly number[])[],
  queries: readonly AncestorQuery[],
): readonly boolean[] {
  const answers = queries.map(({ of, ancestor }) => dependencies[of]?.includes(ancestor) === true)
  const open = queries.flatMap((query, index) => (answers[index] === true ? [] : [{ ...query, index }]))
  if (open.length === 0) return answers
  const order = topologicalOrder(dependencies)
  const rank = new Int32Array(dependencies.length).fill(-1)
  order.forEach((step, position) => (rank[step] = position))
  const rankOf = (step: number): number => rank[step] ?? -1
  const ranked = open.filter(({ of, ancestor, index }) => {
    const known = rankOf(of) >= 0 && rankOf(ancestor) >= 0
    if (!known) answers[index] = true
    return known && rankOf(of) > rankOf(ancestor)
  })
  ranked.sort((a, b) => rankOf(a.ancestor) - rankOf(b.ancestor))
  const reached = new Uint32Array(dependencies.length)
  for (const batch of batches(ranked)) {
    const bitOf = new Map(
      [...new Set(batch.map((query) => query.ancestor))].map((ancestor, bit) => [ancestor, 1 << bit]),
    )
    const first = rankOf(batch[0]?.ancestor ?? 0)
    const last = batch.reduce((most, query) => Math.max(most, rankOf(query.of)), first)
    for (let position = first; position <= last; position++) {
      let bits = 0
      for (const dependency of dependencies[order[position] ?? 0] ?? []) {
        if (rankOf(dependency) >= first) bits |= (reached[rankOf(dependency)] ?? 0) | (bitOf.get(dependency) ?? 0)
      }
      reached[position] = bits
    }
    for (const query of batch) {
      answers[query.index] = ((reached[rankOf(query.of)] ?? 0) & (bitOf.get(query.ancestor) ?? 0)) !== 0
    }
  }
  return answers
}

const BITS = 32

function batches<T extends AncestorQuery>(sorted: readonly T[]): readonly (readonly T[])[] {
  const all: T[][] = []
  let distinct = BITS
  let last = -1
  for (const query of sorted) {
    if (query.ancestor !== last) distinct += 1
    if (distinct > BITS) {
      all.push([])
      distinct = 1
    }
    last = query.ancestor
    all.at(-1)?.push(query)
  }
  return all
}

function topologicalOrder(dependencies: readonly (readonly number[])[]): readonly number[] {
  const open = dependencies.map((needed) => needed.length)
  const dependents: number[][] = dependencies.map(() => [])
  dependencies.forEach((needed, step) => needed.forEach((dependency) => dependents[dependency]?.push(step)))
  const order = open.flatMap((count, step) => (count === 0 ? [step] : []))
  for (let at = 0; at < order.length; at++) {
    for (const dependent of dependents[order[at] ?? 0] ?? []) {
      const left = (open[dependent] ?? 0) - 1
      open[dependent] = left
      if (left === 0) order.push(dependent)
    }
  }
  return order
}
