/** The least and the greatest of a list of any length; `Math.min(...list)` overflows the stack with some 100,000 of them. */

/** Infinity for an empty list, unless a number to begin with is given. */
export function least(numbers: Iterable<number>, from = Infinity): number {
  let found = from
  for (const one of numbers) if (one < found) found = one
  return found
}

/** Minus infinity for an empty list, unless a number to begin with is given. */
export function greatest(numbers: Iterable<number>, from = -Infinity): number {
  let found = from
  for (const one of numbers) if (one > found) found = one
  return found
}
