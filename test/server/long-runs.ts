/** Plans with many events, and a gate at which a run stands until a test opens it. */
export interface Gate {
  readonly open: () => void
  readonly passed: Promise<void>
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { open: resolve, passed: promise }
}

/** Two events for each item, before a gate and after it. */
export const MANY = `
plan: many
version: 1.0.0
policy: { concurrency: 50 }
steps:
  - { id: before, forEach: input.before, run: item, with: { item: '\${item}' } }
  - { id: gate, dependsOn: [before], run: gate }
  - { id: after, dependsOn: [gate], forEach: input.after, run: item, with: { item: '\${item}' } }
`

/** Four lists of large results. */
export const LARGE = `
plan: large
version: 1.0.0
policy: { concurrency: 20 }
steps:
  - { id: a, forEach: input.items, run: large }
  - { id: b, dependsOn: [a], forEach: input.items, run: large }
  - { id: c, dependsOn: [b], forEach: input.items, run: large }
  - { id: d, dependsOn: [c], forEach: input.items, run: large }
`

export function stepsWith({ passed }: Gate, largeBytes = 1) {
  const large = 'x'.repeat(largeBytes)
  return { item: ({ item }: { item: number }) => item, gate: () => passed, large: () => large }
}

export const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index)
