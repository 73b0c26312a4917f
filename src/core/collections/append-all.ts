/**
 * `list.push(...more)` hands every element over as an argument, and some 100,000 arguments overflow the stack. A list whose length
 * others decide is appended in a loop instead (`test/arch/spread-calls.test.ts`).
 */
export function appendAll<T>(list: T[], more: Iterable<T>): void {
  for (const one of more) list.push(one)
}
