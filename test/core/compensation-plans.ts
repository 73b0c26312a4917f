/** Plans of which steps are undone, for tests of compensation. */

export const step = (id: string, more = ''): string =>
  `{ id: ${id}, run: f, dependsOn: []${more === '' ? '' : `, ${more}`} }`
export const undone = (id: string): string => step(id, 'compensate: { run: undo }')
export const plan = (...steps: readonly string[]): string => `steps: [${steps.join(', ')}]`
export const HOOKS = ['CompensationStarted', 'CompensationCompleted', 'CompensationFailed'] as const

export const broken = step('bad', 'retry: { maxAttempts: 1 }')
