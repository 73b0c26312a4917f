/**
 * Two things measured in turn, so that a noisy machine hurts both alike: A, B, A, B … The first rounds only warm up; what
 * counts is the median of each.
 */
const WARM_UP = 20

export interface InTurn {
  readonly a: number
  readonly b: number
}

/** Median milliseconds of each. */
export async function inTurn(rounds: number, a: () => Promise<unknown>, b: () => Promise<unknown>): Promise<InTurn> {
  const times = { a: [] as number[], b: [] as number[] }
  for (let round = -WARM_UP; round < rounds; round += 1) {
    // Whoever comes second may find caches warmed or a disk busy because of the first.
    const [ofA, ofB] =
      round % 2 === 0
        ? [await millisecondsOf(a), await millisecondsOf(b)]
        : [await millisecondsOf(b), await millisecondsOf(a)].reverse()
    if (round < 0) continue
    times.a.push(ofA ?? 0)
    times.b.push(ofB ?? 0)
  }
  return { a: median(times.a), b: median(times.b) }
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function median(values: readonly number[]): number {
  return [...values].sort((x, y) => x - y)[Math.floor(values.length / 2)] ?? 0
}
